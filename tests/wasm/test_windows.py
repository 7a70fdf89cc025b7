"""Convolution, depthwise convolution, pooling and their gradients, compared with NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall

from .node_runtime import Array, NodeRuntime

NAMES = (
    ("d", "pad_front", "pad_back"),
    ("h", "pad_top", "pad_bottom"),
    ("w", "pad_left", "pad_right"),
)


@dataclass(frozen=True)
class Case:
    """A window over images or volumes: (before, after) padding, and channels by groups."""

    size: tuple[int, ...]  # batch, depth?, height, width
    filter: tuple[int, ...]
    channels: tuple[int, int]  # in, out (or in, multiplier)
    stride: tuple[int, ...] = ()
    dilation: tuple[int, ...] = ()
    pad: tuple[tuple[int, int], ...] = ()
    groups: int = 1

    def __post_init__(self) -> None:
        rank = len(self.filter)
        for name, default in (("stride", 1), ("dilation", 1), ("pad", (0, 0))):
            object.__setattr__(self, name, getattr(self, name) or (default,) * rank)

    @property
    def out(self) -> tuple[int, ...]:
        sizes = zip(self.size[1:], self.filter, self.stride, self.dilation, self.pad, strict=True)
        return tuple((n + sum(p) - (f - 1) * d - 1) // s + 1 for n, f, s, d, p in sizes)

    def params(self) -> dict[str, int]:
        params = {"batch": self.size[0]}
        for i, (axis, before, after) in enumerate(NAMES[-len(self.filter) :]):
            params |= {f"in_{axis}": self.size[1 + i], f"out_{axis}": self.out[i]}
            params |= {f"filter_{axis}": self.filter[i], f"stride_{axis}": self.stride[i]}
            params |= {f"dilation_{axis}": self.dilation[i]}
            params |= {before: self.pad[i][0], after: self.pad[i][1]}
        return params

    def volume(self) -> Case:
        """Return the same window in three dimensions. An image has depth 1."""
        if len(self.filter) == 3:
            return self
        return Case(
            (self.size[0], 1, *self.size[1:]),
            (1, *self.filter),
            self.channels,
            (1, *self.stride),
            (1, *self.dilation),
            ((0, 0), *self.pad),
            self.groups,
        )

    def patches(self, x: Array, fill: float) -> Array:
        """Return [batch, *out, *filter, channels] as a view of padded x."""
        x = np.pad(x, ((0, 0), *self.pad, (0, 0)), constant_values=fill)
        batch, *steps, channel = x.strides
        strides = [a * s for a, s in zip(steps, self.stride, strict=True)]
        taps = [a * d for a, d in zip(steps, self.dilation, strict=True)]
        shape = (self.size[0], *self.out, *self.filter, x.shape[-1])
        return np.lib.stride_tricks.as_strided(x, shape, (batch, *strides, *taps, channel))

    def spread(self, patches: Array) -> Array:
        """Return the adjoint of `patches`: each element is added to its origin."""
        sizes = [n + sum(p) for n, p in zip(self.size[1:], self.pad, strict=True)]
        x = np.zeros((self.size[0], *sizes, patches.shape[-1]), patches.dtype)
        rank = len(self.filter)
        for index in np.ndindex(*self.out, *self.filter):
            places = zip(index[:rank], index[rank:], self.stride, self.dilation, strict=True)
            at = tuple(o * s + k * d for o, k, s, d in places)
            x[:, *at] += patches[:, *index]
        inside = (slice(p[0], p[0] + n) for p, n in zip(self.pad, self.size[1:], strict=True))
        return x[:, *inside]


CASES = [
    Case((2, 7, 9), (3, 3), (4, 8)),
    Case((1, 8, 8), (1, 1), (5, 7)),
    Case((2, 9, 8), (3, 2), (3, 5), stride=(2, 3), pad=((1, 0), (0, 2))),
    Case((1, 11, 10), (3, 3), (8, 16), dilation=(2, 3), pad=((2, 2), (3, 1))),
    Case((2, 8, 7), (3, 3), (6, 9), groups=3, pad=((1, 1), (1, 1))),
    Case((1, 6, 6), (5, 4), (1, 3), stride=(2, 2), pad=((2, 2), (1, 2))),
    Case((3, 5, 5), (2, 2), (16, 33), stride=(4, 4)),
    Case((1, 12, 13), (2, 3), (17, 2), stride=(3, 2), dilation=(2, 1), pad=((0, 3), (2, 0))),
    Case((2, 15, 14), (3, 3), (12, 40), stride=(2, 2), pad=((0, 1), (0, 1)), groups=4),
    Case((1, 4, 4), (4, 4), (3, 4), pad=((3, 3), (3, 3))),
    Case((5, 24, 24), (3, 3), (20, 36), pad=((1, 1), (1, 1))),
]


VOLUMES = [
    Case((2, 4, 5, 6), (2, 3, 2), (4, 8)),
    Case((1, 3, 4, 4), (1, 1, 1), (5, 7)),
    Case((2, 5, 6, 5), (3, 2, 2), (3, 5), stride=(2, 1, 3), pad=((1, 0), (0, 2), (1, 1))),
    Case((1, 7, 8, 9), (2, 3, 2), (6, 9), dilation=(3, 1, 2), pad=((1, 1), (2, 0), (0, 3))),
    Case((1, 2, 2, 2), (2, 2, 2), (1, 3), pad=((1, 1), (1, 1), (1, 1))),
    Case((3, 4, 4, 4), (2, 2, 2), (8, 12), stride=(2, 2, 2)),
    Case((1, 6, 16, 16), (3, 3, 3), (20, 12), pad=((1, 1), (1, 1), (1, 1))),
    Case((1, 5, 5, 5), (1, 1, 1), (4, 4), stride=(2, 2, 2)),
]


def close(got: Array, wanted: Array) -> None:
    scale = max(1.0, float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0)))
    np.testing.assert_allclose(got, wanted, 1e-5, 1e-5 * scale)


def run(
    runtime: NodeRuntime, name: str, params: dict[str, Any], shape: tuple[int, ...], *arrays: Array
) -> Array:
    arrays = tuple(a.astype(np.float32) for a in arrays)
    call = KernelCall(name, ("a", "b")[: len(arrays)], params)
    return runtime.run_kernel(call, arrays, Aval(shape, ex.F))


@pytest.mark.parametrize("case", CASES + VOLUMES, ids=str)
def test_convolution(case: Case, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    (c_in, c_out), groups = case.channels, case.groups
    x = rng.standard_normal((*case.size, c_in))
    w = rng.standard_normal((*case.filter, c_in // groups, c_out))
    dy = rng.standard_normal((case.size[0], *case.out, c_out))
    params = {**case.params(), "in_c": c_in, "out_c": c_out, "groups": groups}
    rank = len(case.filter)
    patches = case.patches(x, 0)
    parts = patches.reshape(*patches.shape[:-1], groups, c_in // groups)
    filters = w.reshape(*w.shape[:-1], groups, c_out // groups)
    grads = dy.reshape(*dy.shape[:-1], groups, c_out // groups)
    at, tap = "bdhw"[: rank + 1], "ijk"[:rank]
    name = f"conv{rank}d"
    y = np.einsum(f"{at}{tap}gc,{tap}cgo->{at}go", parts, filters).reshape(dy.shape)
    close(run(runtime, name, params, dy.shape, x, w), y)
    dx = np.einsum(f"{at}go,{tap}cgo->{at}{tap}gc", grads, filters).reshape(patches.shape)
    close(run(runtime, f"{name}_backprop_input", params, x.shape, dy, w), case.spread(dx))
    dw = np.einsum(f"{at}{tap}gc,{at}go->{tap}cgo", parts, grads).reshape(w.shape)
    close(run(runtime, f"{name}_backprop_filter", params, w.shape, x, dy), dw)


@pytest.mark.parametrize("size", [3, 5])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("pad", [(0, 0), (1, 1), (0, 1), (3, 4)], ids=str)
def test_depthwise_of_each_width(
    size: int, stride: int, pad: tuple[int, int], runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    """Compare rows with fewer, as many and more outputs than are computed at once.

    Kernels of square filters compute several outputs at once.
    """
    for width in range(1, 17):
        if width + sum(pad) < size:
            continue
        case = Case((2, 6, width), (size, size), (6, 6), (stride, stride), pad=(pad, pad))
        x, w = rng.standard_normal((*case.size, 6)), rng.standard_normal((size, size, 6, 1))
        y = np.einsum("bhwijc,ijcm->bhwc", case.patches(x, 0), w)
        params = {**case.params(), "in_c": 6, "out_c": 6, "multiplier": 1}
        close(run(runtime, "depthwise_conv2d", params, y.shape, x, w), y)


@pytest.mark.parametrize("multiplier", [1, 2, 3])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_depthwise(
    case: Case, multiplier: int, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    c_in = case.channels[1]
    x = rng.standard_normal((*case.size, c_in))
    w = rng.standard_normal((*case.filter, c_in, multiplier))
    dy = rng.standard_normal((case.size[0], *case.out, c_in * multiplier))
    params = {
        **case.params(),
        **{"in_c": c_in, "out_c": c_in * multiplier, "multiplier": multiplier},
    }
    patches = case.patches(x, 0)
    grads = dy.reshape(*dy.shape[:-1], c_in, multiplier)
    y = np.einsum("bhwijc,ijcm->bhwcm", patches, w).reshape(dy.shape)
    close(run(runtime, "depthwise_conv2d", params, dy.shape, x, w), y)
    dx = case.spread(np.einsum("bhwcm,ijcm->bhwijc", grads, w))
    close(run(runtime, "depthwise_conv2d_backprop_input", params, x.shape, dy, w), dx)
    dw = np.einsum("bhwijc,bhwcm->ijcm", patches, grads)
    close(run(runtime, "depthwise_conv2d_backprop_filter", params, w.shape, x, dy), dw)


@pytest.mark.parametrize("ties", ["first", "all"])
@pytest.mark.parametrize("case", CASES + VOLUMES, ids=str)
def test_max_pool(case: Case, ties: str, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    case, channels = case.volume(), case.channels[0]
    # Few distinct values, so that windows have several maxima, all below zero in some.
    x = rng.integers(-9, -3, (*case.size, channels)).astype(np.float64)
    dy = rng.standard_normal((case.size[0], *case.out, channels))
    g = rng.standard_normal(x.shape)
    params = {**case.params(), "channels": channels}
    flat = case.patches(x, -np.inf).reshape(*dy.shape[:4], -1, channels)
    best = flat.max(4)
    close(run(runtime, "pool", {**params, "kind": "max"}, dy.shape, x), best)
    first = flat.argmax(4)[:, :, :, :, None] == np.arange(flat.shape[4])[:, None]
    hit = (first if ties == "first" else flat == best[:, :, :, :, None]) & np.isfinite(flat)
    dx = (hit * dy[:, :, :, :, None]).reshape(*dy.shape[:4], *case.filter, channels)
    got = run(runtime, "max_pool_grad", {**params, "ties": ties}, x.shape, x, dy)
    close(got, case.spread(dx))
    at = (case.patches(g, 0).reshape(flat.shape) * (first & np.isfinite(flat))).sum(4)
    close(run(runtime, "max_pool_grad_grad", params, dy.shape, x, g), at)


@pytest.mark.parametrize("case", CASES + VOLUMES, ids=str)
def test_avg_pool(case: Case, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    case, channels = case.volume(), case.channels[0]
    x = rng.standard_normal((*case.size, channels))
    dy = rng.standard_normal((case.size[0], *case.out, channels))
    params = {**case.params(), "channels": channels}
    inside = case.patches(np.ones_like(x), 0)
    counts = np.maximum(inside.sum((4, 5, 6)), 1)
    close(
        run(runtime, "pool", {**params, "kind": "avg"}, dy.shape, x),
        case.patches(x, 0).sum((4, 5, 6)) / counts,
    )
    share = inside * (dy / counts)[:, :, :, :, None, None, None]
    close(run(runtime, "avg_pool_grad", params, x.shape, dy), case.spread(share))


def test_max_pool_of_integers(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for case in CASES:
        volume, channels = case.volume(), case.channels[0]
        x = rng.integers(-(2**31), 2**31, (*volume.size, channels)).astype(np.int32)
        params = {**volume.params(), "channels": channels, "kind": "max"}
        wanted = volume.patches(x, -(2**31)).max((4, 5, 6))
        call = KernelCall("pool", ("x",), params)
        got = runtime.run_kernel(call, (x,), Aval(wanted.shape, ex.I))
        np.testing.assert_array_equal(got, wanted)


def test_max_pool_keeps_nan(runtime: NodeRuntime) -> None:
    case = Case((1, 1, 4, 4), (1, 2, 2), (5, 5), stride=(1, 2, 2))
    x = np.zeros((1, 1, 4, 4, 5))
    x[0, 0, 0, 0], x[0, 0, 3, 3, 1] = np.nan, np.nan
    params = {**case.params(), "channels": 5, "kind": "max"}
    got = run(runtime, "pool", params, (1, 1, 2, 2, 5), x)
    wanted = case.patches(x, 0).max((4, 5, 6))
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("size", [(0, 5, 5), (2, 5, 5)])
def test_nothing_to_sum(size: tuple[int, int, int], runtime: NodeRuntime) -> None:
    """Test empty batches, and filters without input channels."""
    case = Case(size, (3, 3), (0, 4))
    x, w = np.zeros((*size, 0)), np.zeros((3, 3, 0, 4))
    y = np.ones((size[0], *case.out, 4))
    params = {**case.params(), "in_c": 0, "out_c": 4, "groups": 1}
    np.testing.assert_array_equal(run(runtime, "conv2d", params, y.shape, x, w), 0 * y)
    assert run(runtime, "conv2d_backprop_input", params, x.shape, y, w).size == 0
    assert run(runtime, "conv2d_backprop_filter", params, w.shape, x, y).size == 0
    empty = Case((0, 5, 5), (3, 3), (2, 4))
    params = {**empty.params(), "in_c": 2, "out_c": 4, "groups": 1}
    shape = (3, 3, 2, 4)
    got = run(
        runtime,
        "conv2d_backprop_filter",
        params,
        shape,
        np.zeros((0, 5, 5, 2)),
        np.zeros((0, 3, 3, 4)),
    )
    np.testing.assert_array_equal(got, np.zeros(shape))
