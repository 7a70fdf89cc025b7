"""What gradient rules share. They name ops by the table, so that no record file imports another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.ir.op import OPS

Vjp = Callable[..., Any]


def conjugated(vjp: Vjp) -> Vjp:
    """The rule for complex numbers of a holomorphic function, whose rule gives ``g * f'(x)``.

    TensorFlow's gradient is ``g * conj(f'(x))``, that is ``conj(conj(g) * f'(x))``.
    """

    def rule(g: Any, y: Any, *inputs: Any, **attrs: Any) -> Any:
        if not g.dtype.is_complex:
            return vjp(g, y, *inputs, **attrs)
        conj = OPS["conj"]

        def conjugate(gradient: Any) -> Any:
            if gradient is None:
                return None
            if callable(gradient):
                return lambda: conj(gradient())
            return conj(gradient)

        grads = vjp(conj(g), y, *inputs, **attrs)
        if isinstance(grads, tuple):
            return tuple(map(conjugate, grads))
        return conjugate(grads)

    return rule


def zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros of that shape: one number, broadcast."""
    return OPS["broadcast_to"](OPS["cast"](0, dtype=dtype), shape=tuple(shape))
