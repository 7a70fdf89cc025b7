"""``tf.type_spec_from_value``."""

from __future__ import annotations

from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.tensors.variables.variable import Variable


def type_spec_from_value(value: Any) -> Any:
    """What is known of a tensor, a ragged or sparse one, or what converts to a tensor.

    Raises:
        TypeError: for other values.

    Example:
        >>> import tfpy as tf
        >>> tf.type_spec_from_value(tf.ragged.constant([[1, 2], [3]]))
        RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int32)
    """
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, Tensor):
        return TensorSpec.from_tensor(value)
    if hasattr(value, "_type_spec"):  # a dataset
        return value._type_spec
    try:
        if not isinstance(value, Variable | Composite):
            return TensorSpec.from_tensor(convert_to_tensor(value))
    except (TypeError, ValueError):
        pass
    raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
