"""Movement and products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jax import lax, numpy as jnp

from tfpy._src.compiler.lower.jax.table import lowers


@lowers("reshape")
def reshape(x: Any, shape: Sequence[int]) -> Any:
    return lax.reshape(x, shape)


@lowers("broadcast_to")
def broadcast_to(x: Any, shape: Sequence[int]) -> Any:
    return jnp.broadcast_to(x, shape)


@lowers("transpose")
def transpose(x: Any, perm: Sequence[int]) -> Any:
    return lax.transpose(x, perm)


@lowers("strided_slice")
def strided_slice(x: Any, begin: Sequence[int], size: Sequence[int], strides: Sequence[int]) -> Any:
    """Slice with positive strides, then reverse the axes with negative ones."""
    runs = [_forwards(*run) for run in zip(begin, size, strides, strict=True)]
    starts, ends, steps = ([run[i] for run in runs] for i in range(3))
    found = lax.slice(x, starts, ends, steps)
    turned = [axis for axis, stride in enumerate(strides) if stride < 0]
    return lax.rev(found, turned) if turned else found


def _forwards(begin: int, size: int, stride: int) -> tuple[int, int, int]:
    if not size:
        return 0, 0, 1
    last = begin + (size - 1) * stride
    return min(begin, last), max(begin, last) + 1, abs(stride)


@lowers("pad")
def pad(x: Any, padding: Any, interior: Sequence[int], value: Any) -> Any:
    config = [(low, high, i) for (low, high), i in zip(padding, interior, strict=True)]
    return lax.pad(x, jnp.asarray(value, x.dtype), config)


@lowers("concat")
def concat(*xs: Any, axis: int) -> Any:
    return lax.concatenate(xs, axis)


@lowers("matmul", narrow=True)
def matmul(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    a = jnp.swapaxes(a, -1, -2) if transpose_a else a
    b = jnp.swapaxes(b, -1, -2) if transpose_b else b
    return jnp.matmul(a, b)
