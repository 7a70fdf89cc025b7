"""Fourier and cosine transforms: ``tf.signal.fft`` and its relatives, composed from ``dft``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.compiler.ops.spectral import dft, plane
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.complex_numbers import complex, imag, real
from tfpy._src.tensors.array.joining import concat, pad
from tfpy._src.tensors.array.making import zeros_like
from tfpy._src.tensors.array.reordering import reverse
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import sized, static_ints


def _transform(x: Tensor, axes: Sequence[int], inverse: bool) -> Tensor:
    """The complex transform over some axes; the inverse is divided by the number of points."""
    parts = [real(x), imag(x)] if x.dtype.is_complex else [x]
    count = math.prod(x.aval.shape[a] for a in axes)
    for axis in axes:
        both = dft(*parts, axis=axis, inverse=inverse)
        parts = [plane(both, 0), plane(both, 1)]
    if inverse and count > 1:
        parts = [p * (1 / count) for p in parts]
    re, im = parts if len(parts) == 2 else (parts[0], zeros_like(parts[0]))
    return complex(re, im)


def _complex_transform(name: str, inverse: bool, given: str, gives: str) -> Callable[..., Tensor]:
    """The transform over as many dimensions as the example has, ``given`` to ``gives``."""
    rank = _rank(given)

    def transform(input: Any, name: str | None = None) -> Tensor:
        x = convert_to_tensor(input, dtype_hint=dtypes.complex64)
        infer.check_dtype(transform.__name__, x.aval, dtypes.COMPLEX, "input")
        _check_rank(transform.__name__, x, rank)
        return _transform(x, range(x.ndim - rank, x.ndim), inverse)

    way = "Inverse transform" if inverse else "Transform"
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"""{way} of complex64 numbers over the last {_dimensions(rank)}.

    Raises:
        InvalidArgumentError: for another dtype or too few dimensions.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant({given}, tf.complex64)
        >>> tf.signal.{name}(x).numpy().real.round(3).tolist()
        {gives}
    """
    return transform


def _rank(values: str) -> int:
    """The dimensions of values as a program writes them."""
    return len(values) - len(values.lstrip("["))


def _dimensions(rank: int) -> str:
    return "dimension" if rank == 1 else f"{rank} dimensions"


def _check_rank(op: str, x: Tensor, rank: int) -> None:
    if x.ndim < rank:
        raise invalid(op, f"Input must have rank of at least {rank} but got: {x.ndim}")


_PLANE, _PLANE_FREQUENCIES = "[[1.0, 2.0], [3.0, 5.0]]", "[[11.0, -3.0], [-5.0, 1.0]]"
_LINE, _LINE_FREQUENCIES = "[1.0, 2.0, 3.0, 4.0]", "[10 + 0j, -2 + 2j, -2 + 0j, -2 - 2j]"
fft = _complex_transform("fft", False, _LINE, "[10.0, -2.0, -2.0, -2.0]")
ifft = _complex_transform("ifft", True, _LINE_FREQUENCIES, _LINE)
fft2d = _complex_transform("fft2d", False, _PLANE, _PLANE_FREQUENCIES)
ifft2d = _complex_transform("ifft2d", True, _PLANE_FREQUENCIES, _PLANE)
fft3d = _complex_transform("fft3d", False, f"[{_PLANE}]", f"[{_PLANE_FREQUENCIES}]")
ifft3d = _complex_transform("ifft3d", True, f"[{_PLANE_FREQUENCIES}]", f"[{_PLANE}]")


def _lengths(op: str, fft_length: Any, default: Sequence[int], rank: int) -> list[int]:
    one = isinstance(fft_length, int) or getattr(fft_length, "ndim", 1) != 1
    sizes = list(default) if fft_length is None else list(static_ints(fft_length))
    if one or len(sizes) != rank:
        raise invalid(op, f"fft_length must have shape [{rank}], got {sizes}")
    if min(sizes) < 0:
        raise ValueError(f"{op}: fft_length must be at least 0, got {sizes}")
    return sizes


def _fitted(x: Tensor, axes: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Cropped at the end, or padded there with zeros, to ``sizes`` along the axes."""
    wanted = list(x.aval.shape)
    for axis, n in zip(axes, sizes, strict=True):
        wanted[axis] = n
    kept = x[tuple(slice(0, n) for n in wanted)]
    room = [[0, n - have] for n, have in zip(wanted, kept.aval.shape, strict=True)]
    return pad(kept, room) if any(more for _, more in room) else kept


def _real_transform(name: str, given: str, gives: str) -> Callable[..., Tensor]:
    rank = _rank(given)

    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        op = transform.__name__
        x = convert_to_tensor(input_tensor, dtype_hint=dtypes.float32)
        if x.dtype not in dtypes.PARTS:
            raise ValueError(f"{op}: RFFT requires tf.float32 inputs, got: {x!r}")
        _require_rank(op, x, rank)
        axes = range(x.ndim - rank, x.ndim)
        sizes = _lengths(op, fft_length, x.aval.shape[x.ndim - rank :], rank)
        return half_transform(_fitted(x, axes, sizes), axes)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"""Transform of float32 numbers over the last {_dimensions(rank)}.

    Of the last dimension, n long, only the first n // 2 + 1 frequencies are given.

    Args:
        fft_length: sizes to which those dimensions are cropped or padded with zeros.

    Raises:
        ValueError: for another dtype or too few dimensions.
        InvalidArgumentError: when ``fft_length`` does not fit.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.{name}({given}).numpy().real.round(3).tolist()
        {gives}
    """
    return transform


def half_transform(x: Tensor, axes: Sequence[int]) -> Tensor:
    """The non-negative frequencies of real numbers: the last axis first, then its half."""
    *others, last = axes
    n = x.aval.shape[last]
    both = dft(x, axis=last, inverse=False)
    half = both[..., : n // 2 + 1 if n else 0]
    return _transform(complex(plane(half, 0), plane(half, 1)), others, False)


def _require_rank(op: str, x: Tensor, rank: int) -> None:
    if x.ndim < rank:
        raise ValueError(f"{op}: Shape {x.shape} must have rank at least {rank}")


def _inverse_real_transform(name: str, given: str, gives: str) -> Callable[..., Tensor]:
    rank = _rank(given)

    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        op = transform.__name__
        x = convert_to_tensor(input_tensor, dtype_hint=dtypes.complex64)
        if x.dtype not in dtypes.COMPLEX:
            raise ValueError(f"{op}: IRFFT requires tf.complex64 inputs, got: {x!r}")
        _require_rank(op, x, rank)
        axes = range(x.ndim - rank, x.ndim)
        *outer, half = x.aval.shape[x.ndim - rank :]
        sizes = _lengths(op, fft_length, [*outer, 2 * (half - 1) if half else 0], rank)
        fitted = _fitted(x, axes, [*sizes[:-1], sizes[-1] // 2 + 1 if sizes[-1] else 0])
        return inverse_half_transform(fitted, axes, sizes[-1])

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"""Inverse of ``{name[1:]}`` over the last {_dimensions(rank)}.

    Args:
        fft_length: sizes of the result; by default the last one is 2 * (size - 1).

    Raises:
        ValueError: for another dtype than complex64 or too few dimensions.
        InvalidArgumentError: when ``fft_length`` does not fit.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant({given}, tf.complex64)
        >>> tf.signal.{name}(x).numpy().round(3).tolist()
        {gives}
    """
    return transform


def inverse_half_transform(x: Tensor, axes: Sequence[int], n: int) -> Tensor:
    """``n`` real numbers along the last axis from its non-negative frequencies.

    Each frequency stands for itself and, but for the first and an even length's last, for its
    conjugate: it counts twice in the real part of a transform without the conjugates.
    """
    *others, last = axes
    z = _transform(x, others, True)
    weights = np.full(x.aval.shape[last], 2 / max(n, 1), x.dtype.real_dtype.as_numpy_dtype)
    weights[:1] /= 2
    if n and n % 2 == 0:
        weights[n // 2] = 1 / n
    factors = sized(weights, (x.aval.shape[last],))
    parts = [_fitted(part * factors, [last], [n]) for part in (real(z), imag(z))]
    return plane(dft(*parts, axis=last, inverse=True), 0)


rfft = _real_transform("rfft", _LINE, "[10.0, -2.0, -2.0]")
rfft2d = _real_transform("rfft2d", _PLANE, _PLANE_FREQUENCIES)
rfft3d = _real_transform("rfft3d", f"[{_PLANE}]", f"[{_PLANE_FREQUENCIES}]")
irfft = _inverse_real_transform("irfft", "[10 + 0j, -2 + 2j, -2 + 0j]", _LINE)
irfft2d = _inverse_real_transform("irfft2d", _PLANE_FREQUENCIES, _PLANE)
irfft3d = _inverse_real_transform("irfft3d", f"[{_PLANE_FREQUENCIES}]", f"[{_PLANE}]")


def _shifted(x: Any, axes: Any, direction: int) -> Tensor:
    """Rolled by half of each axis, forwards or back."""
    t = convert_to_tensor(x)
    over = range(t.ndim) if axes is None else static_ints(axes)
    for axis in (normalize_axis("fftshift", a, t.ndim) for a in over):
        n = t.aval.shape[axis]
        order = np.roll(np.arange(n, dtype=np.int32), -direction * (n // 2))
        t = take(t, sized(order, (n,)), axis=axis)
    return t


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The zero frequency moved to the middle of the axes (all by default).

    Example:
        >>> import tfpy as tf
        >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
        [-2, -1, 0, 1, 2]
    """
    return _shifted(x, axes, -1)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Undoes :func:`fftshift`.

    Args:
        axes: those of :func:`fftshift`; all by default.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
        [0, 1, 2, -2, -1]
    """
    return _shifted(x, axes, 1)


# Cosine transforms


def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Discrete cosine transform of type 1, 2, 3 or 4 along the last dimension.

    Args:
        n: the length to which the dimension is cropped or padded with zeros.
        norm: None or "ortho".

    Raises:
        ValueError: for a scalar, another type, axis, length or norm, or "ortho" with type 1.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.dct([1.0, 2.0, 4.0], norm="ortho").numpy().round(3)
        array([ 4.041, -2.121,  0.408], dtype=float32)
    """
    _check_dct(type, n, axis, norm)
    x = convert_to_tensor(input)
    _require_rank("dct", x, 1)
    if type == 1 and x.aval.shape[-1] < 2:
        raise ValueError("dct: Type I requires the dimension to be greater than one")
    return _cosine_transform(x if n is None else _fitted(x, [x.ndim - 1], [n]), type, norm)


def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Inverse of :func:`dct`; without "ortho" it is not divided by twice the length.

    Args:
        axis: the last one.

    Raises:
        ValueError: as :func:`dct`, and when ``n`` is given.

    Example:
        >>> import tfpy as tf
        >>> x = tf.signal.dct([1.0, 2.0, 3.0], norm="ortho")
        >>> tf.signal.idct(x, norm="ortho").numpy().round(3)
        array([1., 2., 3.], dtype=float32)
    """
    _check_dct(type, n, axis, norm)
    if n is not None:
        raise ValueError("idct: n must be None")
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm)


def _check_dct(type: int, n: int | None, axis: int, norm: str | None) -> None:
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
    return _fitted(x, [x.ndim - 1], [2 * x.aval.shape[-1]])


def _half(x: Tensor) -> Tensor:
    """Stacked parts of the non-negative frequencies along the last axis."""
    both = dft(x, axis=x.ndim - 1, inverse=False)
    return both[..., : x.aval.shape[-1] // 2 + 1]


def _turned(both: Tensor, factors: Any) -> Tensor:
    """Real part of the product of stacked parts and complex factors."""
    n = both.aval.shape[-1:]
    cosines, sines = (
        sized(p.astype(both.dtype.as_numpy_dtype), n) for p in (factors.real, factors.imag)
    )
    return ew.subtract(plane(both, 0) * cosines, plane(both, 1) * sines)
