"""What control-flow ops share: equations over Graphs and lists, run between Programs.

They are ordinary op records with Graphs among their attributes. No device lowers them: a compiled
function is cut around them, and their Graphs are compiled functions of their own.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import variant
from tfpy._src.compiler.ir.op import Op
from tfpy._src.core import tape as tapes
from tfpy._src.core.tape import Entry
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.execution_hints import Usage

Gradient = Callable[..., Sequence[Any]]
"""(gradients of the outputs, outputs, inputs, **attrs) -> a gradient or None of each input"""


Runner = Callable[..., Sequence[Tensor]]
"""(*tensors) -> the outputs"""


class PartsRunner(ABC):
    """What runs an equation whose parts are compiled functions, and may take long."""

    @abstractmethod
    def __call__(self, *tensors: Tensor) -> Sequence[Tensor]:
        """The outputs."""

    @abstractmethod
    async def run_async(self, *tensors: Tensor) -> Sequence[Tensor]:
        """The outputs; the page has its turns meanwhile."""


@dataclass(frozen=True, eq=False)
class ControlOp(Op):
    """A control-flow op: the host runs it, on tensors wherever they are."""

    host_only: str = "the host runs control flow"
    execute: Callable[..., Sequence[Tensor]] | None = None
    """(*tensors, **attrs) -> the outputs."""
    prepare: Callable[..., Runner] | None = None
    """(usage, operands, **attrs) -> what runs the equation, in place of ``execute``: it may keep
    compiled Graphs."""
    gradient: Gradient | None = None
    pure: ControlOp | None = None
    """The op to use where nothing within has effects, if this one is for where something has."""
    host_operands: Callable[..., Sequence[int]] = lambda *_, **__: ()
    """(**attrs) -> numbers of the inputs whose values the host needs."""

    def runner(self, usage: Usage, operands: Sequence[int], **attrs: Any) -> Runner:
        """What runs an equation with these operands and attributes in a Graph of that usage."""
        if self.prepare is not None:
            return self.prepare(usage, operands, **attrs)
        assert self.execute is not None
        return functools.partial(self.execute, **attrs)

    def apply(self, inputs: Sequence[Tensor], **attrs: Any) -> list[Tensor]:
        """Adds the equation to the trace being taken, or runs it; recorded on the tapes."""
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
    """Notes an equation on the tapes that follow its inputs."""
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
    """Whether gradients flow through values of its dtype, or through the items of a list."""
    return tensor.dtype.is_differentiable or tensor.dtype == variant


def scattered(count: int, places: Sequence[int], values: Sequence[Tensor]) -> list[Tensor | None]:
    """A list of ``count`` gradients: the values at their places, None elsewhere."""
    out: list[Tensor | None] = [None] * count
    for place, value in zip(places, values, strict=True):
        out[place] = value
    return out
