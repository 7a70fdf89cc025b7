"""Cross entropies and other losses of ``tf.nn``."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src import dtypes
from tfpy._src.array.making import broadcast_to, cast, expand_dims, reshape
from tfpy._src.autodiff.custom import custom_gradient
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import InvalidArgumentError, invalid_value
from tfpy._src.math import reductions
from tfpy._src.nn.activations import log_softmax
from tfpy._src.ops import activation, elementwise as ew, indexing
from tfpy._src.ops.families import infer


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """-sum(labels * log_softmax(logits)) along an axis.

    The gradient of the logits is softmax(logits) - labels, as if each row's labels had the sum 1.

    Raises:
        InvalidArgumentError: when the shapes do not broadcast.
    """
    x, y = as_tensors(ew.add, (logits, labels))
    if y.aval.shape != x.aval.shape:
        shape = infer.broadcast_shapes(
            "softmax_cross_entropy_with_logits", y.aval.shape, x.aval.shape
        )
        y, x = broadcast_to(y, shape), broadcast_to(x, shape)
    loss: Tensor = _cross_entropy(y, x, axis=axis)
    return loss


@custom_gradient
def _cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Any:
    scores = log_softmax(logits, axis)

    def grad(g: Tensor) -> tuple[Tensor, Tensor]:
        upstream = expand_dims(g, axis)
        return -(upstream * scores), upstream * (ew.exp(scores) - labels)

    return -reductions.reduce_sum(labels * scores, axis), grad


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """Cross entropy of integer labels ``[...]`` and logits ``[..., classes]``.

    Raises:
        ValueError: when the shapes do not go together.
        InvalidArgumentError: on cpu, for a label that is no class; its loss is 0 on other backends.
    """
    ids, x = convert_to_tensor(labels), convert_to_tensor(logits)
    if tuple(ids.aval.shape) != tuple(x.aval.shape[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={ids.shape} and logits.shape={x.shape}"
        )
    classes = x.aval.shape[-1]
    scores = reshape(log_softmax(x), [-1, classes])
    try:
        picked = (
            indexing.gather(scores, reshape(ids, [-1]), axis=1, batch_dims=0)
            if x.ndim == 1
            else indexing.gather(scores, reshape(ids, [ids.size, 1]), axis=1, batch_dims=1)
        )
    except InvalidArgumentError:
        if not ids.has_values or not ids.dtype.is_integer:
            raise
        raise invalid_value(
            "sparse_softmax_cross_entropy_with_logits",
            f"Received a label value which is outside the valid range of [0, {classes}). "
            f"Label values: {ids.host_view().reshape(-1)}",
        ) from None
    return -reshape(picked, ids.aval.shape)


def _of_one_shape(**operands: Any) -> tuple[Tensor, Tensor]:
    """What is wanted and what is predicted as tensors."""
    wanted, predicted = as_tensors(ew.add, tuple(operands.values()))
    if wanted.aval.shape != predicted.aval.shape:
        first, second = operands
        raise ValueError(
            f"`{second}` and `{first}` must have the same shape, received {predicted.shape} and "
            f"{wanted.shape}"
        )
    return wanted, predicted


@per_value
def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """Cross entropy of independent classes: log(1 + exp(x)) - x * z.

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    return activation.softplus(x) - x * z


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2.

    Raises:
        InvalidArgumentError: when ``t`` is not of floats.
    """
    x = convert_to_tensor(t)
    infer.check_dtype("l2_loss", x.aval, infer.FLOAT, "t")
    return reductions.reduce_sum(ew.square(x)) * 0.5


def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """Sigmoid cross entropy in which positive labels count ``pos_weight`` times.

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    weight = 1 + (pos_weight - 1) * z
    return ew.add((1 - z) * x, weight * (ew.log1p(ew.exp(-ew.abs_(x))) + activation.relu(-x)))


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """exp(log_input) - targets * log_input, and Stirling's log(targets!) if asked for.

    Raises:
        ValueError: when the shapes differ.
    """
    z, x = _of_one_shape(targets=targets, log_input=log_input)
    loss = ew.exp(x) - x * z
    if not compute_full_loss:
        return loss
    small = ew.logical_and(z >= 0, z <= 1)
    safe = ew.select(small, 1.0, z)
    factorial = safe * ew.log(safe) - safe + 0.5 * ew.log(2 * math.pi * safe)
    return loss + ew.select(small, 0.0, factorial)


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """Sum of weighted losses divided by the batch size; 0 for a batch of 0.

    Raises:
        ValueError: for a loss without a batch dimension.
        TypeError: when the batch size is no integer.
        InvalidArgumentError: when it is negative.
    """
    loss = cast(per_example_loss, dtypes.float32)
    if not loss.ndim:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={per_example_loss} with rank 0"
        )
    if sample_weight is not None:
        weight = convert_to_tensor(sample_weight, dtypes.float32)
        extra = [1] * (loss.ndim - weight.ndim)
        loss = loss * reshape(weight, [*weight.aval.shape, *extra])
    size = loss.aval.shape[0] if global_batch_size is None else global_batch_size
    count = convert_to_tensor(size)
    if not count.dtype.is_integer:
        raise TypeError(f"global_batch_size must be an integer, got {count.dtype}")
    if type(count) is Tensor and count.host_view() < 0:
        raise invalid_value("compute_average_loss", "global_batch_size must be non-negative.")
    return ew.divide_no_nan(reductions.reduce_sum(loss), cast(count, dtypes.float32))


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of regularization losses: one replica has all of it."""
    return reductions.reduce_sum(regularization_loss)
