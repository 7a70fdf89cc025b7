"""Pooling with one to three spatial dimensions and its gradients; channels are last.

`ops/window.py` defines the movement of windows. Kernels support volumes only: an image is a volume
of depth 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.infer import FLOAT, INTEGER
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.reference import window as host_window
from tfpy._src.compiler.ops.rules import zeros
from tfpy._src.compiler.ops.window import Sizes, Window, check_output, window_params

_VOLUME = 3


def _pool_attrs(attrs: dict[str, Any]) -> tuple[Sizes, Window]:
    return attrs["ksize"], Window(attrs["strides"], attrs["dilations"], attrs["padding"])


def _pool_shape(op: str, x: Aval, attrs: dict[str, Any]) -> Shape:
    ksize, window = _pool_attrs(attrs)
    if not 1 <= len(ksize) <= _VOLUME:
        raise invalid(op, f"windows have 1, 2 or 3 dimensions, got {ksize}")
    infer.check_rank(op, x, len(ksize) + 2, "input")
    return (x.shape[0], *window.out_size(op, x.shape[1:-1], ksize), x.shape[-1])


def _float_shape(op: str, x: Aval, attrs: dict[str, Any]) -> Shape:
    infer.check_dtype(op, x, FLOAT, "input")
    return _pool_shape(op, x, attrs)


def _max_shape(op: str, x: Aval, attrs: dict[str, Any]) -> Shape:
    """Return the shape of max pooling. TensorFlow supports integers in images only."""
    volume = len(attrs["ksize"]) == _VOLUME
    infer.check_dtype(op, x, FLOAT if volume else FLOAT | INTEGER, "input")
    return _pool_shape(op, x, attrs)


def _pool_params(x: Shape, out: Shape, attrs: dict[str, Any], **more: Any) -> dict[str, Any]:
    ksize, window = _pool_attrs(attrs)
    missing = _VOLUME - len(ksize)
    ones, zeros = (1,) * missing, ((0, 0),) * missing
    volume = Window((*ones, *window.strides), (*ones, *window.dilations), (*zeros, *window.padding))
    x, out = (x[0], *ones, *x[1:]), (out[0], *ones, *out[1:])
    return window_params(volume, x, out, (*ones, *ksize), channels=x[-1], **more)


def _ties(attrs: dict[str, Any]) -> str:
    """Return which maxima of a window receive its gradient, as in TensorFlow on the CPU."""
    return "all" if len(attrs["ksize"]) == _VOLUME else "first"


_POOL_CASES: list[tuple[Shape, Sizes, Window]] = [
    ((2, 6, 7, 3), (2, 2), Window((2, 2), (1, 1), ((0, 0), (0, 0)))),
    ((1, 8, 8, 4), (3, 3), Window((2, 2), (1, 1), ((0, 1), (0, 1)))),
    ((2, 5, 6, 5), (3, 2), Window((1, 1), (1, 1), ((1, 1), (0, 1)))),
    ((1, 14, 14, 32), (14, 14), Window((1, 1), (1, 1), ((0, 0), (0, 0)))),
    ((1, 11, 9, 2), (2, 2), Window((1, 1), (2, 3), ((0, 0), (0, 0)))),
    ((3, 9, 4), (3,), Window((2,), (1,), ((1, 0),))),
    ((2, 4, 5, 6, 3), (2, 3, 2), Window((2, 1, 2), (1, 1, 1), ((0, 0), (1, 1), (0, 1)))),
    ((1, 6, 4, 6, 4), (3, 2, 3), Window((2, 2, 2), (1, 1, 1), ((1, 0), (0, 0), (0, 1)))),
    ((1, 5, 4, 7, 2), (2, 2, 2), Window((1, 1, 1), (3, 1, 2), ((0, 0), (0, 0), (0, 0)))),
]


def _pool_samples(inputs: str, kinds: tuple[DType, ...] = (dtypes.float32,)) -> Any:
    """Return samples of a pooling op with inputs `x`, `x dy`, `x g` or `dy`.

    Values are integers, so that ties exist; `dy` has the shape of the result, `g` the shape of `x`.
    """

    def samples(rng: np.random.Generator) -> list[Sample]:
        result: list[Sample] = []
        for kind in kinds:
            for shape, ksize, window in _POOL_CASES:
                if kind == dtypes.int32 and len(ksize) == _VOLUME:
                    continue
                attrs: dict[str, Any] = {"ksize": ksize, **window._asdict()}
                out = (shape[0], *window.out_size("pool", shape[1:-1], ksize), shape[-1])
                drawn = {
                    "x": array(rng, shape, dtypes.int32, -3, 3).astype(kind.as_numpy_dtype),
                    "dy": array(rng, out),
                    "g": array(rng, shape),
                }
                names = inputs.split()
                if "x" not in names:
                    attrs["input_shape"] = shape
                result.append((tuple(drawn[name] for name in names), attrs))
        return result

    return samples


def _pool(
    name: str,
    kind: str,
    shape: Callable[[str, Aval, dict[str, Any]], Shape],
    ref: Any,
    vjp: Any,
    *kinds: DType,
) -> Op:
    def kernel(x: Aval, **attrs: Any) -> KernelCall:
        out = shape(name, x, attrs)
        return KernelCall("pool", ("x",), _pool_params(x.shape, out, attrs, kind=kind))

    return register(
        Op(
            name,
            "window",
            lambda x, **attrs: Aval(shape(name, x, attrs), x.dtype),
            ref,
            vjp,
            kernel=kernel,
            params=("input",),
            samples=_pool_samples("x", kinds),
        )
    )


max_pool = _pool(
    "max_pool",
    "max",
    _max_shape,
    host_window.max_pool,
    lambda g, y, x, **attrs: (max_pool_grad(x, g, **attrs),),
    dtypes.float32,
    dtypes.int32,
)
avg_pool = _pool(
    "avg_pool",
    "avg",
    _float_shape,
    host_window.avg_pool,
    lambda g, y, x, **attrs: (avg_pool_grad(g, input_shape=tuple(x.aval.shape), **attrs),),
    dtypes.float32,
)


def _max_grad_infer(x: Aval, dy: Aval, **attrs: Any) -> Aval:
    infer.check_same_dtype("max_pool_grad", (x, dy))
    check_output("max_pool_grad", dy, _float_shape("max_pool_grad", x, attrs))
    return x


def _max_grad_grad_infer(x: Aval, g: Aval, **attrs: Any) -> Aval:
    infer.check_same_dtype("max_pool_grad_grad", (x, g))
    check_output("max_pool_grad_grad", g, x.shape)
    return Aval(_float_shape("max_pool_grad_grad", x, attrs), x.dtype)


def _avg_grad_infer(dy: Aval, input_shape: Shape, **attrs: Any) -> Aval:
    x = Aval(input_shape, dy.dtype)
    check_output("avg_pool_grad", dy, _float_shape("avg_pool_grad", x, attrs))
    return x


def _max_grad_vjp(g: Any, y: Any, x: Any, dy: Any, **attrs: Any) -> tuple[Any, Any]:
    """Return the gradient of `dy`; `x` only selects positions.

    If a window of a volume has several maxima, the first one counts, as in TensorFlow.
    """
    return lambda: _zeros(x), lambda: max_pool_grad_grad(x, g, **attrs)


def _max_grad_grad_vjp(g: Any, y: Any, x: Any, dx: Any, **attrs: Any) -> tuple[Any, Any]:
    return lambda: _zeros(x), lambda: max_pool_grad(x, g, **attrs)


def _zeros(x: Any) -> Any:
    """Return the gradient of a selection: zeros as in TensorFlow, not None."""
    return zeros(x.aval.shape, x.dtype)


max_pool_grad: Op = register(
    Op(
        "max_pool_grad",
        "window",
        _max_grad_infer,
        host_window.max_pool_grad,
        _max_grad_vjp,
        kernel=lambda x, dy, **attrs: KernelCall(
            "max_pool_grad", ("x", "dy"), _pool_params(x.shape, dy.shape, attrs, ties=_ties(attrs))
        ),
        params=("x", "dy"),
        doc="Each window's gradient at its first maximum, or in volumes at every maximum.",
        samples=_pool_samples("x dy"),
    )
)
max_pool_grad_grad: Op = register(
    Op(
        "max_pool_grad_grad",
        "window",
        _max_grad_grad_infer,
        host_window.max_pool_grad_grad,
        _max_grad_grad_vjp,
        kernel=lambda x, g, **attrs: KernelCall(
            "max_pool_grad_grad",
            ("x", "g"),
            _pool_params(x.shape, _pool_shape("max_pool_grad_grad", x, attrs), attrs),
        ),
        params=("x", "g"),
        doc="The element of g at the first maximum of each window of x.",
        samples=_pool_samples("x g"),
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
        doc="The gradient of each window, distributed equally over its pixels.",
        samples=_pool_samples("dy"),
    )
)
