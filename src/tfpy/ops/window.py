"""Convolution over images and volumes and its gradients, and what windows of all kinds share.

Channels are last. Padding is explicit here: a pair ``(before, after)`` for each spatial dimension.
Names "SAME" and "VALID", channels-first and 1-D forms are resolved by the public functions in
``tfpy.nn``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy.errors import invalid
from tfpy.ir.graph import Aval, Shape
from tfpy.ops import host_window, infer
from tfpy.ops.infer import FLOAT
from tfpy.ops.op import KernelCall, Op, register
from tfpy.ops.samples import Sample, array

Sizes = tuple[int, ...]
Padding = tuple[tuple[int, int], ...]
CONV_TOLERANCE = 5e-4
CONV_REASON = "sums of products are rounded in another order"


class Window(NamedTuple):
    """How a window moves over the spatial dimensions."""

    strides: Sizes
    dilations: Sizes
    padding: Padding

    def out_size(self, op: str, size: Sizes, filter_size: Sizes) -> Sizes:
        """Spatial size of the output.

        Raises:
            InvalidArgumentError: when the window is larger than the padded image.
        """
        out = []
        for n, f, s, d, (low, high) in zip(size, filter_size, *self, strict=True):
            if f < 1 or s < 1 or d < 1:
                raise invalid(op, f"filter size {f}, stride {s} and dilation {d} must be positive")
            reach = (f - 1) * d + 1
            if n + low + high < reach:
                raise invalid(
                    op,
                    f"the window reaches over {reach} pixels, the image has {n} with padding "
                    f"({low}, {high}); use padding='SAME' or a smaller filter",
                )
            out.append((n + low + high - reach) // s + 1)
        return tuple(out)


_AXES = (
    ("d", "pad_front", "pad_back"),
    ("h", "pad_top", "pad_bottom"),
    ("w", "pad_left", "pad_right"),
)


def window_params(
    window: Window, x_shape: Shape, out_shape: Shape, filter_shape: Shape, **more: Any
) -> dict[str, Any]:
    """Parameters of a kernel for two (h, w) or three (d, h, w) spatial dimensions."""
    params: dict[str, Any] = {"batch": x_shape[0]}
    rank = len(window.strides)
    for i, (axis, before, after) in enumerate(_AXES[-rank:]):
        params |= {
            f"in_{axis}": x_shape[1 + i],
            f"out_{axis}": out_shape[1 + i],
            f"filter_{axis}": filter_shape[i],
            f"stride_{axis}": window.strides[i],
            f"dilation_{axis}": window.dilations[i],
            before: window.padding[i][0],
            after: window.padding[i][1],
        }
    return params | more


def _check(op: str, rank: int, x: Aval, filter_: Aval) -> None:
    infer.check_same_dtype(op, (x, filter_))
    infer.check_dtype(op, x, FLOAT, "input")
    infer.check_rank(op, x, rank + 2, "input")
    infer.check_rank(op, filter_, rank + 2, "filter")


# Convolution: x [batch, *spatial, c], filter [*spatial, c / groups, out].


def _conv_shape(op: str, x: Shape, filter_: Shape, window: Window) -> Shape:
    depth, out = filter_[-2:]
    if depth == 0 or x[-1] % depth or out % (x[-1] // depth):
        raise invalid(
            op,
            f"input depth {x[-1]} must be a multiple of filter depth {depth}, and the quotient "
            f"must divide the {out} filters: input {list(x)}, filter {list(filter_)}",
        )
    return (x[0], *window.out_size(op, x[1:-1], filter_[:-2]), out)


def _equal_depths(op: str, x: Shape, filter_: Shape) -> None:
    if x[-1] != filter_[-2]:
        raise invalid(
            op,
            f"input depth {x[-1]} and filter depth {filter_[-2]} must be equal: "
            f"input {list(x)}, filter {list(filter_)}",
        )


def _volume_shape(op: str, x: Shape, filter_: Shape, window: Window) -> Shape:
    _equal_depths(op, x, filter_)
    return (x[0], *window.out_size(op, x[1:-1], filter_[:-2]), filter_[-1])


def _depthwise_shape(op: str, x: Shape, filter_: Shape, window: Window) -> Shape:
    _equal_depths(op, x, filter_)
    return (x[0], *window.out_size(op, x[1:-1], filter_[:-2]), filter_[-2] * filter_[-1])


def _conv_params(x: Shape, filter_: Shape, out: Shape, window: Window) -> dict[str, Any]:
    groups = x[-1] // filter_[-2]
    return window_params(window, x, out, filter_, in_c=x[-1], out_c=out[-1], groups=groups)


def _depthwise_params(x: Shape, filter_: Shape, out: Shape, window: Window) -> dict[str, Any]:
    return window_params(window, x, out, filter_, in_c=x[-1], out_c=out[-1], multiplier=filter_[-1])


def _convolution(
    name: str,
    rank: int,
    shape: Callable[[str, Shape, Shape, Window], Shape],
    params: Callable[[Shape, Shape, Shape, Window], dict[str, Any]],
    host: host_window.Convolution,
    cases: list[tuple[Shape, Shape, Window]],
) -> tuple[Op, Op, Op]:
    """The forward op and its two gradients, which are each other's gradients."""
    input_name, filter_name = f"{name}_backprop_input", f"{name}_backprop_filter"

    def window_of(attrs: dict[str, Any]) -> Window:
        return Window(attrs["strides"], attrs["dilations"], attrs["padding"])

    def forward_infer(x: Aval, filter: Aval, **attrs: Any) -> Aval:
        _check(name, rank, x, filter)
        return Aval(shape(name, x.shape, filter.shape, window_of(attrs)), x.dtype)

    def input_infer(dy: Aval, filter: Aval, input_shape: Shape, **attrs: Any) -> Aval:
        _check(input_name, rank, dy, filter)
        expected = shape(input_name, input_shape, filter.shape, window_of(attrs))
        check_output(input_name, dy, expected)
        return Aval(input_shape, dy.dtype)

    def filter_infer(x: Aval, dy: Aval, filter_shape: Shape, **attrs: Any) -> Aval:
        _check(filter_name, rank, x, dy)
        check_output(filter_name, dy, shape(filter_name, x.shape, filter_shape, window_of(attrs)))
        return Aval(filter_shape, x.dtype)

    def forward_vjp(g: Any, y: Any, x: Any, filter: Any, **attrs: Any) -> tuple[Any, Any]:
        return (
            lambda: backprop_input(g, filter, input_shape=tuple(x.shape), **attrs),
            lambda: backprop_filter(x, g, filter_shape=tuple(filter.shape), **attrs),
        )

    def input_vjp(
        g: Any, y: Any, dy: Any, filter: Any, input_shape: Shape, **attrs: Any
    ) -> tuple[Any, Any]:
        return (
            lambda: forward(g, filter, **attrs),
            lambda: backprop_filter(g, dy, filter_shape=tuple(filter.shape), **attrs),
        )

    def filter_vjp(
        g: Any, y: Any, x: Any, dy: Any, filter_shape: Shape, **attrs: Any
    ) -> tuple[Any, Any]:
        return (
            lambda: backprop_input(dy, g, input_shape=tuple(x.shape), **attrs),
            lambda: forward(x, g, **attrs),
        )

    def forward_kernel(x: Aval, filter: Aval, **attrs: Any) -> KernelCall:
        w = window_of(attrs)
        out = shape(name, x.shape, filter.shape, w)
        return KernelCall(name, ("x", "filter"), params(x.shape, filter.shape, out, w))

    def input_kernel(dy: Aval, filter: Aval, input_shape: Shape, **attrs: Any) -> KernelCall:
        w = window_of(attrs)
        return KernelCall(
            input_name, ("dy", "filter"), params(input_shape, filter.shape, dy.shape, w)
        )

    def filter_kernel(x: Aval, dy: Aval, filter_shape: Shape, **attrs: Any) -> KernelCall:
        w = window_of(attrs)
        return KernelCall(filter_name, ("x", "dy"), params(x.shape, filter_shape, dy.shape, w))

    def draw(rng: np.random.Generator, kind: str) -> list[Sample]:
        samples: list[Sample] = []
        for x_shape, filter_shape, w in cases:
            attrs: dict[str, Any] = dict(w._asdict())
            x, f = array(rng, x_shape, low=-1, high=1), array(rng, filter_shape, low=-1, high=1)
            dy = array(rng, shape(name, x_shape, filter_shape, w), low=-1, high=1)
            samples.append(
                {
                    "forward": ((x, f), attrs),
                    "input": ((dy, f), attrs | {"input_shape": x_shape}),
                    "filter": ((x, dy), attrs | {"filter_shape": filter_shape}),
                }[kind]
            )
        return samples

    facts: dict[str, Any] = {"tolerance": CONV_TOLERANCE, "reason": CONV_REASON}
    forward = register(
        Op(
            name,
            "window",
            forward_infer,
            host.forward,
            forward_vjp,
            kernel=forward_kernel,
            params=("input", "filters"),
            samples=lambda rng: draw(rng, "forward"),
            **facts,
        )
    )
    backprop_input = register(
        Op(
            input_name,
            "window",
            input_infer,
            host.backprop_input,
            input_vjp,
            kernel=input_kernel,
            params=("dy", "filter"),
            samples=lambda rng: draw(rng, "input"),
            **facts,
        )
    )
    backprop_filter = register(
        Op(
            filter_name,
            "window",
            filter_infer,
            host.backprop_filter,
            filter_vjp,
            kernel=filter_kernel,
            params=("x", "dy"),
            samples=lambda rng: draw(rng, "filter"),
            **facts,
        )
    )
    return forward, backprop_input, backprop_filter


def check_output(op: str, dy: Aval, expected: Shape) -> None:
    if dy.shape != expected:
        raise invalid(
            op, f"out_backprop has shape {list(dy.shape)}, the convolution gives {list(expected)}"
        )


_PLAIN = Window((1, 1), (1, 1), ((0, 0), (0, 0)))

conv2d, conv2d_backprop_input, conv2d_backprop_filter = _convolution(
    "conv2d",
    2,
    _conv_shape,
    _conv_params,
    host_window.CONV,
    [
        ((2, 6, 7, 3), (3, 3, 3, 5), _PLAIN),
        ((1, 9, 8, 4), (3, 3, 4, 8), Window((2, 2), (1, 1), ((0, 1), (1, 1)))),
        ((2, 5, 5, 8), (1, 1, 8, 16), _PLAIN),
        ((1, 12, 10, 2), (3, 2, 2, 4), Window((1, 2), (2, 1), ((2, 2), (0, 1)))),
        ((2, 7, 7, 4), (3, 3, 2, 6), Window((1, 1), (1, 1), ((1, 1), (1, 1)))),
        ((1, 32, 32, 8), (5, 5, 8, 12), Window((1, 1), (1, 1), ((2, 2), (2, 2)))),
        ((1, 8, 8, 3), (1, 1, 3, 4), Window((2, 2), (1, 1), ((0, 0), (0, 0)))),
    ],
)
_SOLID = Window((1, 1, 1), (1, 1, 1), ((0, 0), (0, 0), (0, 0)))

conv3d, conv3d_backprop_input, conv3d_backprop_filter = _convolution(
    "conv3d",
    3,
    _volume_shape,
    _conv_params,
    host_window.CONV,
    [
        ((2, 4, 5, 6, 3), (2, 3, 3, 3, 5), _SOLID),
        ((1, 5, 6, 4, 4), (3, 2, 2, 4, 8), Window((2, 1, 2), (1, 1, 1), ((1, 1), (0, 1), (1, 0)))),
        ((2, 3, 4, 4, 8), (1, 1, 1, 8, 12), _SOLID),
        ((1, 7, 6, 8, 2), (2, 2, 3, 2, 3), Window((1, 1, 1), (2, 3, 1), ((2, 0), (1, 2), (1, 1)))),
        ((1, 3, 3, 3, 4), (1, 1, 1, 4, 4), Window((2, 2, 2), (1, 1, 1), ((0, 0), (0, 0), (0, 0)))),
        ((1, 8, 12, 12, 8), (3, 3, 3, 8, 8), Window((1, 1, 1), (1, 1, 1), ((1, 1),) * 3)),
    ],
)
depthwise_conv2d, depthwise_conv2d_backprop_input, depthwise_conv2d_backprop_filter = _convolution(
    "depthwise_conv2d",
    2,
    _depthwise_shape,
    _depthwise_params,
    host_window.DEPTHWISE,
    [
        ((2, 6, 7, 3), (3, 3, 3, 1), _PLAIN),
        ((1, 9, 8, 4), (3, 3, 4, 2), Window((2, 2), (1, 1), ((0, 1), (1, 1)))),
        ((1, 16, 16, 20), (3, 3, 20, 1), Window((1, 1), (1, 1), ((1, 1), (1, 1)))),
        ((1, 12, 10, 5), (2, 3, 5, 1), Window((1, 1), (2, 2), ((1, 1), (2, 2)))),
    ],
)
