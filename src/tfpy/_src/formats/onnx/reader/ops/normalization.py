"""Normalizations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import pooling as primitives
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import like, positive
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.math.reductions import reduce_mean

_EPSILON = 1e-5


def _by_channel(v: Tensor, x: Tensor) -> Tensor:
    return reshape(v, [1, -1] + [1] * (x.ndim - 2)) if x.ndim > 1 else v


def _moments(x: Tensor, axes: Sequence[int]) -> tuple[Tensor, Tensor]:
    mean = reduce_mean(x, axes, True)
    return mean, reduce_mean(p.square(x - mean), axes, True)


def _normalized(x: Tensor, axes: Sequence[int], epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    mean, variance = _moments(x, axes)
    scale = p.rsqrt(variance + like(epsilon, x))
    return (x - mean) * scale, mean, scale


@operation("BatchNormalization")
def batch_normalization(
    x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, *,
    epsilon: float = _EPSILON, momentum: float = 0.9, spatial: int = 1, training_mode: int = 0,
) -> Any:  # fmt: skip
    if not spatial:
        raise invalid("BatchNormalization", "spatial=0 of opset 8 is not supported")
    if not training_mode:
        factor = cast(scale, x.dtype) * p.rsqrt(cast(variance, x.dtype) + like(epsilon, x))
        shift = cast(bias, x.dtype) - cast(mean, x.dtype) * factor
        return x * _by_channel(factor, x) + _by_channel(shift, x)
    axes = [0, *range(2, x.ndim)]
    now, spread = _moments(x, axes)
    y = (x - now) * p.rsqrt(spread + like(epsilon, x))
    y = y * _by_channel(cast(scale, x.dtype), x) + _by_channel(cast(bias, x.dtype), x)
    kept, new = like(momentum, mean), like(1 - momentum, mean)
    running = [
        old * kept + cast(reshape(found, [-1]), mean.dtype) * new
        for old, found in ((mean, now), (variance, spread))
    ]
    return y, *running


@operation("InstanceNormalization")
def instance_normalization(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = _EPSILON
) -> Any:
    y = _normalized(x, range(2, x.ndim), epsilon)[0]
    return y * _by_channel(scale, x) + _by_channel(bias, x)


def _grouped(x: Tensor, groups: int, epsilon: float) -> Tensor:
    n, c, *spatial = x.aval.shape
    if groups < 1 or c % groups:
        raise invalid("GroupNormalization", f"{c} channels are not divisible into {groups} groups")
    rows = reshape(cast(x, "float32"), [n, groups, c // groups * math.prod(spatial)])
    return cast(reshape(_normalized(rows, [2], epsilon)[0], x.aval.shape), x.dtype)


@operation("GroupNormalization", since=21)
def group_normalization(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = _EPSILON, num_groups: int,
    stash_type: int = 1,
) -> Any:  # fmt: skip
    return _grouped(x, num_groups, epsilon) * _by_channel(scale, x) + _by_channel(bias, x)


@operation("GroupNormalization", since=18)
def group_normalization_18(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = _EPSILON, num_groups: int
) -> Any:
    """Normalize groups, with a scale and a bias for each group."""
    y = reshape(_grouped(x, num_groups, epsilon), [x.aval.shape[0], num_groups, -1])
    y = y * reshape(scale, [1, -1, 1]) + reshape(bias, [1, -1, 1])
    return reshape(y, x.aval.shape)


@operation("LayerNormalization")
def layer_normalization(
    x: Tensor, scale: Tensor, bias: Tensor | None = None, *, axis: int = -1,
    epsilon: float = _EPSILON, stash_type: int = 1,
) -> Any:  # fmt: skip
    first = positive(axis, x.ndim, "LayerNormalization")
    y, mean, factor = _normalized(cast(x, "float32"), range(first, x.ndim), epsilon)
    y = cast(y, x.dtype) * scale
    return y if bias is None else y + bias, mean, factor


def _root_mean_square(x: Tensor, axes: Sequence[int], epsilon: float) -> tuple[Tensor, Tensor]:
    factor = p.rsqrt(reduce_mean(p.square(x), axes, True) + like(epsilon, x))
    return x * factor, factor


@operation("RMSNormalization")
def rms_normalization(
    x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = _EPSILON, stash_type: int = 1
) -> Any:
    first = positive(axis, x.ndim, "RMSNormalization")
    y, _ = _root_mean_square(cast(x, "float32"), range(first, x.ndim), epsilon)
    return cast(y, x.dtype) * scale


@operation("SimplifiedLayerNormalization")
def simplified_layer_normalization(
    x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = _EPSILON, stash_type: int = 1
) -> Any:
    """Apply RMSNormalization, under the former name in ONNX Runtime's exporters."""
    first = positive(axis, x.ndim, "SimplifiedLayerNormalization")
    y, factor = _root_mean_square(cast(x, "float32"), range(first, x.ndim), epsilon)
    return cast(y, x.dtype) * scale, factor


@operation("com.microsoft.SkipLayerNormalization")
def skip_layer_normalization(
    x: Tensor, skip: Tensor, gamma: Tensor, beta: Tensor | None = None,
    bias: Tensor | None = None, *, epsilon: float = 1e-12,
) -> Any:  # fmt: skip
    total = x + skip if bias is None else x + skip + bias
    y, mean, factor = layer_normalization(total, gamma, beta, epsilon=epsilon)
    return y, mean, factor, total


@operation("com.microsoft.SkipSimplifiedLayerNormalization")
def skip_simplified_layer_normalization(
    x: Tensor, skip: Tensor, gamma: Tensor, bias: Tensor | None = None, *, epsilon: float = 1e-12
) -> Any:
    total = x + skip if bias is None else x + skip + bias
    y, factor = simplified_layer_normalization(total, gamma, epsilon=epsilon)
    return y, factor, factor, total


@operation("MeanVarianceNormalization")
def mean_variance_normalization(x: Tensor, *, axes: Ints = (0, 2, 3)) -> Any:
    mean, variance = _moments(x, axes)
    return (x - mean) / (p.sqrt(variance) + like(1e-9, x))


@operation("LRN")
def lrn(x: Tensor, *, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0, size: int) -> Any:
    """Divide x by a power of the mean square of neighboring channels."""
    n, c = x.aval.shape[:2]
    if size < 1:
        raise invalid("LRN", f"size must be positive, got {size}")
    squares = reshape(transpose(reshape(p.square(x), [n, c, -1]), [0, 2, 1]), [-1, c, 1])
    before = (size - 1) // 2
    padded = pad(squares, [(0, 0), (before, size - 1 - before), (0, 0)])
    means = primitives.avg_pool(
        padded, ksize=(size,), strides=(1,), dilations=(1,), padding=((0, 0),)
    )
    means = reshape(transpose(reshape(means, [n, -1, c]), [0, 2, 1]), x.aval.shape)
    return x / p.pow(like(bias, x) + like(alpha, x) * means, like(beta, x))
