"""`tf.random`: samplers of candidate classes for training with very many classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.core.byte_strings import as_str
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import PathLike, TensorLike
from tfpy._src.functions.control.effects import numpy_function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.candidates import drawing
from tfpy._src.library.candidates.drawing import Array, ClassDistribution
from tfpy._src.library.io.file_objects import GFile
from tfpy._src.tensors.array.making import ones
from tfpy._src.tensors.array.ranges import range as tensor_range
from tfpy._src.tensors.random.streams import Seed, reserve


class LogUniformCandidateSampler(NamedTuple):
    """The result of `tf.random.log_uniform_candidate_sampler`."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class UniformCandidateSampler(NamedTuple):
    """The result of `tf.random.uniform_candidate_sampler`."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class FixedUnigramCandidateSampler(NamedTuple):
    """The result of `tf.random.fixed_unigram_candidate_sampler`."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class AllCandidateSampler(NamedTuple):
    """The result of `tf.random.all_candidate_sampler`."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Seed = None,
    name: str | None = None,
) -> UniformCandidateSampler:
    """Draw classes that all have the same probability.

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
        >>> drawn = tf.random.uniform_candidate_sampler([[3]], 1, 2, True, 4, seed=1)
        >>> drawn.sampled_candidates.shape, drawn.true_expected_count.shape
        (TensorShape([2]), TensorShape([1, 1]))

    See also: `tf.random.log_uniform_candidate_sampler`, `tf.nn.sampled_softmax_loss`.
    """
    return UniformCandidateSampler(
        *sampled_classes(
            "uniform",
            drawing.uniform(size_of(range_max)),
            true_classes,
            num_true,
            num_sampled,
            unique,
            seed,
        )
    )


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Seed = None,
    name: str | None = None,
) -> LogUniformCandidateSampler:
    """Draw classes from an approximately log-uniform distribution, as in Zipf's law.

    The probability of a class is `(log(class + 2) - log(class + 1)) / log(range_max + 1)`. So this
    is useful if classes are sorted by decreasing frequency, such as the words of a vocabulary.

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
        >>> drawn = tf.random.log_uniform_candidate_sampler([[3]], 1, 2, True, 100, seed=1)
        >>> drawn.sampled_candidates.shape
        TensorShape([2])

    See also: `tf.nn.nce_loss`, `tf.nn.sampled_softmax_loss`.
    """
    return LogUniformCandidateSampler(
        *sampled_classes(
            "log_uniform",
            drawing.log_uniform(size_of(range_max)),
            true_classes,
            num_true,
            num_sampled,
            unique,
            seed,
        )
    )


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: PathLike = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: Seed = None,
    name: str | None = None,
) -> FixedUnigramCandidateSampler:
    """Draw classes with given weights.

    Args:
        true_classes: Integer tensor of shape `[batch_size, num_true]`, the labels. They can be
            among the drawn classes.
        num_true: Number of labels of each example.
        num_sampled: Number of classes to draw. With `unique`, at most `range_max`.
        unique: True if each class is drawn at most once.
        range_max: Number of classes.
        vocab_file: Path of a file with one class per line. The weight is the text after the last
            comma. Pass either this or `unigrams`.
        distortion: Power to which the weights are raised. 0 results in equal probabilities.
        num_reserved_ids: Number of classes at the beginning that are not drawn and have no weight.
        num_shards: Number of parts into which the classes are divided.
        shard: Index of the part whose classes are drawn.
        unigrams: Weights of the classes.
        seed: Integer that makes a run of the program reproducible. Default: the numbers differ
            between runs unless `tf.random.set_seed` was called.

    Returns:
        Named tuple of three tensors: `sampled_candidates`, an int64 tensor of shape
        `[num_sampled]`; `true_expected_count`, a float32 tensor of the shape of `true_classes`
        with the expected numbers of the labels in a draw; and `sampled_expected_count`, a float32
        tensor of shape `[num_sampled]` with those of the drawn classes.

    Raises:
        tf.errors.InvalidArgumentError: If not exactly one of `vocab_file` and `unigrams` is passed,
            if the number of weights is not `range_max`, or if another argument is out of range.

    Example:
        >>> import tfpy as tf
        >>> drawn = tf.random.fixed_unigram_candidate_sampler(
        ...     [[1]], 1, 2, False, 3, unigrams=[0.0, 1.0, 0.0])
        >>> drawn.sampled_candidates.numpy().tolist(), drawn.true_expected_count.numpy().tolist()
        ([1, 1], [[2.0]])

    See also: `tf.random.log_uniform_candidate_sampler`, `tf.nn.nce_loss`.
    """
    op = "fixed_unigram_candidate_sampler"
    if bool(vocab_file) == bool(len(unigrams)):
        raise invalid(op, "pass exactly one of vocab_file and unigrams")
    weights = [float(w) for w in unigrams] if len(unigrams) else _weights_of(vocab_file)
    full = [0.0] * num_reserved_ids + [w**distortion for w in weights]
    part = np.array([w for n, w in enumerate(full) if n % num_shards == shard], np.float32)
    if len(full) != range_max or not part.sum() > 0:
        raise invalid(
            op,
            f"there are {len(full)} weights with the sum {part.sum()}, but range_max={range_max} "
            "positive weights are needed",
        )
    return FixedUnigramCandidateSampler(
        *sampled_classes(
            op, drawing.weighted(part), true_classes, num_true, num_sampled, unique, seed
        )
    )


def _weights_of(path: PathLike) -> list[float]:
    """Return the numbers after the last commas of the lines of a file."""
    with GFile(path, "r") as file:
        return [float(line.rpartition(",")[2]) for line in as_str(file.read()).splitlines() if line]


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: Seed = None,
    name: str | None = None,
) -> AllCandidateSampler:
    """Return all classes, for comparisons with samplers that draw some of them.

    Args:
        true_classes: Integer tensor of shape `[batch_size, num_true]`, the labels.
        num_true: Number of labels of each example.
        num_sampled: Number of classes.
        unique: Has no effect.
        seed: Has no effect.

    Returns:
        Named tuple of three tensors: `sampled_candidates`, the int64 tensor of all classes;
        `true_expected_count`, float32 ones of the shape of `true_classes`; and
        `sampled_expected_count`, float32 ones of shape `[num_sampled]`.

    Raises:
        tf.errors.InvalidArgumentError: If `true_classes` does not have the shape
            `[batch_size, num_true]`.

    Example:
        >>> import tfpy as tf
        >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy().tolist()
        [0, 1, 2]

    See also: `tf.random.uniform_candidate_sampler`.
    """
    labels = labels_of(true_classes, num_true)
    every = tensor_range(size_of(num_sampled), dtype=dtypes.int64)
    return AllCandidateSampler(every, ones(labels.aval.shape), ones([num_sampled]))


def size_of(range_max: int) -> int:
    if int(range_max) < 1:
        raise invalid("candidate_sampler", f"the number of classes is {range_max}, not positive")
    return int(range_max)


def labels_of(true_classes: TensorLike, num_true: int) -> Tensor:
    labels = convert_to_tensor(true_classes, dtypes.int64)
    if labels.ndim != 2 or labels.aval.shape[1] != num_true:
        raise invalid(
            "candidate_sampler",
            f"true_classes has the shape {list(labels.aval.shape)}, not [batch_size, {num_true}]",
        )
    return labels


def sampled_classes(
    kind: str, distribution: ClassDistribution, true_classes: TensorLike, num_true: int,
    num_sampled: int, unique: bool, seed: Seed,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Draw classes now, or at each call of a trace."""
    count, size = int(num_sampled), distribution.size
    if unique and count > size:
        raise invalid(
            "candidate_sampler", f"num_sampled={count} unique classes of range_max={size} classes"
        )
    labels = labels_of(true_classes, num_true)
    stream = f"{kind} {num_true} {count} {unique} {size}"
    state = reserve(stream, dtypes.int32, seed, count * drawing.COUNTERS)
    if not isinstance(state, Tensor):
        found = drawing.candidates(distribution, state, labels.numpy(), count, unique)
        drawn, of_labels, of_drawn = found
        return (
            convert_to_tensor(drawn, dtypes.int64),
            convert_to_tensor(of_labels),
            convert_to_tensor(of_drawn),
        )

    def call(words: Array, ids: Array) -> tuple[Array, Array, Array]:
        drawn, of_labels, of_drawn = drawing.candidates(distribution, words, ids, count, unique)
        return drawn.astype(dtypes.int64.as_numpy_dtype), of_labels, of_drawn

    specs: list[Any] = [
        TensorSpec([count], dtypes.int64),
        TensorSpec(labels.aval.shape, dtypes.float32),
        TensorSpec([count], dtypes.float32),
    ]
    drawn, of_labels, of_drawn = numpy_function(call, [state, labels], specs)
    return drawn, of_labels, of_drawn
