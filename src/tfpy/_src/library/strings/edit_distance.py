"""`tf.edit_distance`: the Levenshtein distance of sequences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.functions.control.effects import numpy_function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Array = np.ndarray[Any, Any]
Sparse = SparseTensor | tuple[TensorLike, TensorLike, ShapeLike]
"""A sparse tensor, or a `SparseTensorValue`."""


def edit_distance(
    hypothesis: Sparse, truth: Sparse, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """Compute the Levenshtein distance between sequences.

    The distance is the least number of insertions, deletions and substitutions of elements that
    turn one sequence into the other.

    Args:
        hypothesis: `tf.SparseTensor` of rank at least 1. The last axis contains the sequences.
        truth: `tf.SparseTensor` of the same rank and dtype, with the reference sequences.
        normalize: True to divide each distance by the length of the reference. The result is then
            infinity for an empty reference, or 0 if both sequences are empty.

    Returns:
        Float32 tensor with the dimensions of the larger of the two shapes, except the last one.

    Raises:
        TypeError: If an argument is not a sparse tensor.
        tf.errors.InvalidArgumentError: If the ranks differ.

    Example:
        >>> import tfpy as tf
        >>> words = tf.sparse.from_dense([["b", "o", "a", "t"]])
        >>> tf.edit_distance(words, tf.sparse.from_dense([["c", "o", "t", ""]]), False).numpy()
        array([2.], dtype=float32)

    See also: `tf.nn.ctc_greedy_decoder`.
    """
    first, second = SparseTensor.from_value(hypothesis), SparseTensor.from_value(truth)
    sizes = list(zip(first.host_shape, second.host_shape, strict=False))[:-1]
    if not first.host_shape or not second.host_shape:
        raise invalid(
            "edit_distance",
            "Input SparseTensors must have rank at least 2, but hypothesis_shape rank is: "
            f"{len(first.host_shape)}, and truth_shape rank is: {len(second.host_shape)}",
        )
    if len(first.host_shape) != len(second.host_shape):
        raise invalid(
            "edit_distance",
            f"the shapes {first.host_shape} and {second.host_shape} have different ranks",
        )
    shape = [max(pair) for pair in sizes]

    def distances(places: Array, values: Array, other_places: Array, others: Array) -> Array:
        found = np.zeros(shape, np.float32)
        left, right = _sequences(places, values), _sequences(other_places, others)
        for place in {*left, *right}:
            found[place] = _distance(left.get(place, []), right.get(place, []), normalize)
        return found

    parts = [first.indices, first.values, second.indices, second.values]
    return numpy_function(distances, parts, TensorSpec(shape, dtypes.float32))


def _sequences(places: Array, values: Array) -> dict[tuple[int, ...], list[Any]]:
    """Return the nonempty sequences by their position."""
    found: dict[tuple[int, ...], list[Any]] = defaultdict(list)
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        found[tuple(place[:-1])].append(value)
    return found


def _distance(first: Sequence[Any], truth: Sequence[Any], normalize: bool) -> float:
    row = list(range(len(truth) + 1))
    for count, element in enumerate(first, 1):
        diagonal, row[0] = row[0], count
        for n, other in enumerate(truth, 1):
            change = diagonal + (element != other)
            diagonal, row[n] = row[n], min(change, row[n] + 1, row[n - 1] + 1)
    if not normalize:
        return row[-1]
    return row[-1] / len(truth) if truth else (np.inf if first else 0.0)
