"""Cosine transforms: `tf.signal.dct` and `tf.signal.idct`, composed from `dft`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.spectral import dft, plane
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.static import sized
from tfpy._src.tensors.signal.fourier import fit_sizes, require_rank


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the discrete cosine transform of type 1, 2, 3 or 4 along the last axis.

    Args:
        input: Float tensor of shape `[..., samples]`.
        type: Type of the transform, 1 to 4. Default: 2.
        n: Length of the transform. The last axis is cropped or zero-padded to this length first.
            Default: the length of the last axis.
        axis: Axis to transform. Only -1, the last axis, is supported.
        norm: None (default) for no normalization, or `"ortho"` for the orthonormal transform, which
            type 1 does not support.

    Returns:
        Float tensor of shape `[..., n]` and the dtype of `input`.

    Raises:
        ValueError: If the input is a scalar, if `type`, `n` or `norm` is not supported, or if
            `type` is 1 and there are fewer than two samples.
        NotImplementedError: If `axis` is not -1.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.dct([1.0, 2.0, 4.0], norm="ortho").numpy().round(3)
        array([ 4.041, -2.121,  0.408], dtype=float32)

    See also: `tf.signal.idct`, `tf.signal.mdct`.
    """
    _check_dct(type, n, axis, norm)
    x = convert_to_tensor(input)
    require_rank("dct", x, 1)
    if type == 1 and x.aval.shape[-1] < 2:
        raise ValueError("dct: Type I requires the dimension to be greater than one")
    return _cosine_transform(x if n is None else fit_sizes(x, [x.ndim - 1], [n]), type, norm)


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the inverse discrete cosine transform of type 1, 2, 3 or 4 along the last axis.

    As in TensorFlow, the result is not scaled unless `norm` is `"ortho"`. So for n samples,
    `tf.signal.idct(tf.signal.dct(x))` returns `2 * n * x`, or `2 * (n - 1) * x` for type 1.

    Args:
        input: Float tensor of shape `[..., samples]`.
        type: Type of the transform, 1 to 4. Default: 2.
        n: Length of the transform. Only None, the length of the last axis, is supported.
        axis: Axis to transform. Only -1, the last axis, is supported.
        norm: None (default) for no normalization, or `"ortho"` for the orthonormal transform, which
            type 1 does not support.

    Returns:
        Float tensor of the shape and dtype of `input`.

    Raises:
        ValueError: If the input is a scalar, if `n` is not None, if `type` or `norm` is not
            supported, or if `type` is 1 and there are fewer than two samples.
        NotImplementedError: If `axis` is not -1.

    Example:
        >>> import tfpy as tf
        >>> x = tf.signal.dct([1.0, 2.0, 3.0], norm="ortho")
        >>> tf.signal.idct(x, norm="ortho").numpy().round(3)
        array([1., 2., 3.], dtype=float32)

    See also: `tf.signal.dct`.
    """
    _check_dct(type, n, axis, norm)
    if n is not None:
        raise ValueError("idct: n must be None; crop or pad the input first.")
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm)


def _check_dct(type: int, n: int | None, axis: int, norm: str | None) -> None:
    """Check the options of a cosine transform, with TensorFlow's messages."""
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _cosine_transform(x: Tensor, type: int, norm: str | None) -> Tensor:
    """Compute a cosine transform by way of a Fourier transform."""
    n = x.aval.shape[-1]
    if not n:
        return x
    ortho = norm == "ortho"
    if type == 1:
        mirrored = concat([x, reverse(x[..., 1:-1], [-1])], -1)
        return plane(_half(mirrored), 0)
    if type == 2:
        weights = np.full(n, math.sqrt(1 / (2 * n)) if ortho else 1.0)
        weights[0] *= math.sqrt(0.5) if ortho else 1.0
        turned = np.exp(-0.5j * math.pi / n * np.arange(n)) * 2 * weights
        return _turned(_half(_doubled(x))[..., :n], turned)
    if type == 3:
        weights = np.full(n, math.sqrt(0.5 / n) if ortho else 1.0)
        weights[0] = math.sqrt(0.25 / n) if ortho else 0.5
        turned = np.exp(0.5j * math.pi / n * np.arange(n)) * 2 * weights
        factors = [
            sized(p.astype(x.dtype.as_numpy_dtype), (n,)) for p in (turned.real, turned.imag)
        ]
        parts = [_doubled(x * p) for p in factors]
        return plane(dft(*parts, axis=x.ndim - 1, inverse=True), 0)[..., :n]
    # Type 4 is the odd half of type 2 of twice the length.
    odd = _cosine_transform(_doubled(x), 2, None)[..., 1::2]
    return odd * math.sqrt(0.5 / n) if ortho else odd


def _doubled(x: Tensor) -> Tensor:
    """Pad the last axis with zeros to twice its size."""
    return fit_sizes(x, [x.ndim - 1], [2 * x.aval.shape[-1]])


def _half(x: Tensor) -> Tensor:
    """Return the stacked parts of the non-negative frequencies along the last axis."""
    both = dft(x, axis=x.ndim - 1, inverse=False)
    return both[..., : x.aval.shape[-1] // 2 + 1]


def _turned(both: Tensor, factors: Any) -> Tensor:
    """Return the real part of the product of stacked parts and complex factors."""
    n = both.aval.shape[-1:]
    cosines, sines = (
        sized(p.astype(both.dtype.as_numpy_dtype), n) for p in (factors.real, factors.imag)
    )
    return ew.subtract(plane(both, 0) * cosines, plane(both, 1) * sines)
