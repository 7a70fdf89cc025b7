"""Reductions, cumulative sums, and order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.compiler.lower.jax.table import RULES, lowers


def _least(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _most(dtype: Any) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _reduction(combine: Callable[..., Any], start: Callable[[Any], Any]) -> Callable[..., Any]:
    def reduce(x: Any, axes: tuple[int, int]) -> Any:
        return lax.reduce(x, jnp.asarray(start(x.dtype), x.dtype), combine, tuple(range(*axes)))

    return reduce


RULES.update(
    reduce_sum=_reduction(lax.add, lambda dtype: 0),
    reduce_prod=_reduction(lax.mul, lambda dtype: 1),
    reduce_max=_reduction(lax.max, _least),
    reduce_min=_reduction(lax.min, _most),
    reduce_any=_reduction(lax.bitwise_or, lambda dtype: False),
    reduce_all=_reduction(lax.bitwise_and, lambda dtype: True),
)


def _without_nan(x: Any, worst: float) -> Any:
    return jnp.where(jnp.isnan(x), jnp.asarray(worst, x.dtype), x) if x.dtype.kind == "f" else x


@lowers("argmax")
def argmax(x: Any, axis: int) -> Any:
    return lax.argmax(_without_nan(x, -np.inf), axis, np.int32)


@lowers("argmin")
def argmin(x: Any, axis: int) -> Any:
    return lax.argmin(_without_nan(x, np.inf), axis, np.int32)


@lowers("largest")
def largest(x: Any, k: int) -> Any:
    """Return the indices of the largest elements in descending order, as XLA does."""
    return argsort(x, k, descending=True)


@lowers("argsort")
def argsort(x: Any, k: int, descending: bool) -> Any:
    """Return the indices that sort the last axis.

    For a descending order, the input is reversed before and after sorting, so that equal elements
    keep their order.
    """
    last = x.ndim - 1
    places = lax.broadcasted_iota(np.int32, x.shape, last)
    if descending:
        x, places = lax.rev(x, [last]), lax.rev(places, [last])
    _, order = lax.sort((x, places), dimension=last, is_stable=True, num_keys=1)
    order = lax.rev(order, [last]) if descending else order
    return lax.slice_in_dim(order, 0, k, axis=last)


@lowers("permute")
def permute(x: Any, order: Any) -> Any:
    return jnp.take_along_axis(x, order, axis=-1)


@lowers("searchsorted")
def searchsorted(sequence: Any, values: Any, right: bool) -> Any:
    """Search by the steps of the reference. `jnp.searchsorted` places NaN differently."""
    n = sequence.shape[-1]
    low = jnp.zeros(values.shape, np.int32)
    high = jnp.full_like(low, n)
    for _ in range(n.bit_length()):
        middle = (low + high) >> 1
        element = jnp.take_along_axis(sequence, jnp.minimum(middle, n - 1), -1)
        passes = ~(values < element) if right else element < values
        searching = low < high
        low = jnp.where(searching & passes, middle + 1, low)
        high = jnp.where(searching & ~passes, middle, high)
    return low


def _scan(accumulate: Callable[..., Any], identity: float) -> Callable[..., Any]:
    def scan(x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
        if exclusive and x.shape[axis]:
            x = _moved(x, axis, reverse, identity)
        return accumulate(x, axis=axis, reverse=reverse)

    return scan


def _moved(x: Any, axis: int, reverse: bool, identity: float) -> Any:
    """Shift each element to the next position, and put the identity at the first one."""
    config = [(0, 0, 0)] * x.ndim
    config[axis] = (-1, 1, 0) if reverse else (1, -1, 0)
    return lax.pad(x, jnp.asarray(identity, x.dtype), config)


RULES.update(
    cumsum=_scan(lax.cumsum, 0),
    cumprod=_scan(lax.cumprod, 1),
    cumulative_logsumexp=_scan(lax.cumlogsumexp, -np.inf),
)


@lowers("dft")
def dft(real: Any, *imag: Any, axis: int, inverse: bool) -> Any:
    z = lax.complex(real, imag[0] if imag else jnp.zeros_like(real))
    if not real.size:
        return jnp.zeros((2, *real.shape), real.dtype)
    y = jnp.fft.ifft(z, axis=axis, norm="forward") if inverse else jnp.fft.fft(z, axis=axis)
    return jnp.stack([lax.real(y), lax.imag(y)])
