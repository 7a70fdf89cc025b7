"""Cross entropies and other losses of `tf.nn`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import activation, elementwise as ew, indexing, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.operand import Operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape, squeeze, transpose
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.math import arithmetic, reductions
from tfpy._src.tensors.nn.activations import log_softmax
from tfpy._src.tensors.variables.distribution import scope


def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """Compute the softmax cross entropy between logits and one-hot or soft labels.

    The function applies the softmax itself, in a numerically stable way. The gradient with respect
    to the logits is computed as `softmax(logits) - labels`, which is exact only if the labels sum
    to 1 along `axis`. Labels of a single row, of shape `[1, classes]`, apply to all rows of logits.

    Args:
        labels: Float tensor of the shape of `logits`, or of shape `[1, classes]`.
        logits: Unnormalized log probabilities, a float tensor, usually of shape `[..., classes]`.
        axis: Axis of the classes. Negative values count from the end. Default: the last axis.

    Returns:
        Float tensor with the shape of `logits` without dimension `axis`, and the dtype of `logits`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes of `labels` and `logits` are not compatible.
        TypeError: If `axis` is not a single integer.

    Example:
        >>> import tfpy as tf
        >>> labels, logits = [[1.0, 0.0], [0.5, 0.5]], [[2.0, 0.0], [0.0, 0.0]]
        >>> tf.nn.softmax_cross_entropy_with_logits(labels, logits).numpy().round(3)
        array([0.127, 0.693], dtype=float32)

    See also: `tf.nn.sparse_softmax_cross_entropy_with_logits`,
    `tf.nn.sigmoid_cross_entropy_with_logits`.
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
    """Compute the cross entropy of labels and logits with different, compatible shapes."""
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
    """Transpose a tensor so that the axis is the last one."""
    at = infer.normalize_axis(op, axis, x.ndim)
    if not x.ndim:
        raise invalid(op, "labels and logits must not be scalars")
    return transpose(x, [*(i for i in range(x.ndim) if i != at), at])


@custom_gradient
def _cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Any:
    """Compute the cross entropy with a numerically stable gradient."""
    scores = log_softmax(logits, axis)

    def grad(g: Tensor) -> tuple[Tensor, Tensor]:
        upstream = expand_dims(g, axis)
        return -(upstream * scores), upstream * (ew.exp(scores) - labels)

    # Subtract from 0.0, because -x would be -0.0 if the scores are 0.
    return 0.0 - reductions.reduce_sum(labels * scores, axis), grad


def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """Compute the softmax cross entropy between logits and integer labels.

    The function applies the softmax itself, in a numerically stable way.

    Args:
        labels: Class indices from 0 to `classes - 1`, an integer tensor of shape `[...]`.
        logits: Unnormalized log probabilities, a float tensor of shape `[..., classes]`.

    Returns:
        Float tensor with the shape of `labels` and the dtype of `logits`.

    Raises:
        ValueError: If `labels` does not have the shape of `logits` without the last axis.
        tf.errors.InvalidArgumentError: If a label is out of range, on the cpu and wasm backends. On
            the other backends, the loss and the gradient of its row are NaN.

    Example:
        >>> import tfpy as tf
        >>> logits = [[2.0, 0.0], [0.0, 0.0]]
        >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], logits).numpy().round(3)
        array([0.127, 0.693], dtype=float32)

    See also: `tf.nn.softmax_cross_entropy_with_logits`.
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
    """Compute the cross entropy of integer labels with a numerically stable gradient."""
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

    # As in _cross_entropy, the subtraction avoids a loss of -0.0.
    return logic.select(is_class, 0.0 - reshape(picked, shape), math.nan), grad


def _of_one_shape(**operands: Any) -> tuple[Tensor, Tensor]:
    """Convert two keyword arguments, targets and predictions, to tensors and check their shapes."""
    wanted, predicted = as_tensors(ew.add, tuple(operands.values()))
    if not wanted.shape.is_compatible_with(predicted.shape):
        first, second = operands
        raise ValueError(
            f"`{second}` and `{first}` must have the same shape, received {predicted.shape} and "
            f"{wanted.shape}"
        )
    return wanted, predicted


@per_value
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """Compute the sigmoid cross entropy, for examples that can belong to more than one class.

    For a label z and a logit x, the loss is `-z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x))`,
    computed in a numerically stable form.

    Args:
        labels: Float tensor of the shape and dtype of `logits`, with values from 0 to 1.
        logits: Float tensor of any shape.

    Returns:
        Loss of each element, a tensor of the shape and dtype of `logits`.

    Raises:
        ValueError: If the shapes of the operands differ.

    Example:
        >>> import tfpy as tf
        >>> labels, logits = [1.0, 0.0], [2.0, 2.0]
        >>> tf.nn.sigmoid_cross_entropy_with_logits(labels, logits).numpy().round(3)
        array([0.127, 2.127], dtype=float32)

    See also: `tf.nn.weighted_cross_entropy_with_logits`, `tf.nn.softmax_cross_entropy_with_logits`.
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    return activation.softplus(x) - x * z


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Compute half the sum of squares, `sum(t ** 2) / 2`.

    Args:
        t: Float tensor of any shape.

    Returns:
        Scalar tensor of the dtype of `t`.

    Raises:
        tf.errors.InvalidArgumentError: If `t` is not a float tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.l2_loss([3.0, 4.0]).numpy().tolist()
        12.5

    See also: `tf.norm`.
    """
    x = convert_to_tensor(t)
    infer.check_dtype("l2_loss", x.aval, infer.FLOAT, "t")
    return reductions.reduce_sum(ew.square(x)) * 0.5


def weighted_cross_entropy_with_logits(
    labels: TensorLike,
    logits: TensorLike,
    pos_weight: float | np.ndarray[Any, Any] | Operand,
    name: str | None = None,
) -> Tensor:
    """Compute the sigmoid cross entropy with a weight for positive labels.

    Args:
        labels: Float tensor of the shape and dtype of `logits`, with values from 0 to 1.
        logits: Float tensor of any shape.
        pos_weight: Factor of the loss of positive labels, a scalar or a tensor that broadcasts to
            the shape of `logits`. Values above 1 increase the recall, values below 1 the precision.

    Returns:
        Loss of each element, a tensor of the shape and dtype of `logits`.

    Raises:
        ValueError: If the shapes of `labels` and `logits` differ.

    Example:
        >>> import tfpy as tf
        >>> labels, logits = [1.0, 0.0], [2.0, 2.0]
        >>> tf.nn.weighted_cross_entropy_with_logits(labels, logits, 3.0).numpy().round(3)
        array([0.381, 2.127], dtype=float32)

    See also: `tf.nn.sigmoid_cross_entropy_with_logits`.
    """
    z, x = _of_one_shape(labels=labels, logits=logits)
    weight = 1 + (pos_weight - 1) * z
    return ew.add((1 - z) * x, weight * (ew.log1p(ew.exp(-ew.abs_(x))) + activation.relu(-x)))


def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the Poisson loss, `exp(log_input) - targets * log_input`.

    Args:
        targets: Float tensor of the shape of `log_input`.
        log_input: Logarithms of the predictions, a float tensor of any shape.
        compute_full_loss: If True, add Stirling's approximation of the term `log(targets!)`, which
            does not depend on the predictions.

    Returns:
        Loss of each element, a tensor of the shape and dtype of `log_input`.

    Raises:
        ValueError: If the shapes of the operands differ.

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
    per_example_loss: Operand | np.ndarray[Any, Any] | Sequence[Any],
    sample_weight: TensorLike | None = None,
    global_batch_size: IntLike | None = None,
) -> Tensor:
    """Compute the sum of per-example losses, divided by the global batch size.

    In distributed training, the results of the replicas are added, so each replica divides by the
    batch size of all replicas together. The result is 0 for a batch size of 0.

    Args:
        per_example_loss: Float tensor of shape `[batch, ...]`.
        sample_weight: Weights that broadcast to the shape of the losses or have one axis less, such
            as `[batch]` for losses of shape `[batch, n]`. Default: no weights.
        global_batch_size: Batch size of all replicas. Default: the first dimension of
            `per_example_loss` times the number of replicas.

    Returns:
        Scalar tensor of the dtype of `per_example_loss`.

    Raises:
        ValueError: If the loss is a scalar.
        TypeError: If `global_batch_size` is not an integer.
        tf.errors.InvalidArgumentError: If `global_batch_size` is negative.
        RuntimeError: If called in the scope of a strategy, but outside of `Strategy.run`.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.compute_average_loss([1.0, 2.0, 6.0], global_batch_size=3).numpy().tolist()
        3.0

    See also: `tf.nn.scale_regularization_loss`.
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


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """Compute the sum of regularization losses, divided by the number of replicas.

    Args:
        regularization_loss: Float tensor of any shape.

    Returns:
        Scalar tensor of the dtype of `regularization_loss`. In distributed training, the results of
        the replicas are added.

    Raises:
        RuntimeError: If called in the scope of a strategy, but outside of `Strategy.run`.

    Example:
        >>> import tfpy as tf
        >>> tf.nn.scale_regularization_loss([1.0, 3.0]).numpy().tolist()
        4.0

    See also: `tf.nn.compute_average_loss`.
    """
    replicas = _replicas("scale_regularization_loss")
    total = reductions.reduce_sum(regularization_loss)
    return total / replicas


def _replicas(function: str) -> int:
    """Return the number of replicas that compute a loss together."""
    if scope.is_cross_replica:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be "
            "called in replica context."
        )
    replica = tracing.local.replica
    return 1 if replica is None else replica.count
