"""Cross entropies and other losses of ``tf.nn``."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import activation, elementwise as ew, indexing, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape, squeeze, transpose
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.math import arithmetic, reductions
from tfpy._src.tensors.nn.activations import log_softmax
from tfpy._src.tensors.variables.distribution import scope


def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """-sum(labels * log_softmax(logits)) along an axis: in the shape of the logits without it.

    The gradient of the logits is softmax(logits) - labels, as if each row's labels had the sum 1.
    Of other shapes, labels and logits are broadcast as rows: of one, or of one element each.

    Raises:
        InvalidArgumentError: when the shapes do not go together.
        TypeError: when the axis is not one number.

    Example:
        >>> import tfpy as tf
        >>> labels, logits = [[1.0, 0.0]], [[100.0, 0.0]]
        >>> float(tf.nn.softmax_cross_entropy_with_logits(labels, logits)[0]) == 0.0
        True
    """
    given = convert_to_tensor(logits)
    x = cast(given, dtypes.float32) if given.dtype == dtypes.float16 else given
    y, at = cast(labels, x.dtype), -1 if axis is None else static_int(axis)
    if y.aval.shape == x.aval.shape:
        loss: Tensor = _cross_entropy(y, x, axis=at)
    else:
        loss = _broadcast_cross_entropy(y, x, at)
    return cast(loss, given.dtype)


def _broadcast_cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Tensor:
    op = "softmax_cross_entropy_with_logits"
    y, x = (_with_last(op, t, axis) for t in (labels, logits))
    lead = x.aval.shape[:-1]
    rows = [reshape(t, [math.prod(t.aval.shape[:-1]), t.aval.shape[-1]]) for t in (y, x)]
    shape = infer.broadcast_shapes(op, *(t.aval.shape for t in rows))
    if shape[0] != math.prod(lead):
        raise invalid(
            op,
            f"labels {list(labels.aval.shape)} must not have more rows than logits "
            f"{list(logits.aval.shape)}",
        )
    loss: Tensor = _cross_entropy(*(broadcast_to(t, shape) for t in rows), axis=-1)
    return reshape(loss, lead)


def _with_last(op: str, x: Tensor, axis: int) -> Tensor:
    """With the axis moved to the end."""
    at = infer.normalize_axis(op, axis, x.ndim)
    if not x.ndim:
        raise invalid(op, "labels and logits must not be scalars")
    return transpose(x, [*(i for i in range(x.ndim) if i != at), at])


@custom_gradient
def _cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Any:
    scores = log_softmax(logits, axis)

    def grad(g: Tensor) -> tuple[Tensor, Tensor]:
        upstream = expand_dims(g, axis)
        return -(upstream * scores), upstream * (ew.exp(scores) - labels)

    # The loss of scores that are 0 is 0.0: -x would be -0.0.
    return 0.0 - reductions.reduce_sum(labels * scores, axis), grad


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """Cross entropy of integer labels ``[...]`` and logits ``[..., classes]``.

    Raises:
        ValueError: when the shapes do not go together.
        InvalidArgumentError: On cpu and wasm, if a label is not in [0, classes). On other backends
            its loss and its row of the gradient are NaN, as in TensorFlow on GPUs.

    Example:
        >>> import tfpy as tf
        >>> logits = [[0.0, 0.0], [100.0, 0.0]]
        >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0, 0], logits).shape
        TensorShape([2])
    """
    ids, x = convert_to_tensor(labels), convert_to_tensor(logits)
    if not x.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={x}")
    if tuple(ids.aval.shape) != tuple(x.aval.shape[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={ids.shape} and logits.shape={x.shape}"
        )
    infer.check_dtype(_SPARSE, ids.aval, dtypes.INDICES, "labels")
    loss: Tensor = _sparse_cross_entropy(ids, x)
    return loss


_SPARSE = "sparse_softmax_cross_entropy_with_logits"


@custom_gradient
def _sparse_cross_entropy(labels: Tensor, logits: Tensor) -> Any:
    scores = log_softmax(logits)
    shape, classes = labels.aval.shape, logits.aval.shape[-1]
    count = math.prod(shape)
    picked = indexing.gather(
        reshape(scores, [count, classes]),
        reshape(labels, [count, 1]),
        axis=1,
        batch_dims=1,
        role=f"{_SPARSE}: labels",
    )
    is_class = logic.logical_and(labels >= 0, labels < classes)

    def grad(g: Tensor) -> tuple[None, Tensor]:
        numbers = indexing.range_(start=0, delta=1, count=classes, dtype=labels.dtype)
        is_label = logic.equal(expand_dims(labels, -1), numbers)
        slope = ew.exp(scores) - cast(is_label, logits.dtype)
        return None, expand_dims(g, -1) * logic.select(expand_dims(is_class, -1), slope, math.nan)

    # As in _cross_entropy, a loss is 0.0, not -0.0.
    return logic.select(is_class, 0.0 - reshape(picked, shape), math.nan), grad


def _of_one_shape(**operands: Any) -> tuple[Tensor, Tensor]:
    """What is wanted and what is predicted as tensors."""
    wanted, predicted = as_tensors(ew.add, tuple(operands.values()))
    if not wanted.shape.is_compatible_with(predicted.shape):
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

    Example:
        >>> import tfpy as tf
        >>> labels, logits = [1.0, 0.0], [2.0, 2.0]
        >>> tf.nn.sigmoid_cross_entropy_with_logits(labels, logits).numpy().round(3)
        array([0.127, 2.127], dtype=float32)
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    return activation.softplus(x) - x * z


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2.

    Raises:
        InvalidArgumentError: when ``t`` is not of floats.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.l2_loss([3.0, 4.0]).numpy().tolist()
        12.5
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

    Example:
        >>> import tfpy as tf
        >>> labels, logits = [1.0, 0.0], [2.0, 2.0]
        >>> tf.nn.weighted_cross_entropy_with_logits(labels, logits, 3.0).numpy().round(3)
        array([0.381, 2.127], dtype=float32)
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

    Example:
        >>> import tfpy as tf
        >>> tf.nn.log_poisson_loss(targets=[2.0, 0.0], log_input=[0.0, 1.0]).numpy().round(3)
        array([1.   , 2.718], dtype=float32)
    """
    z, x = _of_one_shape(targets=targets, log_input=log_input)
    loss = ew.exp(x) - x * z
    if not compute_full_loss:
        return loss
    small = logic.logical_and(z >= 0, z <= 1)
    safe = logic.select(small, 1.0, z)
    factorial = safe * ew.log(safe) - safe + 0.5 * ew.log(2 * math.pi * safe)
    return loss + logic.select(small, 0.0, factorial)


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """Sum of weighted losses divided by the batch size of all replicas; 0 for a batch of 0.

    That is by default as many times the losses' own as there are replicas.

    Weights of one dimension less than the losses weigh their last dimension as a whole.

    Raises:
        ValueError: for a loss without a batch dimension.
        TypeError: when the batch size is no integer.
        InvalidArgumentError: when it is negative.
        RuntimeError: in a strategy's scope, outside of ``run``.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.compute_average_loss([1.0, 2.0, 6.0], global_batch_size=3).numpy().tolist()
        3.0
    """
    replicas = _replicas("compute_average_loss")
    loss = convert_to_tensor(per_example_loss)
    dtype = loss.dtype
    if not loss.ndim:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={per_example_loss} with rank 0"
        )
    if sample_weight is not None:
        weight = cast(sample_weight, dtypes.float32)
        if weight.ndim and weight.ndim == loss.ndim - 1:
            weight = expand_dims(weight, -1)
        elif weight.ndim == loss.ndim + 1:
            weight = squeeze(weight, [-1])
        loss = cast(cast(loss, dtypes.float32) * weight, dtype)
    size = loss.aval.shape[0] * replicas if global_batch_size is None else global_batch_size
    count = convert_to_tensor(size)
    if not count.dtype.is_integer:
        raise TypeError(f"global_batch_size must be an integer, got {count.dtype}")
    if type(count) is Tensor and count.host_view() < 0:
        raise invalid_value("compute_average_loss", "global_batch_size must be non-negative.")
    return arithmetic.divide_no_nan(reductions.reduce_sum(loss), cast(count, dtype))


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of regularization losses, of which each replica has an equal share.

    Raises:
        RuntimeError: in a strategy's scope, outside of ``run``.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.scale_regularization_loss(4.0).numpy().tolist()
        4.0
    """
    replicas = _replicas("scale_regularization_loss")
    total = reductions.reduce_sum(regularization_loss)
    return total / replicas


def _replicas(function: str) -> int:
    """How many replicas compute a loss together."""
    if scope.is_cross_replica:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    replica = tracing.local.replica
    return 1 if replica is None else replica.count
