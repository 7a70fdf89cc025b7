"""Helpers of gradient rules.

They look ops up in the table by name, because the modules of the records import this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.op import OPS

Vjp = Callable[..., Any]


class Rows(NamedTuple):
    """The gradient of a tensor if only some of its rows were read.

    All other rows are zero. Values at equal indices add up.
    """

    values: Any
    """Gradients of the rows, [n, ...]."""
    indices: Any
    """Indices of the rows, [n]."""
    shape: Shape
    """Shape of the tensor."""


def rule_of(vjp: Vjp, *, holomorphic: bool = True, broadcasts: bool = False) -> Vjp:
    """Return the gradient rule of a record, derived from the rule that the record states.

    Args:
        vjp: Function that returns a gradient for each input, or just the gradient of the only
            input.
        holomorphic: If True, `vjp` computes `g * f'(x)`. For complex numbers, TensorFlow defines `g
            * conj(f'(x))`, which is `conj(conj(g) * f'(x))`.
        broadcasts: If True, sum gradients over the dimensions in which inputs are broadcast.
    """

    def rule(g: Any, y: Any, *inputs: Any, **attrs: Any) -> tuple[Any, ...]:
        conjugates = holomorphic and y.aval.dtype.is_complex
        grads = vjp(OPS["conj"](g) if conjugates else g, y, *inputs, **attrs)
        if not isinstance(grads, tuple):
            grads = (grads,)
        if conjugates:
            grads = tuple([None if d is None else partial(_applied, OPS["conj"], d) for d in grads])
        if not broadcasts:
            return grads
        shape = y.aval.shape
        return tuple(
            [
                d
                if d is None or x.aval.shape == shape
                else partial(_applied, sum_to_shape, d, x.aval.shape)
                for d, x in zip(grads, inputs, strict=True)
            ]
        )

    return rule


def _applied(function: Callable[..., Any], gradient: Any, *more: Any) -> Any:
    """Apply a function to a gradient, or to the result of a function that computes it."""
    return function(gradient() if callable(gradient) else gradient, *more)


def sum_to_shape(g: Any, shape: Sequence[int]) -> Any:
    """Sum `g` over the dimensions in which `shape` was broadcast to it."""
    given, wanted = g.aval.shape, tuple(shape)
    if given == wanted:
        return g
    extra = len(given) - len(wanted)
    axes = [i for i, n in enumerate(given) if i < extra or (wanted[i - extra] == 1 and n != 1)]
    for run in reversed(axis_runs(axes)):
        g = OPS["reduce_sum"](g, axes=run)
    return g if g.aval.shape == wanted else OPS["reshape"](g, shape=wanted)


def axis_runs(axes: Sequence[int]) -> list[tuple[int, int]]:
    """Return sorted axes as half-open runs: `[(0, 2), (3, 4)]` for `[0, 1, 3]`."""
    runs: list[tuple[int, int]] = []
    for axis in sorted(axes):
        if runs and runs[-1][1] == axis:
            runs[-1] = (runs[-1][0], axis + 1)
        else:
            runs.append((axis, axis + 1))
    return runs


def zeros(shape: Shape, dtype: Any) -> Any:
    """Return zeros of a shape: one number, broadcast."""
    return OPS["broadcast_to"](OPS["cast"](0, dtype=dtype), shape=tuple(shape))
