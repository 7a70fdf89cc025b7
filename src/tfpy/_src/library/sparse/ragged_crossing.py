"""`tf.ragged`: crosses of ragged features, and rows that are filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.reference.hash import HASH_KEY
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.operand import with_composites
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.library.sparse.crossing import Crosses
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, from_value
from tfpy._src.tensors.math.reductions import reduce_sum


class RaggedFillEmptyRows(NamedTuple):
    """The result of `tf.ragged_fill_empty_rows`."""

    output_value_rowids: Tensor
    output_values: Tensor
    empty_row_indicator: Tensor
    reverse_index_map: Tensor


class RaggedFillEmptyRowsGrad(NamedTuple):
    """The result of `tf.ragged_fill_empty_rows_grad`."""

    d_values: Tensor
    d_default_value: Tensor


def cross(inputs: Sequence[TensorLike], name: str | None = None) -> RaggedTensor:
    """Create feature crosses by joining values of the same row into strings.

    In each row, every value of the first input is combined with every value of the other inputs.

    Args:
        inputs: List of ragged, sparse and dense matrices of strings or integers with the same
            number of rows.

    Returns:
        Ragged string tensor of shape `[rows, None]`. The values of a cross are joined by `"_X_"` in
        the order of the inputs. Within a row, the value of the last input varies fastest.

    Raises:
        TypeError: If `inputs` is not a list.
        ValueError: If a ragged input is not a matrix, or an input has another dtype.
        tf.errors.InvalidArgumentError: If a dense or sparse input is not a matrix, or the numbers
            of rows differ.

    Example:
        >>> import tfpy as tf
        >>> words, sizes = tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([[1], [2]])
        >>> tf.ragged.cross([words, sizes]).to_list()
        [[b'a_X_1'], [b'b_X_2', b'c_X_2']]

    See also: `tf.ragged.cross_hashed`, `tf.sparse.cross`.
    """
    if not (features := _features(inputs)):
        return RaggedTensor.from_row_splits(constant([], dtypes.string), [0])
    crosses = Crosses(features)
    return _rows(crosses, crosses.joined(b"_X_"))


def cross_hashed(
    inputs: Sequence[TensorLike],
    num_buckets: int = 0,
    hash_key: int | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """Create feature crosses by hashing combinations of values of the same row.

    Args:
        inputs: List of ragged, sparse and dense matrices of strings or integers with the same
            number of rows.
        num_buckets: Number of buckets. The hashes are taken modulo this number. The default, 0,
            returns hashes of 63 bits and requires that the environment variable `TFPY_ENABLE_X64`
            is set.
        hash_key: Integer that selects the hash function. Default: the default key of TensorFlow.

    Returns:
        Ragged int64 tensor of shape `[rows, None]`. Unless the environment variable
        `TFPY_ENABLE_X64` is set, the dtype is int32.

    Raises:
        TypeError: If `inputs` is not a list.
        ValueError: If a ragged input is not a matrix, or an input has another dtype.
        tf.errors.InvalidArgumentError: If a dense or sparse input is not a matrix, the numbers of
            rows differ, or `num_buckets` is out of the range of the result's dtype.

    Example:
        >>> import tfpy as tf
        >>> words, sizes = tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([[1], [2]])
        >>> tf.ragged.cross_hashed([words, sizes], num_buckets=10).row_lengths().numpy().tolist()
        [1, 2]

    See also: `tf.ragged.cross`, `tf.sparse.cross_hashed`.
    """
    if not (features := _features(inputs)):
        return RaggedTensor.from_row_splits(constant([], dtypes.int64), [0])
    crosses = Crosses(features)
    return _rows(crosses, crosses.hashed(num_buckets, HASH_KEY if hash_key is None else hash_key))


def _features(inputs: Any) -> list[Any]:
    """Convert the inputs to tensors and check them."""
    if not isinstance(inputs, list | tuple):
        raise TypeError("Inputs must be a list")
    found = [_feature(x) for x in map(with_composites, inputs)]
    for i, x in enumerate(found):
        if x.shape.rank != 2:
            refused = "tf.ragged.cross only supports inputs with rank=2"
            raise ValueError(refused) if isinstance(x, RaggedTensor) else invalid("cross", refused)
        if x.dtype != dtypes.string and not x.dtype.is_integer:
            raise ValueError(f"Unexpected dtype for inputs[{i}]: {x.dtype!r}")
    return found


def _feature(value: Any) -> Any:
    """Return a ragged, sparse or dense tensor."""
    found = from_value(value)
    return found if isinstance(found, RaggedTensor | SparseTensor) else convert_to_tensor(found)


def _rows(crosses: Crosses, values: Tensor) -> RaggedTensor:
    return RaggedTensor.from_row_lengths(values, constant(crosses.counts.astype(np.int32)))


def ragged_fill_empty_rows(
    value_rowids: TensorLike,
    values: TensorLike,
    nrows: IntLike,
    default_value: TensorLike,
    name: str | None = None,
) -> RaggedFillEmptyRows:
    """Insert a default value into each empty row of a ragged tensor.

    Args:
        value_rowids: Integer tensor of shape `[n]` with the row of each value.
        values: Tensor of shape `[n]` with the values.
        nrows: Number of rows.
        default_value: Scalar that fills empty rows.

    Returns:
        Named tuple of four tensors: `output_value_rowids`, an int64 tensor with the rows of the new
        values; `output_values`, the values; `empty_row_indicator`, a bool tensor of shape
        `[nrows]`; and `reverse_index_map`, an int64 tensor of shape `[n]` with the new positions of
        the old values.

    Raises:
        tf.errors.InvalidArgumentError: If a row is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.ragged_fill_empty_rows([0, 2], [5, 6], 3, 9).output_values.numpy().tolist()
        [5, 9, 6]

    See also: `tf.sparse.fill_empty_rows`.
    """
    rows, count = np.asarray(host_values(value_rowids)), static_int(nrows)
    if rows.size and not 0 <= rows.min() <= rows.max() < count:
        raise invalid("ragged_fill_empty_rows", f"value_rowids must be in [0, {count}), got {rows}")
    empty = np.bincount(rows, minlength=count) == 0
    added = np.flatnonzero(empty)
    joined = np.concatenate([rows, added])
    order = np.argsort(joined, kind="stable").astype(np.int32)
    old = convert_to_tensor(values)
    default = convert_to_tensor(default_value, old.dtype)
    filling = gather(reshape(default, [1]), constant(np.zeros(added.size, np.int32)), axis=0)
    found = gather(concat([old, filling], 0), constant(order), axis=0)
    back = np.argsort(order, kind="stable")[: rows.size]
    return RaggedFillEmptyRows(
        convert_to_tensor(joined[order], dtypes.int64),
        found,
        constant(empty),
        convert_to_tensor(back, dtypes.int64),
    )


def ragged_fill_empty_rows_grad(
    reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None
) -> RaggedFillEmptyRowsGrad:
    """Compute the gradients of `tf.ragged_fill_empty_rows`.

    Args:
        reverse_index_map: Result of `tf.ragged_fill_empty_rows`.
        grad_values: Float tensor, the gradient of the filled values.

    Returns:
        Named tuple of two tensors: the gradients of the values and of the default value.

    Example:
        >>> import tfpy as tf
        >>> grads = tf.ragged_fill_empty_rows_grad([0, 2], [1.0, 2.0, 3.0])
        >>> grads.d_values.numpy().tolist(), grads.d_default_value.numpy().item()
        ([1.0, 3.0], 2.0)

    See also: `tf.ragged_fill_empty_rows`.
    """
    grad, back = convert_to_tensor(grad_values), np.asarray(host_values(reverse_index_map))
    op = "fill_empty_rows_grad"
    if back.ndim != 1:
        raise invalid(op, f"reverse_index_map must be a vector, saw: {list(back.shape)}")
    if grad.ndim != 1:
        raise invalid(op, f"grad_values must be a vector, saw: {list(grad.aval.shape)}")
    rows = grad.aval.shape[0]
    for index in back[(back < 0) | (back >= rows)].tolist():
        raise invalid(op, f"Elements in reverse index must be in [0, {rows}) but got {index}")
    added = np.setdiff1d(np.arange(rows), back).astype(np.int32)
    return RaggedFillEmptyRowsGrad(
        gather(grad, back, axis=0), reduce_sum(gather(grad, constant(added), axis=0))
    )
