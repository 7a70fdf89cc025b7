"""Convolution, depthwise convolution, pooling and their gradients, against NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tfpy.ir import expr as ex
from tfpy.ir.graph import Aval
from tfpy.ops.op import KernelCall

from .node_runtime import Array, NodeRuntime


@dataclass(frozen=True)
class Case:
    """A window over images: (before, after) padding, and channels by groups."""

    size: tuple[int, int, int]  # batch, height, width
    filter: tuple[int, int]
    channels: tuple[int, int]  # in, out (or in, multiplier)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pad: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    groups: int = 1

    @property
    def out(self) -> tuple[int, int]:
        def size(axis: int) -> int:
            window = (self.filter[axis] - 1) * self.dilation[axis] + 1
            room = self.size[1 + axis] + sum(self.pad[axis]) - window
            return room // self.stride[axis] + 1

        return size(0), size(1)

    def params(self) -> dict[str, int]:
        return {
            "batch": self.size[0],
            **{"in_h": self.size[1], "in_w": self.size[2]},
            **{"out_h": self.out[0], "out_w": self.out[1]},
            **{"filter_h": self.filter[0], "filter_w": self.filter[1]},
            **{"stride_h": self.stride[0], "stride_w": self.stride[1]},
            **{"dilation_h": self.dilation[0], "dilation_w": self.dilation[1]},
            **{"pad_top": self.pad[0][0], "pad_bottom": self.pad[0][1]},
            **{"pad_left": self.pad[1][0], "pad_right": self.pad[1][1]},
        }

    def patches(self, x: Array, fill: float) -> Array:
        """[batch, out_h, out_w, filter_h, filter_w, channels] as a view of padded x."""
        x = np.pad(x, ((0, 0), *self.pad, (0, 0)), constant_values=fill)
        b, h, w, c = x.strides
        shape = (self.size[0], *self.out, *self.filter, x.shape[-1])
        (sh, sw), (dh, dw) = self.stride, self.dilation
        strides = (b, h * sh, w * sw, h * dh, w * dw, c)
        return np.lib.stride_tricks.as_strided(x, shape, strides)

    def spread(self, patches: Array) -> Array:
        """The adjoint of :meth:`patches`: each element is added to where it came from."""
        (top, bottom), (left, right) = self.pad
        b, h, w = self.size
        x = np.zeros((b, h + top + bottom, w + left + right, patches.shape[-1]), patches.dtype)
        for index in np.ndindex(*self.out, *self.filter):
            oh, ow, kh, kw = index
            y = oh * self.stride[0] + kh * self.dilation[0]
            z = ow * self.stride[1] + kw * self.dilation[1]
            x[:, y, z] += patches[:, oh, ow, kh, kw]
        return x[:, top : top + h, left : left + w]


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


def close(got: Array, wanted: Array) -> None:
    scale = max(1.0, float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0)))
    np.testing.assert_allclose(got, wanted, 1e-5, 1e-5 * scale)


def run(
    runtime: NodeRuntime, name: str, params: dict[str, int], shape: tuple[int, ...], *arrays: Array
) -> Array:
    arrays = tuple(a.astype(np.float32) for a in arrays)
    call = KernelCall(name, ("a", "b")[: len(arrays)], params)
    return runtime.run_kernel(call, arrays, Aval(shape, ex.F))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_conv2d(case: Case, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    (c_in, c_out), groups = case.channels, case.groups
    x = rng.standard_normal((*case.size, c_in))
    w = rng.standard_normal((*case.filter, c_in // groups, c_out))
    dy = rng.standard_normal((case.size[0], *case.out, c_out))
    params = {**case.params(), "in_c": c_in, "out_c": c_out, "groups": groups}
    patches = case.patches(x, 0)
    parts = patches.reshape(*patches.shape[:-1], groups, c_in // groups)
    filters = w.reshape(*w.shape[:-1], groups, c_out // groups)
    grads = dy.reshape(*dy.shape[:-1], groups, c_out // groups)
    y = np.einsum("bhwijgc,ijcgo->bhwgo", parts, filters).reshape(dy.shape)
    close(run(runtime, "conv2d", params, dy.shape, x, w), y)
    dx = np.einsum("bhwgo,ijcgo->bhwijgc", grads, filters).reshape(patches.shape)
    close(run(runtime, "conv2d_backprop_input", params, x.shape, dy, w), case.spread(dx))
    dw = np.einsum("bhwijgc,bhwgo->ijcgo", parts, grads).reshape(w.shape)
    close(run(runtime, "conv2d_backprop_filter", params, w.shape, x, dy), dw)


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


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pool(case: Case, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    channels = case.channels[0]
    # Few distinct values, so that windows have several maxima; all below zero in some.
    x = rng.integers(-9, -3, (*case.size, channels)).astype(np.float64)
    dy = rng.standard_normal((case.size[0], *case.out, channels))
    params = {**case.params(), "channels": channels}
    patches = case.patches(x, -np.inf)
    flat = patches.reshape(*patches.shape[:3], -1, channels)
    best = flat.max(3)
    close(run(runtime, "pool", {**params, "kind": "max"}, dy.shape, x), best)
    first = flat.argmax(3)[:, :, :, None] == np.arange(flat.shape[3])[:, None]
    first &= np.isfinite(best)[:, :, :, None]
    dx = case.spread((first * dy[:, :, :, None]).reshape(patches.shape))
    close(run(runtime, "max_pool_grad", params, x.shape, x, dy), dx)

    inside = case.patches(np.ones_like(x), 0)
    counts = np.maximum(inside.sum((3, 4)), 1)
    close(
        run(runtime, "pool", {**params, "kind": "avg"}, dy.shape, x),
        case.patches(x, 0).sum((3, 4)) / counts,
    )
    share = inside * (dy / counts)[:, :, :, None, None]
    close(run(runtime, "avg_pool_grad", params, x.shape, dy), case.spread(share))


def test_max_pool_keeps_nan(runtime: NodeRuntime) -> None:
    case = Case((1, 4, 4), (2, 2), (5, 5), stride=(2, 2))
    x = np.zeros((1, 4, 4, 5))
    x[0, 0, 0], x[0, 3, 3, 1] = np.nan, np.nan
    params = {**case.params(), "channels": 5, "kind": "max"}
    got = run(runtime, "pool", params, (1, 2, 2, 5), x)
    wanted = case.patches(x, 0).max((3, 4))
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("size", [(0, 5, 5), (2, 5, 5)])
def test_nothing_to_sum(size: tuple[int, int, int], runtime: NodeRuntime) -> None:
    """Empty batches, and filters without input channels."""
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
