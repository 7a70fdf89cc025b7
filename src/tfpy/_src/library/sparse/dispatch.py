"""Implementations of functions under `tf` for sparse tensors.

Elementwise ops need no implementation here: the executor passes them to `SparseTensor.apply_op`.
All other functions reject sparse tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops import elementwise
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.dispatch import implements
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.array import making, reshaping
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.linalg import norms
from tfpy._src.tensors.math import arithmetic, counting
from tfpy._src.tensors.ragged.partitions import counts_by_row


def _of_values(function: Callable[..., Any]) -> None:
    """Apply a function to the values of indexed slices."""

    @implements(function, IndexedSlices)
    def mapped(slices: IndexedSlices, *args: Any, **kwargs: Any) -> IndexedSlices:
        return slices.with_differentiable(function(slices.values, *args, **kwargs))


for _function in (
    making.cast,
    reshaping.identity,
    stop_gradient,
    arithmetic.clip_by_value,
    norms.clip_by_norm,
):
    _of_values(_function)


@implements(arithmetic.divide, SparseTensor)
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """Divide values by the elements of a dense tensor at their indices. Integers become float32."""
    if isinstance(x, SparseTensor) and x.dtype.is_integer:
        dense = convert_to_tensor(y, None if is_operand(y) else dtypes.float32)
        x, y = cast(x, dtypes.float32), making.cast(dense, dtypes.float32)
    return elementwise.real_div(x, y)


@implements(arithmetic.sign, SparseTensor)
def sign(x: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return the sign of each value."""
    return x.with_values(arithmetic.sign(x.values))


def check_same_places(name: str, values: SparseTensor, weights: SparseTensor) -> None:
    """Check that weights have values at the same places as a sparse tensor."""
    if values.host_shape != weights.host_shape:
        raise invalid_value(
            name,
            "'weights' and 'values' must have the same dense shape, got "
            f"{weights.host_shape} and {values.host_shape}",
        )
    if values.host_indices.shape != weights.host_indices.shape:
        raise invalid_value(
            name,
            f"Incompatible shapes: {len(weights.host_indices)} weights for "
            f"{len(values.host_indices)} values",
        )
    if not np.array_equal(values.host_indices, weights.host_indices):
        raise invalid_value(name, "'weights' and 'values' must have the same indices")


@implements(counting.bincount, SparseTensor)
def bincount(
    arr: SparseTensor,
    weights: TensorLike | None = None,
    minlength: IntLike | None = None,
    maxlength: IntLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Count all values, or the values of each row of a sparse matrix if `axis` is -1."""
    if not isinstance(arr, SparseTensor) or not isinstance(weights, SparseTensor | None):
        raise ValueError(
            "`weights` must be a SparseTensor if and only if `arr` is a SparseTensor. Received "
            f"weights={weights!r}"
        )
    if weights is not None:
        check_same_places("bincount", arr, weights)
    flat = weights.values if isinstance(weights, SparseTensor) else None
    if axis != -1:
        return counting.bincount(
            arr.values, flat, minlength, maxlength, dtype, name, axis, binary_output
        )
    size = counting.bin_count(arr.values, minlength, maxlength)
    rows, count = arr.host_indices[:, 0], arr.host_shape[0]
    return counts_by_row(arr.values, rows, count, flat, size, binary_output, dtype)


@implements(making.cast, SparseTensor)
def cast(x: SparseTensor, dtype: DTypeLike, name: str | None = None) -> SparseTensor:
    """Cast the values."""
    return x.with_values(making.cast(x.values, dtype))


@implements(reshaping.identity, SparseTensor)
def identity(input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor with the same values."""
    return input.with_values(reshaping.identity(input.values))


@implements(reshaping.size, SparseTensor)
def size(input: SparseTensor, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return the number of elements of the dense tensor."""
    return constant(math.prod(input.host_shape))


@implements(reshaping.rank, SparseTensor)
def rank(input: SparseTensor, name: str | None = None) -> Tensor:
    """Return the number of dimensions of the dense tensor."""
    return constant(input.ndim)


@implements(reshaping.shape, SparseTensor)
def shape(
    input: SparseTensor, out_type: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Return the shape of the dense tensor."""
    return input.dense_shape
