"""`tf.nn`: losses that compare the labels with some of very many classes."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.candidates.samplers import log_uniform_candidate_sampler
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast, ones_like, zeros_like
from tfpy._src.tensors.array.reshaping import expand_dims, reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_any, reduce_sum
from tfpy._src.tensors.nn.embeddings import embedding_lookup
from tfpy._src.tensors.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)

_LOWEST = -3.4028234663852886e38
Sampled = Sequence[TensorLike]
"""The three tensors of a candidate sampler."""


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sampled | None = None,
    remove_accidental_hits: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the loss of noise-contrastive estimation.

    For training a classifier with very many classes: the loss is the sigmoid cross entropy of the
    labels and of some other classes, which are drawn at random.

    Args:
        weights: Float tensor of shape `[num_classes, dim]`, or a list of tensors as in
            `tf.nn.embedding_lookup`.
        biases: Float tensor of shape `[num_classes]`.
        labels: Integer tensor of shape `[batch_size, num_true]`.
        inputs: Float tensor of shape `[batch_size, dim]`.
        num_sampled: Number of classes to draw for the batch.
        num_classes: Number of classes.
        num_true: Number of labels of each example.
        sampled_values: Result of a candidate sampler such as
            `tf.random.uniform_candidate_sampler`. Default:
            `tf.random.log_uniform_candidate_sampler`, for classes in the order of their frequency.
        remove_accidental_hits: True if drawn classes that are labels of an example must not count
            as wrong for it.

    Returns:
        Float tensor of shape `[batch_size]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> drawn = tf.random.all_candidate_sampler([[1]], 1, 3, True)
        >>> weights, biases, x = tf.zeros([3, 2]), tf.zeros([3]), tf.ones([1, 2])
        >>> loss = tf.nn.nce_loss(weights, biases, [[1]], x, 3, 3, sampled_values=drawn)
        >>> print(loss.numpy().round(3))
        [2.773]

    See also: `tf.nn.sampled_softmax_loss`, `tf.random.log_uniform_candidate_sampler`.
    """
    logits, targets = _logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, None,
    )  # fmt: skip
    return reduce_sum(sigmoid_cross_entropy_with_logits(targets, logits), 1)


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sampled | None = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the softmax cross entropy between the labels and some of the classes.

    For training a classifier with very many classes. The loss is an estimate of the cross entropy
    over all classes, and usually smaller.

    Args:
        weights: Float tensor of shape `[num_classes, dim]`, or a list of tensors as in
            `tf.nn.embedding_lookup`.
        biases: Float tensor of shape `[num_classes]`.
        labels: Integer tensor of shape `[batch_size, num_true]`.
        inputs: Float tensor of shape `[batch_size, dim]`.
        num_sampled: Number of classes to draw for the batch.
        num_classes: Number of classes.
        num_true: Number of labels of each example.
        sampled_values: Result of a candidate sampler such as
            `tf.random.uniform_candidate_sampler`. Default:
            `tf.random.log_uniform_candidate_sampler`, for classes in the order of their frequency.
        remove_accidental_hits: True if drawn classes that are labels of an example must not count
            as wrong for it.
        seed: Seed for drawing the classes.

    Returns:
        Float tensor of shape `[batch_size]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> drawn = tf.random.all_candidate_sampler([[1]], 1, 3, True)
        >>> weights, biases, x = tf.zeros([3, 2]), tf.zeros([3]), tf.ones([1, 2])
        >>> loss = tf.nn.sampled_softmax_loss(
        ...     weights, biases, [[1]], x, 3, 3, sampled_values=drawn)
        >>> print(loss.numpy().round(3))
        [1.099]

    See also: `tf.nn.nce_loss`, `tf.nn.softmax_cross_entropy_with_logits`.
    """
    logits, targets = _logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, seed,
    )  # fmt: skip
    return softmax_cross_entropy_with_logits(stop_gradient(targets), logits)


def _logits(
    weights: TensorLike, biases: TensorLike, labels: TensorLike, inputs: TensorLike,
    num_sampled: int, num_classes: int, num_true: int, sampled_values: Sampled | None,
    remove_accidental_hits: bool, seed: int | None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the logits of the labels and of the drawn classes, and the targets.

    The logarithms of the expected counts are subtracted, so that frequent classes do not count
    more.
    """
    true, x = cast(convert_to_tensor(labels), dtypes.int64), convert_to_tensor(inputs)
    if true.ndim != 2 or true.aval.shape[1] != num_true:
        raise invalid(
            "sampled_loss",
            f"labels has the shape {list(true.aval.shape)}, not [batch_size, {num_true}]",
        )
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            true, num_true, num_sampled, True, num_classes, seed
        )
    drawn, of_labels, of_drawn = (stop_gradient(convert_to_tensor(s)) for s in sampled_values)
    drawn = cast(drawn, dtypes.int64)
    batch, count = true.aval.shape[0], drawn.aval.shape[0]
    ids = concat([reshape(true, [-1]), drawn], 0)
    rows = cast(embedding_lookup(weights, ids), x.dtype)
    offsets = cast(embedding_lookup(biases, ids), x.dtype)
    first = batch * num_true
    of_true = reshape(rows[:first], [batch, num_true, rows.aval.shape[1]])
    true_logits = reduce_sum(expand_dims(x, 1) * of_true, -1)
    true_logits += reshape(offsets[:first], [batch, num_true])
    other_logits = matmul(x, rows[first:], transpose_b=True) + offsets[first:]
    if remove_accidental_hits:
        hits = reduce_any(expand_dims(true, 2) == reshape(drawn, [1, 1, count]), 1)
        other_logits += where(hits, cast(_LOWEST, x.dtype), cast(0.0, x.dtype))
    true_logits -= ew.log(of_labels)
    other_logits -= ew.log(of_drawn)
    targets = [ones_like(true_logits) / num_true, zeros_like(other_logits)]
    return concat([true_logits, other_logits], 1), concat(targets, 1)
