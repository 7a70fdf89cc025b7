"""Pooling over NHWC images and its gradients. See ``ops/window.py`` for how windows move."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy.ir.graph import Aval, Shape
from tfpy.ops import host_window, infer
from tfpy.ops.infer import FLOAT
from tfpy.ops.op import KernelCall, Op, register
from tfpy.ops.patches import at_first_maximum, padded_windows
from tfpy.ops.samples import Sample, array
from tfpy.ops.window import Pair, Window, check_output, window_params


def _pool_attrs(attrs: dict[str, Any]) -> tuple[Pair, Window]:
    return attrs["ksize"], Window(attrs["strides"], attrs["dilations"], attrs["padding"])


def _pool_shape(op: str, x: Aval, attrs: dict[str, Any]) -> Shape:
    infer.check_dtype(op, x, FLOAT, "input")
    infer.check_rank(op, x, 4, "input")
    ksize, window = _pool_attrs(attrs)
    return (x.shape[0], *window.out_size(op, x.shape[1:3], ksize), x.shape[3])  # type: ignore[arg-type]


def _pool_params(x: Shape, out: Shape, attrs: dict[str, Any], **more: Any) -> dict[str, Any]:
    ksize, window = _pool_attrs(attrs)
    return window_params(window, x, out, ksize, channels=x[3], **more)


_POOL_CASES: list[tuple[Shape, Pair, Window]] = [
    ((2, 6, 7, 3), (2, 2), Window((2, 2), (1, 1), ((0, 0), (0, 0)))),
    ((1, 8, 8, 4), (3, 3), Window((2, 2), (1, 1), ((0, 1), (0, 1)))),
    ((2, 5, 6, 5), (3, 2), Window((1, 1), (1, 1), ((1, 1), (0, 1)))),
    ((1, 14, 14, 32), (14, 14), Window((1, 1), (1, 1), ((0, 0), (0, 0)))),
    ((1, 11, 9, 2), (2, 2), Window((1, 1), (2, 3), ((0, 0), (0, 0)))),
]


def _pool_samples(grad: str) -> Any:
    """Samples of a pooling op: inputs ``x``, ``x dy`` or ``dy``. Ties exist (integers)."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        result: list[Sample] = []
        for shape, ksize, window in _POOL_CASES:
            attrs: dict[str, Any] = {"ksize": ksize, **window._asdict()}
            x = array(rng, shape, dtypes.int32, -3, 3).astype(np.float32)
            dy = array(rng, (shape[0], *window.out_size("pool", shape[1:3], ksize), shape[3]))  # type: ignore[arg-type]
            arrays = {"x": (x,), "x dy": (x, dy), "dy": (dy,)}[grad]
            result.append((arrays, attrs | ({"input_shape": shape} if grad == "dy" else {})))
        return result

    return samples


def _pool(name: str, kind: str, ref: Any, vjp: Any) -> Op:
    def kernel(x: Aval, **attrs: Any) -> KernelCall:
        out = _pool_shape(name, x, attrs)
        return KernelCall("pool", ("x",), _pool_params(x.shape, out, attrs, kind=kind))

    return register(
        Op(
            name,
            "window",
            lambda x, **attrs: Aval(_pool_shape(name, x, attrs), x.dtype),
            ref,
            vjp,
            kernel=kernel,
            params=("input",),
            samples=_pool_samples("x"),
        )
    )


def _max_grad_infer(x: Aval, dy: Aval, **attrs: Any) -> Aval:
    infer.check_same_dtype("max_pool_grad", (x, dy))
    check_output("max_pool_grad", dy, _pool_shape("max_pool_grad", x, attrs))
    return x


def _avg_grad_infer(dy: Aval, input_shape: Shape, **attrs: Any) -> Aval:
    x = Aval(input_shape, dy.dtype)
    check_output("avg_pool_grad", dy, _pool_shape("avg_pool_grad", x, attrs))
    return x


max_pool = _pool(
    "max_pool",
    "max",
    host_window.max_pool,
    lambda g, y, x, **attrs: (max_pool_grad(x, g, **attrs),),
)


def _max_grad_vjp(g: Any, y: Any, x: Any, dy: Any, **attrs: Any) -> tuple[None, Any]:
    """To ``dy``: what ``g`` has at each window's first maximum. ``x`` only chooses."""

    def to_dy() -> Any:
        scores = padded_windows(x, value=-math.inf, **attrs)
        return at_first_maximum(padded_windows(g, value=0, **attrs), scores)

    return None, to_dy


avg_pool = _pool(
    "avg_pool",
    "avg",
    host_window.avg_pool,
    lambda g, y, x, **attrs: (avg_pool_grad(g, input_shape=tuple(x.shape), **attrs),),
)
max_pool_grad: Op = register(
    Op(
        "max_pool_grad",
        "window",
        _max_grad_infer,
        host_window.max_pool_grad,
        _max_grad_vjp,
        kernel=lambda x, dy, **attrs: KernelCall(
            "max_pool_grad", ("x", "dy"), _pool_params(x.shape, dy.shape, attrs)
        ),
        params=("x", "dy"),
        doc="The gradient of each window, at the window's first maximum.",
        samples=_pool_samples("x dy"),
    )
)
avg_pool_grad: Op = register(
    Op(
        "avg_pool_grad",
        "window",
        _avg_grad_infer,
        host_window.avg_pool_grad,
        lambda g, y, dy, input_shape, **attrs: (avg_pool(g, **attrs),),
        kernel=lambda dy, input_shape, **attrs: KernelCall(
            "avg_pool_grad", ("dy",), _pool_params(input_shape, dy.shape, attrs)
        ),
        params=("dy",),
        doc="The gradient of each window, in equal shares to its pixels.",
        samples=_pool_samples("dy"),
    )
)
