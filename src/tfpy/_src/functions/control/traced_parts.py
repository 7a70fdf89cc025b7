"""Traces for the parts of control flow: branches, loop tests and loop bodies.

A part reads tensors of the outer trace, Variables and feeds. These become inputs of its Graph. All
parts of an equation have the same inputs in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.name_scope import prefix
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import current
from tfpy._src.functions.trace.extra import Extra
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.variables.variable import Variable


def new_scope(name: str) -> str:
    """Return the prefix of the names in the parts of a conditional or loop, such as `cond_1/`."""
    return f"{current().unique_name(prefix() + name)}/"


class TracedPart(Trace):
    """The trace of a part of control flow.

    Args:
        name: Name of the part.
        scope: Prefix of the names in the part. Default: the prefix of the code around it.
    """

    def __init__(self, name: str, scope: str | None = None) -> None:
        super().__init__(name)
        self.outer = current()
        self.scope = prefix() if scope is None else scope

    def _is_constant(self, tensor: Tensor) -> bool:
        """Return True for a small tensor, unless a tape may differentiate with respect to it."""
        watchable = tensor.dtype.is_differentiable and tensor.storage.counted
        return super()._is_constant(tensor) and not watchable

    def custom(
        self,
        results: Sequence[Tensor],
        inputs: Sequence[Tensor],
        backward: Callable[..., Sequence[Any]] | None,
    ) -> list[Tensor]:
        """Add a `custom_gradient` equation, because parts are differentiated by their equations."""
        found: Graph | Exception | None = None
        captured: list[Tensor] = []
        wanted: list[int] = []
        if backward is not None:
            part = GradientPart(f"{self.name}_gradient")
            try:
                wanted = part.trace_gradient(results, backward)
                found, captured = part.graph, [extra.fetch() for extra in part.extras]
            except Exception as error:  # only raised if the gradient is needed
                found = error
        attrs: dict[str, Any] = {"count": len(results), "given": len(inputs)}
        attrs |= {"backward": found, "wanted": tuple(wanted)}
        return self.apply_multiple(OPS["custom_gradient"], [*results, *inputs, *captured], attrs)

    def on_variable_made(self, variable: Variable) -> None:
        self.outer.on_variable_made(variable)


class GradientPart(TracedPart):
    """The trace of a custom gradient. It is differentiated by its equations, including stops."""

    def custom(
        self,
        results: Sequence[Tensor],
        inputs: Sequence[Tensor],
        backward: Callable[..., Sequence[Any]] | None,
    ) -> list[Tensor]:
        if backward is None:
            return super().custom(results, inputs, backward)
        return Trace.custom(self, results, inputs, backward)

    def trace_gradient(
        self, results: Sequence[Tensor], backward: Callable[..., Sequence[Any]]
    ) -> list[int]:
        """Trace a backward function. Return the numbers of the inputs that have a gradient."""
        with self.taken():
            seeds = [
                self.argument(t.aval, "gradient") if t.dtype.is_differentiable else None
                for t in results
            ]
            gradients = [g() if callable(g) else g for g in backward(*seeds)]
            wanted = [i for i, g in enumerate(gradients) if g is not None]
            tensors = [convert_to_tensor(gradients[i]) for i in wanted]
            self.graph.outputs = [self.value_of(t) for t in tensors]
        return wanted


class LoopPart(TracedPart):
    """The trace of a loop's body, which draws different random numbers at each iteration."""

    def __init__(self, name: str, scope: str | None = None) -> None:
        super().__init__(name, scope)
        self.iteration: Tensor | None = None
        """Number of the iteration, if the body uses it."""
        self.limit: Any = None
        """Maximum number of iterations, if the body specifies it."""

    def feed(self, fetching: Callable[[], Callable[[], Array]], aval: Aval, name: str) -> Tensor:
        """Return a random state: the state of the whole loop plus the number of the iteration."""
        whole = self.outer.feed(fetching, aval, name)
        return whole + self.counted() * constant([0, 0, 0, 1, 0, 0])

    def counted(self) -> Tensor:
        """Return the number of the iteration, and add it to the loop if necessary."""
        if self.iteration is None:
            self.iteration = self.argument(constant(0).aval, "iteration")
        return self.iteration


def join(parts: Sequence[TracedPart], own: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """Give the Graphs of all parts the same inputs.

    Args:
        parts: The traced parts.
        own: Tensors of each part that are its first inputs.

    Returns:
        The outer tensors for the remaining inputs.
    """
    for part in parts:
        tell_tapes(part)
    shared: dict[Any, Extra] = {}
    for part in parts:
        for extra in part.extras:
            shared.setdefault(_key(part, extra), extra)
    for part, first in zip(parts, own, strict=True):
        known = {_key(part, e): part.value_of(e.tensor) for e in part.extras}
        head = [part.value_of(t) for t in first]
        rest = [
            known[key] if key in known else part.graph.add_input(extra.tensor.aval)
            for key, extra in shared.items()
            if known.get(key) not in head
        ]
        part.graph.inputs = [*head, *rest]
    leading = {_key(p, e) for p, first in zip(parts, own, strict=True) for e in p.extras
               if any(e.tensor is t for t in first)}  # fmt: skip
    return [extra.fetch() for key, extra in shared.items() if key not in leading]


def tell_tapes(part: TracedPart) -> None:
    """Record on outer tapes the ops that ran immediately while a part was traced."""
    for entry in part.recorder.entries:
        if not any(isinstance(t, SymbolicTensor) for t in (*entry.inputs, *entry.outputs)):
            for tape in tapes.local.active:
                tape.record(entry)


def _key(part: TracedPart, extra: Extra) -> Any:
    """Return a key that is equal for the same value in two parts."""
    if extra.variable is not None:
        return id(extra.variable)
    own = getattr(extra.tensor, "trace", None) is part
    return id(extra) if own else (extra.tensor.identity,)


def assigned(parts: Sequence[TracedPart]) -> list[Variable]:
    """Return the Variables that at least one part assigns."""
    found = {key: variable for part in parts for key, (variable, _) in part.assigned.items()}
    return list(found.values())


def inside(part: TracedPart, function: Callable[[], Any]) -> Any:
    """Return the result of a function that is traced into a part."""
    with part.taken():
        return function()
