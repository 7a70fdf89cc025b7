"""Primitives that move elements without computing on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import OpError, invalid, invalid_value
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ir.sizes import closed, is_open
from tfpy._src.compiler.ir.strides import broadcast_strides, dense_strides, merge, pad_front
from tfpy._src.compiler.ops import stacking
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.rules import sum_to_shape, zeros


def _per_dtype(cases: Sequence[tuple[Shape, dict[str, Any]]]) -> Any:
    """Return a function that draws each case in each device dtype."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        kinds = (dtypes.float32, dtypes.int32, dtypes.bool)
        return [((array(rng, shape, d),), attrs) for d in kinds for shape, attrs in cases]

    return samples


def strided_call(dims: Sequence[int], strides: Sequence[int], offset: int) -> KernelCall:
    """Return the call of kernel `strided`.

    Its output element at `idx` is `x[offset + sum(idx * strides)]`.
    """
    dims, (strides,) = merge(dims, [strides])
    return KernelCall(
        "strided",
        ("x",),
        {"dims": pad_front(dims, 1), "strides": pad_front(strides, 0), "offset": offset},
    )


# reshape: the same elements with another shape; an alias on every backend.


def _reshape_infer(x: Aval, shape: Shape) -> Aval:
    if math.prod(shape) != x.size:
        raise invalid(
            "reshape",
            f"Input to reshape is a tensor with {x.size} values of shape {list(x.shape)}, "
            f"but the requested shape {list(shape)} has {math.prod(shape)}",
        )
    if sum(map(is_open, shape)) == 1 and not x.is_open:  # the other sizes determine it
        shape = closed(shape)
    return Aval(tuple(shape), x.dtype)


reshape: Op = register(
    Op(
        "reshape",
        "movement",
        _reshape_infer,
        lambda x, shape: x.reshape(shape),
        lambda g, y, x, shape: (reshape(g, shape=tuple(x.aval.shape)),),
        viewed=True,
        by_component=True,
        stacked=stacking.shape_for,
        params=("tensor",),
        samples=_per_dtype([((2, 6), {"shape": (3, 4)}), ((1,), {"shape": ()})]),
    )
)


# broadcast_to


def _broadcast_infer(x: Aval, shape: Shape) -> Aval:
    if min(shape, default=0) < 0:
        raise invalid("broadcast_to", f"Size must be non-negative, got {list(shape)}")
    last = shape[len(shape) - x.rank :]
    full = tuple(n or m for n, m in zip(x.shape, last, strict=False))
    if x.rank > len(shape) or infer.broadcast_shapes("broadcast_to", full, shape) != tuple(shape):
        raise invalid("broadcast_to", _cannot_become(x, shape))
    return Aval(tuple(shape), x.dtype)


def _cannot_become(x: Aval, shape: Shape) -> str:
    return f"Incompatible shapes: {list(x.shape)} cannot become {list(shape)}"


def _broadcast_refuses(x: Aval, shape: Shape) -> OpError | None:
    """Return the error of a dimension without elements that would receive elements."""
    last = shape[len(shape) - x.rank :]
    if all(n or not m for n, m in zip(x.shape, last, strict=True)):
        return None
    return invalid_value("broadcast_to", _cannot_become(x, shape))


def _broadcast_vjp(g: Any, y: Any, x: Any, shape: Shape) -> tuple[Any]:
    if not x.size:
        return (zeros(x.aval.shape, x.dtype),)
    return (sum_to_shape(g, x.aval.shape),)


broadcast_to = register(
    Op(
        "broadcast_to",
        "movement",
        _broadcast_infer,
        np.broadcast_to,
        _broadcast_vjp,
        refuses=_broadcast_refuses,
        kernel=lambda x, shape: strided_call(shape, broadcast_strides(x.shape, shape), 0),
        viewed=True,
        by_component=True,
        stacked=stacking.shape_for,
        params=("input",),
        samples=_per_dtype(
            [((), {"shape": (3, 5)}), ((3, 1), {"shape": (2, 3, 7)}), ((5,), {"shape": (4, 5)})]
        ),
    )
)


# transpose


def _transpose_infer(x: Aval, perm: tuple[int, ...]) -> Aval:
    if sorted(perm) != list(range(x.rank)):
        raise invalid(
            "transpose",
            f"perm {list(perm)} is not a permutation of the {x.rank} dimensions of "
            f"shape {list(x.shape)}",
        )
    return Aval(tuple(x.shape[p] for p in perm), x.dtype)


def _transpose_kernel(x: Aval, perm: tuple[int, ...]) -> KernelCall:
    strides = dense_strides(x.shape)
    return strided_call([x.shape[p] for p in perm], [strides[p] for p in perm], 0)


def inverse_permutation(perm: Sequence[int]) -> tuple[int, ...]:
    """Return the inverse of a permutation."""
    return tuple(int(i) for i in np.argsort(perm))


transpose: Op = register(
    Op(
        "transpose",
        "movement",
        _transpose_infer,
        lambda x, perm: np.transpose(x, perm),
        lambda g, y, x, perm: (transpose(g, perm=inverse_permutation(perm)),),
        kernel=_transpose_kernel,
        by_component=True,
        stacked=stacking.perm_for,
        params=("a",),
        samples=_per_dtype(
            [
                ((5, 7), {"perm": (1, 0)}),
                ((40, 33), {"perm": (1, 0)}),
                ((2, 3, 4, 5), {"perm": (0, 3, 1, 2)}),
                ((2, 3, 4, 5), {"perm": (3, 2, 1, 0)}),
                ((2, 1, 2, 2, 3, 2), {"perm": (5, 0, 4, 1, 3, 2)}),
            ]
        ),
    )
)


# strided_slice: begins and strides per axis (strides may be negative), and sizes of the result.


def _slice_infer(
    x: Aval, begin: tuple[int, ...], size: tuple[int, ...], strides: tuple[int, ...]
) -> Aval:
    for axis, (b, n, s, whole) in enumerate(zip(begin, size, strides, x.shape, strict=True)):
        last = b + (n - 1) * s
        if n and not (0 <= b < whole and 0 <= last < whole):
            raise invalid(
                "slice",
                f"elements {b}..{last} of axis {axis} lie outside shape {list(x.shape)}",
            )
    return Aval(tuple(size), x.dtype)


def _slice_ref(x: Any, begin: Any, size: Any, strides: Any) -> Any:
    return x[*map(_run, begin, size, strides), ...].copy()  # the copy does not keep x alive


def _run(begin: int, size: int, stride: int) -> slice:
    """Return the slice of `size` positions from `begin` on."""
    end = begin + size * stride
    return slice(begin, end if end >= 0 else None, stride) if size else slice(0)


def _slice_kernel(x: Aval, begin: Any, size: Any, strides: Any) -> KernelCall:
    dense = dense_strides(x.shape)
    offset = sum(b * d for b, d in zip(begin, dense, strict=True)) if math.prod(size) else 0
    return strided_call(size, [s * d for s, d in zip(strides, dense, strict=True)], offset)


def _slice_vjp(g: Any, y: Any, x: Any, begin: Any, size: Any, strides: Any) -> tuple[Any]:
    """Pad the gradient with zeros to the input's shape; negative strides are reversed first."""
    if any(s < 0 for s in strides):
        sizes = tuple(g.aval.shape)
        g = strided_slice(
            g,
            begin=tuple(n - 1 if s < 0 and n else 0 for n, s in zip(sizes, strides, strict=True)),
            size=sizes,
            strides=tuple(-1 if s < 0 else 1 for s in strides),
        )
        begin = tuple(
            b + (n - 1) * s if s < 0 and n else b
            for b, n, s in zip(begin, size, strides, strict=True)
        )
        strides = tuple(abs(s) for s in strides)
    if 0 in size:
        padding = tuple((0, whole - n) for n, whole in zip(size, x.aval.shape, strict=True))
        return (pad(g, padding=padding, interior=(0,) * len(size), value=0),)
    ends = (b + (n - 1) * s + 1 for b, n, s in zip(begin, size, strides, strict=True))
    padding = tuple(
        (b, whole - end) for b, end, whole in zip(begin, ends, x.aval.shape, strict=True)
    )
    return (pad(g, padding=padding, interior=tuple(s - 1 for s in strides), value=0),)


strided_slice = register(
    Op(
        "strided_slice",
        "movement",
        _slice_infer,
        _slice_ref,
        _slice_vjp,
        kernel=_slice_kernel,
        viewed=True,
        by_component=True,
        stacked=stacking.slice_for,
        params=("input",),
        samples=_per_dtype(
            [
                ((9,), {"begin": (2,), "size": (5,), "strides": (1,)}),
                ((9,), {"begin": (8,), "size": (5,), "strides": (-2,)}),
                ((6, 7, 8), {"begin": (1, 6, 0), "size": (3, 7, 3), "strides": (2, -1, 3)}),
                ((5, 40), {"begin": (0, 4), "size": (5, 32), "strides": (1, 1)}),
                ((4, 3), {"begin": (1, 0), "size": (0, 3), "strides": (1, 1)}),
            ]
        ),
    )
)


# pad: (low, high) per axis, negative to crop, and zeros between elements (interior).


def _pad_size(n: int, low: int, high: int, interior: int) -> int:
    return low + high + (n + (n - 1) * interior if n else 0)


def _pad_infer(x: Aval, padding: Any, interior: Any, value: Any) -> Aval:
    if len(padding) != x.rank:
        raise invalid("pad", f"paddings for {len(padding)} axes do not fit shape {list(x.shape)}")
    shape = tuple(
        _pad_size(n, low, high, i)
        for n, (low, high), i in zip(x.shape, padding, interior, strict=True)
    )
    if min(shape, default=0) < 0:
        raise invalid("pad", f"paddings {padding} crop more than shape {list(x.shape)} has")
    return Aval(shape, x.dtype)


def _pad_ref(x: Any, padding: Any, interior: Any, value: Any) -> Any:
    sizes = [_pad_size(n, 0, 0, i) for n, i in zip(x.shape, interior, strict=True)]
    spread = np.full(sizes, value, x.dtype)
    spread[tuple(slice(None, None, i + 1) for i in interior)] = x
    outer = [(max(a, 0), max(b, 0)) for a, b in padding]
    out = np.pad(spread, outer, constant_values=np.array(value, x.dtype))
    crops = [(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(padding, out.shape, strict=True)]
    return out[tuple(slice(a, b) for a, b in crops)]


def _pad_kernel(x: Aval, padding: Any, interior: Any, value: Any) -> KernelCall:
    out = _pad_infer(x, padding, interior, value)
    bits = np.array(value, np.float32 if x.dtype.is_floating else np.int32).view(np.int32)
    return KernelCall(
        "pad",
        ("x",),
        {
            "in_dims": pad_front(x.shape, 1),
            "out_dims": pad_front(out.shape, 1),
            "lo": pad_front([low for low, _ in padding], 0),
            "interior": pad_front(interior, 0),
            "value_bits": int(bits),
        },
    )


def _pad_vjp(g: Any, y: Any, x: Any, padding: Any, interior: Any, value: Any) -> tuple[Any]:
    uncropped = tuple((max(-a, 0), max(-b, 0)) for a, b in padding)
    if any(a or b for a, b in uncropped):
        g = pad(g, padding=uncropped, interior=(0,) * len(padding), value=0)
    begin = tuple(max(a, 0) for a, _ in padding)
    strides = tuple(i + 1 for i in interior)
    return (strided_slice(g, begin=begin, size=tuple(x.aval.shape), strides=strides),)


pad = register(
    Op(
        "pad",
        "movement",
        _pad_infer,
        _pad_ref,
        _pad_vjp,
        kernel=_pad_kernel,
        by_component=True,
        stacked=stacking.padding_for,
        params=("tensor",),
        samples=_per_dtype(
            [
                ((5,), {"padding": ((2, 1),), "interior": (0,), "value": 1}),
                ((3, 4), {"padding": ((0, 2), (1, 0)), "interior": (0, 0), "value": 0}),
                ((3, 4), {"padding": ((-1, 0), (1, -2)), "interior": (2, 1), "value": 0}),
                ((2, 0), {"padding": ((1, 1), (2, 2)), "interior": (0, 0), "value": 1}),
            ]
        ),
    )
)
