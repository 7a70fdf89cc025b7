"""A node list as a function of tensors: traced, compiled and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.core.tensor import Tensor
from tfpy._src.function.polymorphic import Function
from tfpy._src.graphs.node import Node, NodeGraph
from tfpy._src.graphs.plan import Plan, plan
from tfpy._src.graphs.scope import Scope


@dataclass(frozen=True)
class _Rest:
    """What a trace leaves: operations whose results' shapes depend on tensors' elements."""

    steps: Plan
    known: Mapping[str, Any]
    """Values that are no tensors of the trace."""
    names: tuple[str, ...]
    """Of the tensors that the trace gives."""


class Runner:
    """A node list as a function, compiled for each signature of its inputs.

    What can be traced is one compiled function. Operations that must know tensors' elements (the
    number of boxes that are left, of elements that are not zero), and what follows them, run op by
    op behind it.
    """

    def __init__(self, graph: NodeGraph, quantize: str | None = None) -> None:
        self.graph = graph
        self._quantize = quantize
        self._compiled: dict[Any, _Compiled] = {}

    def __call__(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """The wanted values, made of given ones."""
        return self.compiled(given, wanted)(given)

    def compiled(self, given: Mapping[str, Any], wanted: Sequence[str]) -> _Compiled:
        """The function that makes the wanted values of the given names."""
        key = tuple(given), tuple(wanted)
        found = self._compiled.get(key)
        if found is None:
            steps = plan(self.graph, wanted, given)
            found = self._compiled[key] = _Compiled(self.graph, steps, self._quantize)
        return found


class _Compiled:
    def __init__(self, graph: NodeGraph, steps: Plan, quantize: str | None) -> None:
        self._graph, self._steps = graph, steps
        self._rests: dict[Any, _Rest] = {}
        self.function: Function[[Mapping[str, Any]], Any] = Function(
            _named(self._traced, graph.name), autograph=False, quantize=quantize
        )
        """The compiled part; it gives a dictionary of tensors."""

    def __call__(self, given: Mapping[str, Tensor]) -> list[Any]:
        tensors = self.function(dict(given))
        rest = self._rests[_signature(given)]
        values = dict(zip(rest.names, tensors, strict=True))
        scope = Scope(self._graph, {**given, **rest.known, **values})
        return scope.run(rest.steps)

    def _traced(self, given: dict[str, Tensor]) -> list[Tensor]:
        scope = Scope(self._graph, given)
        left = scope.trace(self._steps)
        rest = _rest(scope, self._steps, left, given)
        self._rests[_signature(given)] = rest
        return [scope[name] for name in rest.names]


def _rest(scope: Scope, steps: Plan, left: Sequence[Node], given: Mapping[str, Any]) -> _Rest:
    """What remains, and what it needs of the trace.

    A value that cannot leave a trace (a list of tensors, say) is made once more behind it.
    """
    graph, again = scope.graph, dict.fromkeys(left)
    known: dict[str, Any] = {}
    names: dict[str, None] = {}
    todo = [*steps.wanted, *(name for node in left for name in node.reads)]
    while todo:
        name = todo.pop()
        maker = graph.makers.get(name)
        if name in given or maker is None or maker in again:
            continue
        value = scope[name]
        if isinstance(value, Tensor):
            names[name] = None
        elif isinstance(value, np.ndarray):
            known[name] = value
        else:
            again[maker] = None
            todo.extend(maker.reads)
    nodes = [node for node in steps.nodes if node in again]
    made = {name for node in nodes for name in node.outputs}
    outside = {name: None for name in names if name not in made}
    return _Rest(Plan.of(steps.wanted, nodes), known, tuple(outside))


def _signature(given: Mapping[str, Tensor]) -> Any:
    return tuple((name, given[name].aval.closed) for name in sorted(given))


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def run(given: dict[str, Any]) -> Any:
        return function(given)

    run.__name__ = name
    return run
