"""Attention, and what its operations of the domain com.microsoft share."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.values import like
from tfpy._src.tensors.array.joining import concat, repeat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_mean
from tfpy._src.tensors.nn.activations import softmax


class Attended(NamedTuple):
    """The results of attention: the output, the scores before the softmax and those after it."""

    output: Tensor
    scores: Tensor
    shares: Tensor


def attend(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, scale: float | None,
    softcap: float = 0.0, sink: Tensor | None = None,
) -> Attended:  # fmt: skip
    """Compute attention of [B, H, S, D], with an output of shape [B, S, H·D].

    Args:
        q: Queries.
        k: Keys; several heads of queries may share one of keys and values.
        v: Values.
        bias: Numbers that are added to the scores, -inf for keys that are not visible.
        scale: Factor of the scores. Default: the inverse root of the size of a head.
        softcap: Limit of the absolute values of scores; 0 for no limit.
        sink: A score of each head for a key without a value.
    """
    groups = q.aval.shape[1] // k.aval.shape[1]
    if groups > 1:
        k, v = repeat(k, groups, 1), repeat(v, groups, 1)
    scores = matmul(q, k, transpose_b=True)
    scores = scores * like(scale or 1 / math.sqrt(q.aval.shape[-1]), q)
    if softcap > 0:
        scores = p.tanh(scores / like(softcap, q)) * like(softcap, q)
    if bias is not None:
        scores = scores + bias
    if sink is None:
        shares = softmax(scores, -1)
    else:
        b, h, s, t = scores.aval.shape
        column = reshape(sink, [1, h, 1, 1]) + like(np.zeros([b, h, s, 1], np.float32), scores)
        shares = softmax(concat([scores, column], -1), -1)[..., :t]
    y = transpose(matmul(shares, v), [0, 2, 1, 3])
    return Attended(reshape(y, [*y.aval.shape[:2], -1]), scores, shares)


def refuse(op: str, **given: Any) -> None:
    """Refuse attributes and inputs that are not supported.

    Raises:
        InvalidArgumentError: If a value is neither None, nor zero, nor False.
    """
    for name, value in given.items():
        if value is not None and value is not False and (isinstance(value, Tensor) or value):
            raise invalid(op, f"{name} is not supported")


def check_bias(op: str, bias: Tensor | None, shape: tuple[int, int, int, int]) -> None:
    """Check a bias of the scores [B, H, S, T], which may be shared by examples and heads.

    Raises:
        InvalidArgumentError: If its shape does not match.
    """
    if bias is None:
        return
    b, h, s, t = shape
    sizes = bias.aval.shape
    if len(sizes) != 4 or sizes[2:] != (s, t) or sizes[0] not in (1, b) or sizes[1] not in (1, h):
        raise invalid(op, f"attention_bias {bias.aval} must have the shape {[*shape]}")


def check_rotation(op: str, cos: Tensor, sin: Tensor, size: int, dim: int = 0) -> int:
    """Return the number of angles of a rotary embedding.

    Args:
        op: Name of the operation.
        cos: Cosines of the angles [positions, angles].
        sin: Sines of the angles.
        size: Size of a head.
        dim: Number of elements of a head that are rotated; 0 if it follows from the angles.

    Raises:
        InvalidArgumentError: If the sizes do not match.
    """
    if cos.ndim != 2 or cos.aval.shape != sin.aval.shape:
        raise invalid(op, f"cos_cache {cos.aval} and sin_cache {sin.aval} must be alike")
    half = cos.aval.shape[1]
    if not 0 < 2 * half <= size or dim not in (0, 2 * half):
        raise invalid(op, f"{half} angles do not match {dim or size} elements of a head of {size}")
    return half


def root_normalized(x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """Divide the last axis by its root mean square, and multiply it by weights."""
    y = cast(x, "float32")
    y = y * p.rsqrt(reduce_mean(p.square(y), -1, True) + like(epsilon, y))
    return cast(y, x.dtype) * weight
