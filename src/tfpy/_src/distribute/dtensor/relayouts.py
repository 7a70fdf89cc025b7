"""The ops `relayout` and `relayout_like`, which change the sharding of a tensor.

A Graph that is compiled for a backend with one device contains neither of them; the jax backend
passes them to XLA as sharding constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.op import LAYOUT, register
from tfpy._src.compiler.ir.sharding import Sharding
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.placing import laid_out, layout_of
from tfpy._src.functions.executor.control_op import ControlOp, record

_WHY = "it specifies the devices of a value"


def _first(x: Any, *others: Any, **attrs: Any) -> tuple[Any]:
    return (x,)


def _relayout(x: Tensor, sharding: Sharding) -> Sequence[Tensor]:
    return [laid_out(x, Layout.of(sharding))]


def _relayout_like(x: Tensor, like: Tensor) -> Sequence[Tensor]:
    layout = layout_of(like)
    return [x if layout is None else laid_out(x, layout)]


def _like_the_input(
    flowing: Sequence[Tensor | None], outputs: Sequence[Tensor], inputs: Sequence[Tensor], **_: Any
) -> Sequence[Tensor | None]:
    """Return the gradient in the layout of the operand."""
    (g,) = flowing
    x, *others = inputs
    return [None if g is None else like(g, x), *[None] * len(others)]


def _infer(x: Aval, *others: Aval, **attrs: Any) -> tuple[Aval]:
    return (x,)


def _ref(x: Array, *others: Array, **attrs: Any) -> tuple[Array]:
    return (x,)


RELAYOUT = register(
    ControlOp(
        "relayout",
        "control",
        _infer,
        _ref,
        multiple=True,
        host_only=_WHY,
        execute=_relayout,
        gradient=_like_the_input,
        annotates=LAYOUT,
        doc="relayout(x): x with the given sharding over devices.",
    )
)

RELAYOUT_LIKE = register(
    ControlOp(
        "relayout_like",
        "control",
        _infer,
        _ref,
        multiple=True,
        host_only=_WHY,
        execute=_relayout_like,
        gradient=_like_the_input,
        annotates=LAYOUT,
        doc="relayout_like(x, y): x with the sharding of y.",
    )
)


def to(x: Tensor, layout: Layout) -> Tensor:
    """Return `x` in a layout, immediately or as an equation of the current trace."""
    if tracing.local.active:
        layout.check("relayout", x.aval)
        return RELAYOUT.apply([x], sharding=layout.sharding)[0]
    found = laid_out(x, layout)
    return record(RELAYOUT, [x], [found], {"sharding": layout.sharding})[0]


def like(x: Tensor, other: Tensor) -> Tensor:
    """Return `x` in the layout of another tensor of its rank."""
    if tracing.local.active:
        if other.has_values:
            layout = layout_of(other)
            return x if layout is None else to(x, layout)
        if x.aval.closed.shape != other.aval.closed.shape:
            raise InvalidArgumentError(
                None,
                "relayout_like",
                "relayout_like: In a tf.function both tensors must have the same shape, got "
                f"{list(x.shape)} and {list(other.shape)}. Use dtensor.relayout with a layout.",
            )
        return RELAYOUT_LIKE.apply([x, other])[0]
    return record(RELAYOUT_LIKE, [x, other], [*_relayout_like(x, other)], {})[0]
