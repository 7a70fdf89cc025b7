"""The values of one feature of a batch of examples, as dense, sparse and ragged tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid_value
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.protos.scanning import KINDS
from tfpy._src.library.protos.tensor_values import strings
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

_NUMPY = {1: np.dtype(object), 2: np.dtype(np.float32), 3: np.dtype(np.int64)}


def empty(dtype: DType) -> Array:
    """Return no values of a dtype of features."""
    return np.zeros(0, _NUMPY[KINDS[dtype]])


def joined(parts: Sequence[Array], dtype: DType) -> Array:
    """Return the values of several features as one vector."""
    return np.concatenate([empty(dtype), *(part.reshape(-1) for part in parts)])


def tensor(op: str, key: str, values: Array) -> Tensor:
    """Return values as a tensor.

    Raises:
        InvalidArgumentError: If integers do not fit the dtype of tensors.
    """
    if values.dtype == np.int64 and dtypes.int64 == dtypes.int32 and values.size:
        low, high = int(values.min()), int(values.max())
        if low < dtypes.int32.min or high > dtypes.int32.max:
            wrong = low if low < dtypes.int32.min else high
            raise invalid_value(
                op,
                f"Key: {key}.  The value {wrong} does not fit 32 bits. Set the environment "
                "variable TFPY_ENABLE_X64 to read 64-bit integers.",
            )
    return constant(values)


def padded(parts: Sequence[Array], block: tuple[int, ...], padding: Any, dtype: DType) -> Array:
    """Return sequences of blocks as one array, padded to the length of the longest sequence.

    Raises:
        ValueError: If the array would be much larger than the values.
    """
    size = math.prod(block)
    counts = [part.size // size if size else 0 for part in parts]
    longest = max(counts, default=0)
    kind = _NUMPY[KINDS[dtype]]
    needed = len(parts) * longest * size * kind.itemsize
    too_large = Room(sum(part.nbytes for part in parts)).refusal("the padded tensor", needed)
    if too_large is not None:
        raise ValueError(too_large)
    if dtype == dtypes.string:
        found = strings([padding] * (len(parts) * longest * size))
        found = found.reshape(len(parts), longest * size)
    else:
        found = np.full((len(parts), longest * size), padding, kind)
    for row, part in zip(found, parts, strict=True):
        row[: part.size] = part.reshape(-1)
    return found.reshape(len(parts), longest, *block)


def sparse(op: str, key: str, parts: Sequence[Array], dtype: DType, batched: bool) -> SparseTensor:
    """Return the values of each example as a row of a sparse tensor, or as a vector."""
    values = tensor(op, key, joined(parts, dtype))
    lengths = np.array([part.size for part in parts], np.int64)
    rows = np.repeat(np.arange(len(parts)), lengths.astype(np.intp))
    starts = np.cumsum(lengths) - lengths
    columns = np.arange(lengths.sum()) - np.repeat(starts, lengths.astype(np.intp))
    longest = int(lengths.max(initial=0))
    if not batched:
        return sparse_of(columns[:, None], values, (longest,))
    return sparse_of(np.stack([rows, columns], 1), values, (len(parts), longest))


def sparse_of(indices: Array, values: Tensor, shape: Sequence[int]) -> SparseTensor:
    """Return a sparse tensor from arrays of indices and sizes."""
    return SparseTensor(
        constant(np.asarray(indices, np.int64).reshape(-1, len(shape))),
        values,
        constant(np.array(shape, np.int64)),
    )


def splits_of(lengths: Sequence[int], dtype: DType) -> Array:
    """Return the row splits for rows of these lengths."""
    return np.cumsum([0, *lengths]).astype(dtype.as_numpy_dtype)


def ragged(
    op: str, key: str, parts: Sequence[Array], kinds: tuple[DType, DType], batched: bool
) -> Tensor | RaggedTensor:
    """Return the values of each example as a row of a ragged tensor, or as a vector."""
    values = tensor(op, key, joined(parts, kinds[0]))
    if not batched:
        return values
    splits = splits_of([part.size for part in parts], kinds[1])
    return RaggedTensor.from_row_splits(values, splits, validate=False)
