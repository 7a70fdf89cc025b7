"""Fourier transforms: `tf.signal.fft` and similar functions, composed from `dft`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import normalize_axis
from tfpy._src.compiler.ops.spectral import dft, plane
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, ShapeLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import complex, imag, real
from tfpy._src.tensors.array.joining import pad
from tfpy._src.tensors.array.making import zeros_like
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import sized, static_ints


def _transform(x: Tensor, axes: Sequence[int], inverse: bool) -> Tensor:
    """Compute the complex transform over some axes; divide the inverse by the number of points."""
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
    """Return a transform of the rank of the example `given`."""
    rank = _rank(given)

    def transform(input: TensorLike, name: str | None = None) -> Tensor:
        x = convert_to_tensor(input, dtype_hint=dtypes.complex64)
        infer.check_dtype(transform.__name__, x.aval, dtypes.COMPLEX, "input")
        _check_rank(transform.__name__, x, rank)
        return _transform(x, range(x.ndim - rank, x.ndim), inverse)

    way = "inverse Fourier transform" if inverse else "Fourier transform"
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"""Compute the {way} of complex numbers over the last {_dimensions(rank)}.

    The Fourier transform is not scaled, and the inverse transform is divided by the number of
    points.

    Args:
        input: Complex tensor of rank {rank} or more.

    Returns:
        Complex tensor of the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the input is not complex or its rank is below {rank}.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant({given}, tf.complex64)
        >>> tf.signal.{name}(x).numpy().real.round(3).tolist()
        {gives}

    See also: `tf.signal.rfft`, `tf.signal.fftshift`.
    """
    return transform


def _rank(values: str) -> int:
    """Return the rank of an array in Python's notation."""
    return len(values) - len(values.lstrip("["))


def _dimensions(rank: int) -> str:
    return "axis" if rank == 1 else f"{rank} axes"


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
    """Return the sizes of the transformed axes."""
    one = isinstance(fft_length, int) or getattr(fft_length, "ndim", 1) != 1
    sizes = list(default) if fft_length is None else list(static_ints(fft_length))
    if one or len(sizes) != rank:
        raise invalid(op, f"fft_length must have shape [{rank}], got {sizes}")
    if min(sizes) < 0:
        raise ValueError(f"{op}: fft_length must be at least 0, got {sizes}")
    return sizes


def fit_sizes(x: Tensor, axes: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Crop or zero-pad a tensor at the end, to `sizes` along the axes."""
    wanted = list(x.aval.shape)
    for axis, n in zip(axes, sizes, strict=True):
        wanted[axis] = n
    kept = x[tuple(slice(0, n) for n in wanted)]
    room = [[0, n - have] for n, have in zip(wanted, kept.aval.shape, strict=True)]
    return pad(kept, room) if any(more for _, more in room) else kept


def _real_transform(name: str, given: str, gives: str) -> Callable[..., Tensor]:
    """Return a transform of real numbers of the rank of the example `given`."""
    rank = _rank(given)

    def transform(
        input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None
    ) -> Tensor:
        op = transform.__name__
        x = convert_to_tensor(input_tensor, dtype_hint=dtypes.float32)
        if x.dtype not in dtypes.PARTS:
            raise ValueError(f"{op}: RFFT requires tf.float32 inputs, got: {x!r}")
        require_rank(op, x, rank)
        axes = range(x.ndim - rank, x.ndim)
        sizes = _lengths(op, fft_length, x.aval.shape[x.ndim - rank :], rank)
        return half_transform(fit_sizes(x, axes, sizes), axes)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"""Compute the FFT of real numbers over the last {_dimensions(rank)}.

    For n points along the last axis, the result contains only the first `n // 2 + 1` frequencies,
    because the other ones are the complex conjugates of these.

    Args:
        input_tensor: Float tensor of rank {rank} or more.
        fft_length: Lengths of the transformed axes, a list with one integer for each of them. The
            axes are cropped or zero-padded to these lengths first. Default: the lengths of the axes
            of `input_tensor`.

    Returns:
        Complex tensor of shape `[..., n // 2 + 1]`.

    Raises:
        ValueError: If the input is not a float tensor, if its rank is too low, or if a length is
            negative.
        tf.errors.InvalidArgumentError: If `fft_length` has the wrong number of integers.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.{name}({given}).numpy().real.round(3).tolist()
        {gives}

    See also: `tf.signal.i{name}`.
    """
    return transform


def half_transform(x: Tensor, axes: Sequence[int]) -> Tensor:
    """Transform real numbers: compute the non-negative frequencies of the last axis first."""
    *others, last = axes
    n = x.aval.shape[last]
    both = dft(x, axis=last, inverse=False)
    half = both[..., : n // 2 + 1 if n else 0]
    return _transform(complex(plane(half, 0), plane(half, 1)), others, False)


def require_rank(op: str, x: Tensor, rank: int) -> None:
    if x.ndim < rank:
        raise ValueError(f"{op}: Shape {x.shape} must have rank at least {rank}")


def _inverse_real_transform(name: str, given: str, gives: str) -> Callable[..., Tensor]:
    """Return an inverse transform to real numbers of the rank of the example `given`."""
    rank = _rank(given)

    def transform(
        input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None
    ) -> Tensor:
        op = transform.__name__
        x = convert_to_tensor(input_tensor, dtype_hint=dtypes.complex64)
        if x.dtype not in dtypes.COMPLEX:
            raise ValueError(f"{op}: IRFFT requires tf.complex64 inputs, got: {x!r}")
        require_rank(op, x, rank)
        axes = range(x.ndim - rank, x.ndim)
        *outer, half = x.aval.shape[x.ndim - rank :]
        sizes = _lengths(op, fft_length, [*outer, 2 * (half - 1) if half else 0], rank)
        fitted = fit_sizes(x, axes, [*sizes[:-1], sizes[-1] // 2 + 1 if sizes[-1] else 0])
        return inverse_half_transform(fitted, axes, sizes[-1])

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"""Invert `tf.signal.{name[1:]}` over the last {_dimensions(rank)}.

    Args:
        input_tensor: Non-negative frequencies, a complex tensor of rank {rank} or more.
        fft_length: Lengths of the transformed axes in the result, a list with one integer for each
            of them. Default: the lengths of the axes of `input_tensor`, except for the last axis,
            whose length n becomes `2 * (n - 1)`.

    Returns:
        Float tensor of the rank of `input_tensor`.

    Raises:
        ValueError: If the input is not complex, if its rank is too low, or if a length is negative.
        tf.errors.InvalidArgumentError: If `fft_length` has the wrong number of integers.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant({given}, tf.complex64)
        >>> tf.signal.{name}(x).numpy().round(3).tolist()
        {gives}
    """
    return transform


def inverse_half_transform(x: Tensor, axes: Sequence[int], n: int) -> Tensor:
    """Compute `n` real numbers along the last axis from its non-negative frequencies.

    Each frequency represents itself and its conjugate, except for the first one and the last one of
    an even length. It counts twice in the real part of a transform without the conjugates.
    """
    *others, last = axes
    z = _transform(x, others, True)
    weights = np.full(x.aval.shape[last], 2 / max(n, 1), x.dtype.real_dtype.as_numpy_dtype)
    weights[:1] /= 2
    if n and n % 2 == 0:
        weights[n // 2] = 1 / n
    factors = sized(weights, (x.aval.shape[last],))
    parts = [fit_sizes(part * factors, [last], [n]) for part in (real(z), imag(z))]
    return plane(dft(*parts, axis=last, inverse=True), 0)


rfft = _real_transform("rfft", _LINE, "[10.0, -2.0, -2.0]")
rfft2d = _real_transform("rfft2d", _PLANE, _PLANE_FREQUENCIES)
rfft3d = _real_transform("rfft3d", f"[{_PLANE}]", f"[{_PLANE_FREQUENCIES}]")
irfft = _inverse_real_transform("irfft", "[10 + 0j, -2 + 2j, -2 + 0j]", _LINE)
irfft2d = _inverse_real_transform("irfft2d", _PLANE_FREQUENCIES, _PLANE)
irfft3d = _inverse_real_transform("irfft3d", f"[{_PLANE_FREQUENCIES}]", f"[{_PLANE}]")


def _shifted(x: Any, axes: Any, direction: int) -> Tensor:
    """Roll each axis by half of its size, forwards or back."""
    t = convert_to_tensor(x)
    over = range(t.ndim) if axes is None else static_ints(axes)
    for axis in (normalize_axis("fftshift", a, t.ndim) for a in over):
        n = t.aval.shape[axis]
        order = np.roll(np.arange(n, dtype=np.int32), -direction * (n // 2))
        t = take(t, sized(order, (n,)), axis=axis)
    return t


def fftshift(x: TensorLike, axes: Axis = None, name: str | None = None) -> Tensor:
    """Move the zero frequency from index 0 to the middle of the axes.

    Args:
        x: Tensor of any shape and dtype.
        axes: Axis or axes to shift; negative values count from the end. Default: all axes.

    Returns:
        Tensor of the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
        [-2, -1, 0, 1, 2]

    See also: `tf.signal.ifftshift`, `tf.signal.fft`.
    """
    return _shifted(x, axes, -1)


def ifftshift(x: TensorLike, axes: Axis = None, name: str | None = None) -> Tensor:
    """Move the zero frequency from the middle of the axes back to index 0.

    Args:
        x: Tensor of any shape and dtype.
        axes: Axis or axes to shift; negative values count from the end. Default: all axes.

    Returns:
        Tensor of the shape and dtype of `x`.

    Example:
        >>> import tfpy as tf
        >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
        [0, 1, 2, -2, -1]

    See also: `tf.signal.fftshift`.
    """
    return _shifted(x, axes, 1)
