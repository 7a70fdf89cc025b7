"""`tf.type_spec_from_value`, and specs with other shapes."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.core.typing import Nest
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.value_specs import (
    IndexedSlicesSpec,
    NoneTensorSpec,
    TensorArraySpec,
)
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.tensors.variables.variable import Variable


def type_spec_from_value(value: Nest) -> TypeSpec:
    """Return the spec of a value, which describes its shape and dtype.

    Args:
        value: Tensor, ragged tensor, sparse tensor, `tf.IndexedSlices`, `tf.TensorArray`, extension
            type, optional value or dataset, None, or a value that can be converted to a tensor.

    Returns:
        A `tf.TypeSpec`, such as a `tf.TensorSpec` or a `tf.RaggedTensorSpec`.

    Raises:
        TypeError: If `value` does not have a spec and cannot be converted to a tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.type_spec_from_value(tf.ragged.constant([[1, 2], [3]]))
        RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int32)

    See also: `tf.TensorSpec`, `tf.TypeSpec`.
    """
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, Tensor):
        return TensorSpec.from_tensor(value)
    if isinstance(value, IndexedSlices):
        return IndexedSlicesSpec.from_value(value)
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    if value is None:
        return NoneTensorSpec()
    if hasattr(value, "_type_spec"):  # a dataset or an extension type
        return value._type_spec
    try:
        if not isinstance(value, Variable | Composite):
            return TensorSpec.from_tensor(convert_to_tensor(value))
    except (TypeError, ValueError):
        pass
    raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")


def with_shape(spec: Any, shape: Any) -> Any:
    """Return the spec with a different shape. The ragged rank changes with the rank."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(shape, spec.dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        own, new = spec.shape.rank, TensorShape(shape).rank
        rank = spec.ragged_rank + (new - own if own is not None and new is not None else 0)
        return RaggedTensorSpec(shape, spec.dtype, max(rank, 0), spec.row_splits_dtype)
    return spec
