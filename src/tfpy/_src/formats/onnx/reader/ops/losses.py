"""Classification losses."""

from __future__ import annotations

from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.tensors.array.making import cast, ones_like, zeros_like
from tfpy._src.tensors.array.reshaping import transpose
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.math.reductions import reduce_mean, reduce_sum
from tfpy._src.tensors.nn.activations import log_softmax


@operation("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(
    scores: Tensor, target: Tensor, weight: Tensor | None = None, *,
    ignore_index: int | None = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Compute the loss of log probabilities [N, C, ...] for targets [N, ...]."""
    rank = scores.ndim
    if reduction not in ("none", "sum", "mean"):
        raise invalid("NegativeLogLikelihoodLoss", f"unknown reduction {reduction!r}")
    last = transpose(scores, [0, *range(2, rank), 1])
    counted = None if ignore_index is None else p.not_equal(target, ignore_index)
    at = target if counted is None else where(counted, target, zeros_like(target))
    loss = -gather(last, at, axis=rank - 1, batch_dims=rank - 1)
    if weight is not None or counted is not None:
        share = ones_like(loss) if weight is None else gather(weight, at, axis=0)
        share = share if counted is None else share * cast(counted, loss.dtype)
        loss = loss * share
        if reduction == "mean":
            return reduce_sum(loss) / reduce_sum(share)
    return {"none": lambda x: x, "sum": reduce_sum, "mean": reduce_mean}[reduction](loss)


@operation("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(
    scores: Tensor, labels: Tensor, weights: Tensor | None = None, *,
    ignore_index: int | None = None, reduction: str = "mean",
) -> Any:  # fmt: skip
    logs = log_softmax(scores, 1)
    loss = negative_log_likelihood_loss(
        logs, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss, logs
