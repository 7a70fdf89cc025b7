"""Distinct labels, and labels without repetitions."""

from __future__ import annotations

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.sets import unique


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> list[Tensor]:
    """Return the distinct labels of each row and the index of each label among them.

    Args:
        labels: Integer tensor of shape `[batch, longest]`.

    Returns:
        A list of two int32 tensors of shape `[batch, longest]`. The first one holds the distinct
        labels of each row in order of appearance, padded with zeros. The second one holds the index
        of each element of `labels` in the first one.

    Raises:
        tf.errors.InvalidArgumentError: If `labels` is not a matrix.

    Example:
        >>> import tfpy as tf
        >>> values, index = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
        >>> values.numpy().tolist(), index.numpy().tolist()
        ([[3, 4, 0, 0]], [[0, 1, 1, 0]])

    See also: `tf.nn.ctc_loss`, `tf.unique`.
    """
    x = convert_to_tensor(labels)
    if x.ndim != 2:
        raise invalid("ctc_unique_labels", f"labels must be a matrix, got {list(x.aval.shape)}")
    rows = [unique(row) for row in x.host_view()]
    found = np.zeros(x.aval.shape, np.int32)
    for out, row in zip(found, rows, strict=True):
        distinct = row.y.host_view()
        out[: distinct.size] = distinct
    places = np.array([row.idx.host_view() for row in rows], np.int32).reshape(found.shape)
    return [constant(found), constant(places)]


def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Merge consecutive equal labels in each row.

    The values are read back to Python, so the call waits for pending computations.

    Args:
        labels: Tensor of shape `[batch, longest]`.
        seq_length: Integer tensor of shape `[batch]` with the number of labels of each row.

    Returns:
        A tuple of a tensor of shape `[batch, new_longest]` with the merged labels, padded with
        zeros, and a tensor of shape `[batch]` with the new number of labels of each row.

    Raises:
        tf.errors.InvalidArgumentError: If `labels` is not a matrix, or the shape of `seq_length` is
            not `[batch]`.

    Example:
        >>> import tfpy as tf
        >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], seq_length=[5])
        >>> labels.numpy().tolist(), lengths.numpy().tolist()
        ([[1, 2, 1]], [3])

    See also: `tf.nn.ctc_loss`, `tf.nn.ctc_greedy_decoder`.
    """
    x, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    if x.ndim != 2 or tuple(lengths.aval.shape) != (x.aval.shape[0],):
        raise invalid(
            "collapse_repeated",
            f"labels must be a matrix and seq_length have an element for each row, got shapes "
            f"{list(x.aval.shape)} and {list(lengths.aval.shape)}",
        )
    array, limits = x.host_view(), lengths.host_view()
    kept = np.ones(array.shape, bool)
    kept[:, 1:] = array[:, 1:] != array[:, :-1]
    kept &= np.arange(array.shape[1]) < limits[:, None]
    counts = kept.sum(1)
    places = np.arange(counts.max(initial=0)) < counts[:, None]
    out = np.zeros(places.shape, array.dtype)
    out[places] = array[kept]
    return constant(out), constant(counts.astype(limits.dtype))
