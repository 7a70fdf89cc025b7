"""Crosses of features: each combination of the values of a row, as strings or hashes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops.reference.hash import (
    HASH_KEY,
    Strings,
    concatenated,
    farm_fingerprint64,
    siphash,
)
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, made

Array = np.ndarray[Any, Any]
_MOST = 2 ** (8 * dtypes.int64.size - 1)


class _Feature:
    """The values of a feature, row by row. The values of row i begin at `starts[i]`."""

    def __init__(self, value: Any) -> None:
        if isinstance(value, SparseTensor):
            rank, shape = len(value.host_shape), value.host_shape
        elif isinstance(value, RaggedTensor):
            rank, shape = 1 + value.ragged_rank, (value.splits.size - 1,)
        else:
            rank, shape = value.ndim, tuple(value.aval.closed.shape)
        if rank != 2:
            raise invalid("cross", f"Input should be a matrix but received shape {list(shape)}")
        self.rows = shape[0]
        if isinstance(value, SparseTensor):
            counts = np.bincount(value.host_indices[:, 0], minlength=self.rows)
            self.values = value.values
        elif isinstance(value, RaggedTensor):
            counts = np.diff(value.splits)
            self.values = value.values
        else:
            counts = np.full(self.rows, shape[1])
            self.values = value
        self.counts = counts
        self.starts = np.cumsum(counts) - counts


def _texts(values: Array) -> list[bytes]:
    """Return values as strings."""
    items = values.reshape(-1).tolist()
    return items if values.dtype == object else [b"%d" % v for v in items]


def _fingerprints(values: Array) -> Array:
    """Return a 64-bit word for each value: the fingerprint of a string, or the integer itself."""
    if values.dtype == object:
        return np.asarray(farm_fingerprint64(Strings(values.reshape(-1).tolist())))
    return values.reshape(-1).astype(np.int64).view(np.uint64)


def salted(salt: Sequence[int]) -> Callable[[Array], Array]:
    """Return a function like the fingerprints, with a salted hash of each string."""

    def hashes(values: Array) -> Array:
        if values.dtype != object:
            return _fingerprints(values)
        return np.asarray(siphash(Strings(values.reshape(-1).tolist()), salt))

    return hashes


def _ordered(inputs: Any) -> list[SparseTensor | Tensor]:
    """Return the features of a sparse cross: sparse ones before dense ones."""
    if not isinstance(inputs, list | tuple):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(x, SparseTensor | Tensor) for x in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    return sorted(inputs, key=lambda x: not isinstance(x, SparseTensor))


class Crosses:
    """The indices of the values in each cross. The last feature varies fastest.

    Raises:
        InvalidArgumentError: If a feature is not a matrix, or the numbers of rows differ.
    """

    def __init__(self, features: Sequence[Any]) -> None:
        self.features = [_Feature(x) for x in features]
        sizes = {f.rows for f in self.features}
        if len(sizes) > 1:
            raise invalid(
                "cross",
                "Expected batch sizes to be equal: inputs must all have the same batch dimension "
                f"size, got {sorted(sizes)}",
            )
        self.counts = np.prod([f.counts for f in self.features], axis=0, dtype=np.intp)
        self._owners = np.repeat(np.arange(self.counts.size), self.counts)
        starts = np.cumsum(self.counts) - self.counts
        self._places = np.arange(self._owners.size) - starts[self._owners]

    def picked(self) -> list[Array]:
        """Return for each feature the index of its value in every cross."""
        rest, found = self._places, []
        for feature in reversed(self.features):
            each = feature.counts[self._owners]
            found.append(feature.starts[self._owners] + rest % each)
            rest = rest // each
        return found[::-1]

    def joined(self, mark: bytes) -> Tensor:
        """Return the values of every cross as one string."""
        picked = self.picked()

        def joined(values: Sequence[Array]) -> Array:
            said = [_texts(v) for v in values]
            columns = [[t[i] for i in at.tolist()] for t, at in zip(said, picked, strict=True)]
            out = np.empty(len(columns[0]), object)
            out[:] = [mark.join(parts) for parts in zip(*columns, strict=True)]
            return out

        return self._map(joined, dtypes.string)

    def hashed(
        self,
        num_buckets: int,
        hash_key: int | None,
        fingerprints: Callable[[Array], Array] = _fingerprints,
    ) -> Tensor:
        """Return a hash of the values of every cross.

        Args:
            num_buckets: Number of different hashes; 0 for the largest integer of the result.
            hash_key: Integer to which the values are added. Default: the first value itself.
            fingerprints: Function that returns a 64-bit word for each value of a feature.

        Raises:
            InvalidArgumentError: If `num_buckets` is out of the range of the result's dtype.
        """
        least = 0 if dtypes.X64 else 1
        if not least <= num_buckets <= _MOST:
            raise invalid(
                "cross_hashed",
                f"num_buckets must be in [{least}, {_MOST}], as hashes are {dtypes.int64.name}, "
                f"got {num_buckets}; set TFPY_ENABLE_X64 for longer hashes",
            )
        modulus = np.uint64(num_buckets or dtypes.int64.max)
        picked = self.picked()

        def hashed(values: Sequence[Array]) -> Array:
            columns = [fingerprints(v)[at] for v, at in zip(values, picked, strict=True)]
            if hash_key is not None:
                columns.insert(0, np.full(picked[0].size, hash_key, np.uint64))
            words = functools.reduce(concatenated, columns)
            return (words % modulus).astype(dtypes.int64.as_numpy_dtype)

        return self._map(hashed, dtypes.int64)

    def _map(self, function: Callable[[Sequence[Array]], Array], dtype: dtypes.DType) -> Tensor:
        """Compute a value for every cross from the values of the features."""

        def values(*tensors: Tensor) -> list[Tensor]:
            return [constant(function([t.host_view() for t in tensors]))]

        aval = Aval(self._owners.shape, dtype)
        return on_host(values, [f.values for f in self.features], [aval])[0]

    def sparse(self, found: Tensor) -> SparseTensor:
        """Return a sparse tensor of the values of all crosses."""
        indices = np.column_stack([self._owners, self._places])
        shape = [self.counts.size, int(self.counts.max(initial=0))]
        return made(indices, found, shape)


def _empty(dtype: dtypes.DType) -> SparseTensor:
    return made([], constant([], dtype), (0, 0))


def cross(
    inputs: Sequence[TensorLike], name: str | None = None, separator: str | TensorLike | None = None
) -> SparseTensor:
    """Create feature crosses by joining values of the same row into strings.

    In each row, every value of the first matrix is combined with every value of the other matrices.

    Args:
        inputs: List of sparse and dense matrices of strings or integers with the same number of
            rows. In the resulting strings, the values of sparse matrices come before the values of
            dense matrices.
        separator: String between the joined values. Default: `"_X_"`.

    Returns:
        Sparse string matrix with one row for each row of the inputs. Within a row, the value of the
        last input varies fastest.

    Raises:
        TypeError: If `inputs` is not a list of tensors.
        tf.errors.InvalidArgumentError: If an input is not a matrix, or the numbers of rows differ.

    Example:
        >>> import tfpy as tf
        >>> letters, ends = tf.constant([["a"], ["b"]]), tf.constant([["x", "y"], ["z", "z"]])
        >>> crossed = tf.sparse.cross([letters, ends])
        >>> crossed.values.numpy().tolist()
        [b'a_X_x', b'a_X_y', b'b_X_z', b'b_X_z']

    See also: `tf.sparse.cross_hashed`.
    """
    features = _ordered(inputs)
    if not features:
        return _empty(dtypes.string)
    crosses = Crosses(features)
    by = "_X_" if separator is None else separator
    mark = by.encode() if isinstance(by, str) else bytes(constant(by).host_view().item())
    return crosses.sparse(crosses.joined(mark))


def cross_hashed(
    inputs: Sequence[TensorLike],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Create feature crosses by hashing combinations of values of the same row.

    In each row, every value of the first matrix is combined with every value of the other matrices.

    Args:
        inputs: List of sparse and dense matrices of strings or integers with the same number of
            rows.
        num_buckets: Number of buckets. The hashes are taken modulo this number. The default, 0,
            returns hashes of 63 bits and requires that the environment variable `TFPY_ENABLE_X64`
            is set.
        hash_key: Integer that selects the hash function. Default: the default key of TensorFlow.

    Returns:
        Sparse int64 matrix with one row for each row of the inputs. Within a row, the value of the
        last input varies fastest. Unless the environment variable `TFPY_ENABLE_X64` is set, the
        dtype is int32.

    Raises:
        TypeError: If `inputs` is not a list of tensors.
        tf.errors.InvalidArgumentError: If an input is not a matrix, the numbers of rows differ, or
            `num_buckets` is out of the range of the result's dtype.

    Example:
        >>> import tfpy as tf
        >>> letters = tf.sparse.from_dense([["a"], ["b"]])
        >>> ends = tf.sparse.from_dense([["x", "y"], ["z", "z"]])
        >>> tf.sparse.cross_hashed([letters, ends], num_buckets=100).values.numpy().tolist()
        [92, 47, 60, 60]

    See also: `tf.sparse.cross`, `tf.strings.to_hash_bucket_fast`.
    """
    features = _ordered(inputs)
    if not features:
        return _empty(dtypes.int64)
    crosses = Crosses(features)
    return crosses.sparse(crosses.hashed(num_buckets, hash_key or HASH_KEY))
