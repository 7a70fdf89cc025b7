"""The base of control-flow ops: equations over Graphs and lists, which run between Programs.

They are ordinary op records with Graphs among their attributes. No device lowers them. A compiled
function is cut at these equations, and their Graphs are compiled separately.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import variant
from tfpy._src.compiler.ir.graph import Eqn
from tfpy._src.compiler.ir.op import Op
from tfpy._src.core import tape as tapes
from tfpy._src.core.tape import Entry
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.execution_hints import Usage

Gradient = Callable[..., Sequence[Any]]
"""A function that takes (gradients of the outputs, outputs, inputs, **attrs) and returns a gradient
or None for each input."""


Runner = Callable[..., Sequence[Tensor]]
"""A function that takes (*tensors) and returns the outputs."""


class PartsRunner(ABC):
    """A runner for an equation with compiled parts, which may take long."""

    @abstractmethod
    def __call__(self, *tensors: Tensor) -> Sequence[Tensor]:
        """Compute the outputs."""

    @abstractmethod
    async def run_async(self, *tensors: Tensor) -> Sequence[Tensor]:
        """Compute the outputs and keep the page responsive."""


@dataclass(frozen=True, eq=False)
class ControlOp(Op):
    """A control-flow op, which the host runs on tensors of any place."""

    host_only: str = "the host runs control flow"
    execute: Callable[..., Sequence[Tensor]] | None = None
    """A function that takes (*tensors, **attrs) and returns the outputs."""
    prepare: Callable[..., Runner] | None = None
    """A function that takes (usage, eqn, **attrs) and returns the equation's runner. Ops that keep
    compiled Graphs use it instead of `execute`."""
    gradient: Gradient | None = None
    pure: ControlOp | None = None
    """Op to use without side effects inside, if this is the variant for side effects."""
    host_operands: Callable[..., Sequence[int]] = lambda *_, **__: ()
    """A function that takes (**attrs) and returns the numbers of inputs that the host must know."""

    def runner(self, usage: Usage, eqn: Eqn) -> Runner:
        """Return the runner of an equation with this op.

        Args:
            usage: Execution hints of the equation's Graph.
            eqn: The equation.
        """
        if self.prepare is not None:
            return self.prepare(usage, eqn, **dict(eqn.attrs))
        assert self.execute is not None
        return functools.partial(self.execute, **dict(eqn.attrs))

    def apply(self, inputs: Sequence[Tensor], **attrs: Any) -> list[Tensor]:
        """Add the equation to the active trace, or run it. Record it on the tapes."""
        trace = tracing.current()
        if trace is not None:
            return record(self, inputs, trace.apply_multiple(self, inputs, attrs), attrs)
        assert self.execute is not None, f"{self.name} outside of a trace"
        unseen = [t.alias() for t in inputs]  # tapes must not follow ops inside
        outputs = [t.alias() for t in self.execute(*unseen, **attrs)]  # two may be one item
        return record(self, inputs, outputs, attrs)


def record(
    op: ControlOp, inputs: Sequence[Tensor], outputs: list[Tensor], attrs: dict[str, Any]
) -> list[Tensor]:
    """Record an equation on the active tapes, unless it has no gradient."""
    if op.gradient is None or not any(carries_gradient(t) for t in outputs):
        return outputs
    gradient = op.gradient

    def backward(*flowing: Any) -> Sequence[Any]:
        return gradient(flowing, outputs, inputs, **attrs)

    entry = Entry(op.name, tuple(inputs), tuple(outputs), backward)
    for tape in tapes.local.active:
        tape.record(entry)
    return outputs


def carries_gradient(tensor: Tensor) -> bool:
    """Return True if gradients flow through a tensor, or through the items of a list."""
    return tensor.dtype.is_differentiable or tensor.dtype == variant


def scattered(count: int, places: Sequence[int], values: Sequence[Tensor]) -> list[Tensor | None]:
    """Return `count` gradients: the given values at their places, and None elsewhere."""
    out: list[Tensor | None] = [None] * count
    for place, value in zip(places, values, strict=True):
        out[place] = value
    return out
