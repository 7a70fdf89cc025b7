"""Convolutions over images and volumes, and their gradients. See `ops/window.py` for windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.reference import window as host_window
from tfpy._src.compiler.ops.window import Window, check_output, window_params

CONV_TOLERANCE = 5e-4
CONV_REASON = "sums of products are rounded in a different order"


def _check(op: str, rank: int, x: Aval, filter_: Aval) -> None:
    infer.check_same_dtype(op, (x, filter_))
    infer.check_dtype(op, x, FLOAT, "input")
    infer.check_rank(op, x, rank + 2, "input")
    infer.check_rank(op, filter_, rank + 2, "filter")


# Convolution: x [batch, *spatial, c], filter [*spatial, c / groups, out].


def _conv_shape(op: str, x: Shape, filter_: Shape, window: Window) -> Shape:
    depth, out = filter_[-2:]
    groups = x[-1] // depth
    if not groups or x[-1] % depth or out % groups:
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


class _Convolution:
    """A convolution and its gradients with respect to input and filter.

    The three ops are each other's gradients.
    """

    def __init__(
        self,
        name: str,
        rank: int,
        shape: Callable[[str, Shape, Shape, Window], Shape],
        params: Callable[[Shape, Shape, Shape, Window], dict[str, Any]],
        host: host_window.Convolution,
        cases: list[tuple[Shape, Shape, Window]],
    ) -> None:
        self._name, self._rank, self._cases = name, rank, cases
        self._shape, self._params = shape, params
        self.forward = self._registered(
            name,
            ("input", "filters"),
            (self._forward_infer, host.forward, self._forward_vjp, self._forward_kernel),
            self._forward_samples,
        )
        self.by_input = self._registered(
            f"{name}_backprop_input",
            ("dy", "filter"),
            (self._input_infer, host.backprop_input, self._input_vjp, self._input_kernel),
            self._input_samples,
        )
        self.by_filter = self._registered(
            f"{name}_backprop_filter",
            ("x", "dy"),
            (self._filter_infer, host.backprop_filter, self._filter_vjp, self._filter_kernel),
            self._filter_samples,
        )

    @property
    def ops(self) -> tuple[Op, Op, Op]:
        return self.forward, self.by_input, self.by_filter

    def _registered(
        self, name: str, params: tuple[str, str], rules: tuple[Any, Any, Any, Any], samples: Any
    ) -> Op:
        infer_aval, ref, vjp, kernel = rules
        return register(
            Op(
                name,
                "window",
                infer_aval,
                ref,
                vjp,
                kernel=kernel,
                params=params,
                samples=samples,
                tolerance=CONV_TOLERANCE,
                reason=CONV_REASON,
            )
        )

    def _output(self, op: str, x: Shape, filter_: Shape, attrs: dict[str, Any]) -> Shape:
        if 0 in filter_:
            raise invalid(op, f"filter must not have zero elements, got shape {list(filter_)}")
        return self._shape(op, x, filter_, _window_of(attrs))

    # Shape rules

    def _forward_infer(self, x: Aval, filter: Aval, **attrs: Any) -> Aval:
        _check(self._name, self._rank, x, filter)
        return Aval(self._output(self._name, x.shape, filter.shape, attrs), x.dtype)

    def _input_infer(self, dy: Aval, filter: Aval, input_shape: Shape, **attrs: Any) -> Aval:
        name = self.by_input.name
        _check(name, self._rank, dy, filter)
        check_output(name, dy, self._output(name, input_shape, filter.shape, attrs))
        return Aval(input_shape, dy.dtype)

    def _filter_infer(self, x: Aval, dy: Aval, filter_shape: Shape, **attrs: Any) -> Aval:
        name = self.by_filter.name
        _check(name, self._rank, x, dy)
        check_output(name, dy, self._output(name, x.shape, filter_shape, attrs))
        return Aval(filter_shape, x.dtype)

    # Gradients

    def _forward_vjp(self, g: Any, y: Any, x: Any, filter: Any, **attrs: Any) -> tuple[Any, Any]:
        return (
            lambda: self.by_input(g, filter, input_shape=tuple(x.aval.shape), **attrs),
            lambda: self.by_filter(x, g, filter_shape=tuple(filter.aval.shape), **attrs),
        )

    def _input_vjp(
        self, g: Any, y: Any, dy: Any, filter: Any, input_shape: Shape, **attrs: Any
    ) -> tuple[Any, Any]:
        return (
            lambda: self.forward(g, filter, **attrs),
            lambda: self.by_filter(g, dy, filter_shape=tuple(filter.aval.shape), **attrs),
        )

    def _filter_vjp(
        self, g: Any, y: Any, x: Any, dy: Any, filter_shape: Shape, **attrs: Any
    ) -> tuple[Any, Any]:
        return (
            lambda: self.by_input(dy, g, input_shape=tuple(x.aval.shape), **attrs),
            lambda: self.forward(x, g, **attrs),
        )

    # Kernels

    def _call(
        self, op: str, inputs: tuple[str, str], x: Shape, filter_: Shape, y: Shape, attrs: Any
    ) -> KernelCall:
        return KernelCall(op, inputs, self._params(x, filter_, y, _window_of(attrs)))

    def _forward_kernel(self, x: Aval, filter: Aval, **attrs: Any) -> KernelCall:
        y = self._output(self._name, x.shape, filter.shape, attrs)
        return self._call(self._name, ("x", "filter"), x.shape, filter.shape, y, attrs)

    def _input_kernel(self, dy: Aval, filter: Aval, input_shape: Shape, **attrs: Any) -> KernelCall:
        name = self.by_input.name
        return self._call(name, ("dy", "filter"), input_shape, filter.shape, dy.shape, attrs)

    def _filter_kernel(self, x: Aval, dy: Aval, filter_shape: Shape, **attrs: Any) -> KernelCall:
        name = self.by_filter.name
        return self._call(name, ("x", "dy"), x.shape, filter_shape, dy.shape, attrs)

    # Test samples

    def _drawn(self, rng: np.random.Generator) -> Iterator[tuple[Any, Any, Any, dict[str, Any]]]:
        """Yield x, filter, dy and the window of each case."""
        for x, filter_, window in self._cases:
            shapes = (x, filter_, self._shape(self._name, x, filter_, window))
            arrays = [array(rng, shape, low=-1, high=1) for shape in shapes]
            yield arrays[0], arrays[1], arrays[2], window._asdict()

    def _forward_samples(self, rng: np.random.Generator) -> list[Sample]:
        return [((x, f), attrs) for x, f, _, attrs in self._drawn(rng)]

    def _input_samples(self, rng: np.random.Generator) -> list[Sample]:
        return [((dy, f), attrs | {"input_shape": x.shape}) for x, f, dy, attrs in self._drawn(rng)]

    def _filter_samples(self, rng: np.random.Generator) -> list[Sample]:
        return [
            ((x, dy), attrs | {"filter_shape": f.shape}) for x, f, dy, attrs in self._drawn(rng)
        ]


def _window_of(attrs: dict[str, Any]) -> Window:
    return Window(attrs["strides"], attrs["dilations"], attrs["padding"])


_PLAIN = Window((1, 1), (1, 1), ((0, 0), (0, 0)))

conv2d, conv2d_backprop_input, conv2d_backprop_filter = _Convolution(
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
).ops
_SOLID = Window((1, 1, 1), (1, 1, 1), ((0, 0), (0, 0), (0, 0)))

conv3d, conv3d_backprop_input, conv3d_backprop_filter = _Convolution(
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
).ops
depthwise_conv2d, depthwise_conv2d_backprop_input, depthwise_conv2d_backprop_filter = _Convolution(
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
).ops
