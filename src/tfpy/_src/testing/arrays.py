"""Conversion of tensors and nested structures to NumPy arrays for assertions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import is_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.typing import Nest
from tfpy._src.functions.control.effects import numpy_function
from tfpy._src.tensors.composite.host_values import (
    Array,
    IndexedSlicesValue,
    RaggedTensorValue,
    SparseTensorValue,
)
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Assertion = TypeVar("Assertion", bound=Callable[..., None])


def deferred(assertion: Assertion) -> Assertion:
    """Make a method check the tensors of a `tf.function` when the function runs.

    In a graph of TensorFlow 1, the method evaluates the tensors immediately.
    """

    @functools.wraps(assertion)
    def method(*args: Any, **kwargs: Any) -> None:
        if not tracing.inside_function() or tracing.active_graph() is not None:
            return assertion(*args, **kwargs)
        places = [n for n, arg in enumerate(args) if is_tensor(arg)]

        def check(*arrays: Array) -> None:
            values = dict(zip(places, arrays, strict=True))
            assertion(*(values.get(n, arg) for n, arg in enumerate(args)), **kwargs)

        numpy_function(check, [args[n] for n in places], [])
        return None

    return cast(Assertion, method)


def is_ragged(value: object) -> bool:
    """Return True for a ragged tensor, and for the arrays of one."""
    return isinstance(value, RaggedTensor | RaggedTensorValue)


def values_of(tensors: Nest) -> Nest:
    """Return the values of tensors in a nested structure as NumPy arrays.

    Functions are called without arguments. Sparse and ragged tensors and `tf.IndexedSlices` become
    the named tuples of arrays that TensorFlow 1 uses.
    """
    return None if tensors is None else nest.map_structure(_value, tensors)


def _value(tensor: Any) -> Any:
    if tensor is None:
        return None
    if callable(tensor):
        return values_of(tensor())
    if isinstance(tensor, SparseTensor):
        parts = (tensor.indices, tensor.values, tensor.dense_shape)
        return SparseTensorValue(*(part.numpy() for part in parts))
    if isinstance(tensor, RaggedTensor):
        return RaggedTensorValue(_value(tensor.values), tensor.row_splits.numpy())
    if isinstance(tensor, IndexedSlices):
        size = None if tensor.dense_shape is None else tensor.dense_shape.numpy()
        return IndexedSlicesValue(tensor.values.numpy(), tensor.indices.numpy(), size)
    if not hasattr(tensor, "numpy"):
        raise ValueError(
            f"evaluate() supports tensors, Variables and functions that return them, in nested "
            f"structures, and not the type {type(tensor).__name__!r}."
        )
    return tensor.numpy()


def array_of(value: Any) -> Array:
    """Return a tensor, array, number or list as a NumPy array."""
    if is_tensor(value):
        value = values_of(value)
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.array(value)
    except ValueError as error:
        if "inhomogeneous shape" not in str(error):
            raise
        return np.array(value, dtype=object)


def list_of(value: Any) -> Any:
    """Return a tensor, ragged tensor, array or list as nested lists."""
    if isinstance(value, RaggedTensor):
        value = values_of(value)
    elif is_tensor(value):
        value = value.numpy()
    if isinstance(value, RaggedTensorValue):
        return value.to_list()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return value if isinstance(value, bytes | str) else np.array(value, dtype=object).tolist()


def described(subscripts: tuple[Array, ...], value: Array, limit: int = 10) -> str:
    """Return lines with subscripts and the elements there, at most as many as the limit."""
    if np.ndim(value) == 0:
        return f"  [0] : {value}"
    rows = np.transpose(subscripts)
    lines = [f"  {row} : {value[tuple(row)]}" for row in rows[:limit]]
    return "\n".join([*lines, "  ..."] if len(rows) > limit else lines)
