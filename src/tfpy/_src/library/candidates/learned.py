"""`tf.random.learned_unigram_candidate_sampler`, and classes that are drawn by accident."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.candidates.drawing import ClassDistribution, learned
from tfpy._src.library.candidates.samplers import labels_of, sampled_classes, size_of
from tfpy._src.tensors.random.streams import Seed, times_set

_LOWEST = float(np.finfo(np.float32).min)
_known: dict[tuple[object, ...], ClassDistribution] = {}
"""Distributions of the calls since the last `set_seed`."""


class LearnedUnigramCandidateSampler(NamedTuple):
    """The result of `tf.random.learned_unigram_candidate_sampler`."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class ComputeAccidentalHits(NamedTuple):
    """The result of `tf.nn.compute_accidental_hits`."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Seed = None,
    name: str | None = None,
) -> LearnedUnigramCandidateSampler:
    """Draw classes from the distribution of the labels of earlier calls.

    At first, all classes have the same weight. Each call adds 1 to the weights of its labels, after
    it has drawn its classes. Calls with the same arguments share the weights, until
    `tf.random.set_seed` is called.

    Args:
        true_classes: Integer tensor of shape `[batch_size, num_true]`, the labels. They can be
            among the drawn classes.
        num_true: Number of labels of each example.
        num_sampled: Number of classes to draw. With `unique`, at most `range_max`.
        unique: True if each class is drawn at most once.
        range_max: Number of classes.
        seed: Integer that makes a run of the program reproducible. Default: the numbers differ
            between runs unless `tf.random.set_seed` was called.

    Returns:
        Named tuple of three tensors: `sampled_candidates`, an int64 tensor of shape
        `[num_sampled]`; `true_expected_count`, a float32 tensor of the shape of `true_classes`
        with the expected numbers of the labels in a draw; and `sampled_expected_count`, a float32
        tensor of shape `[num_sampled]` with those of the drawn classes.

    Raises:
        tf.errors.InvalidArgumentError: If `true_classes` does not have the shape
            `[batch_size, num_true]`, or if `num_sampled` is larger than `range_max` with `unique`.

    Example:
        >>> import tfpy as tf
        >>> drawn = tf.random.learned_unigram_candidate_sampler([[3]], 1, 2, True, 4, seed=1)
        >>> drawn.true_expected_count.shape
        TensorShape([1, 1])

    See also: `tf.random.uniform_candidate_sampler`, `tf.random.fixed_unigram_candidate_sampler`.
    """
    key = (times_set(), seed, num_true, num_sampled, unique, range_max)
    if key not in _known:
        for old in [k for k in _known if k[0] != key[0]]:
            del _known[old]
        _known[key] = learned(size_of(range_max))
    return LearnedUnigramCandidateSampler(
        *sampled_classes(
            "learned_unigram", _known[key], true_classes, num_true, num_sampled, unique, seed
        )
    )


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> ComputeAccidentalHits:
    """Find the drawn classes that are labels of an example.

    Such classes are not negative examples. The results are the components of a sparse tensor, which
    is added to the logits of the drawn classes, so that their probability becomes 0.

    Args:
        true_classes: Integer tensor of shape `[batch_size, num_true]`, the labels.
        sampled_candidates: Integer tensor of shape `[num_sampled]`, the drawn classes.
        num_true: Number of labels of each example.
        seed: Has no effect.

    Returns:
        Named tuple of three tensors of shape `[hits]`: `indices`, an int32 tensor with the numbers
        of the examples; `ids`, an int64 tensor with the positions of the drawn classes; and
        `weights`, a float32 tensor with the lowest number.

    Raises:
        tf.errors.InvalidArgumentError: If `true_classes` does not have the shape
            `[batch_size, num_true]`.

    Example:
        >>> import tfpy as tf
        >>> hits = tf.nn.compute_accidental_hits([[3], [5]], [5, 4, 3], num_true=1)
        >>> hits.indices.numpy().tolist(), hits.ids.numpy().tolist()
        ([0, 1], [2, 0])

    See also: `tf.nn.sampled_softmax_loss`.
    """
    labels: Array = np.asarray(host_values(labels_of(true_classes, num_true)))
    drawn: Array = np.asarray(host_values(convert_to_tensor(sampled_candidates)))
    if drawn.ndim != 1:
        raise invalid(
            "compute_accidental_hits", f"sampled_candidates must be a vector, got {drawn}"
        )
    last = {number: place for place, number in enumerate(drawn.tolist())}
    pairs = [
        (row, last[number])
        for row, numbers in enumerate(labels.tolist())
        for number in numbers
        if number in last
    ]
    found = np.array(pairs, np.int32).reshape(-1, 2)
    return ComputeAccidentalHits(
        constant(found[:, 0]),
        convert_to_tensor(found[:, 1], dtypes.int64),
        constant(np.full(len(pairs), _LOWEST, np.float32)),
    )
