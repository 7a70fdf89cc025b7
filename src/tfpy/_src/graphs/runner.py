"""A node list as a function of tensors: traced, compiled and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfpy._src.core.conversion import host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.function.concrete import ConcreteFunction
from tfpy._src.function.polymorphic import Function
from tfpy._src.graphs.deciding import deciding_inputs
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


_MAX_ELEMENTS = 8
"""Of an input whose values belong to its signature."""
_MAX_KNOWN = 16
"""For so many different values of such inputs a function is compiled; then they are tensors."""


class Runner:
    """A node list as a function, compiled for each signature of its inputs.

    The values of small inputs of whole numbers or truth values belong to the signature where it is
    they that say which branch of the graph runs, or which shape a value has: a trace knows them.

    What can be traced is one compiled function. Operations that must know tensors' elements (the
    number of boxes that are left, of elements that are not zero), and what follows them, run op by
    op behind it.
    """

    def __init__(self, graph: NodeGraph, quantize: str | None = None) -> None:
        self.graph = graph
        self._quantize = quantize
        self._choices: dict[Any, _Choices] = {}

    def __call__(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """The wanted values, made of given ones."""
        return self._chosen(given, wanted)(given)

    def concrete(self, given: Mapping[str, Any], wanted: Sequence[str]) -> ConcreteFunction:
        """The compiled part of what makes the wanted values of tensors, or specs of them.

        Raises:
            NotTraceableError: when nothing can be compiled.
        """
        return self._chosen(given, wanted).concrete(given)

    def _chosen(self, given: Mapping[str, Any], wanted: Sequence[str]) -> _Compiled:
        key = tuple(given), tuple(wanted)
        found = self._choices.get(key)
        if found is None:
            steps = plan(self.graph, wanted, given)
            deciding = deciding_inputs(self.graph, steps.nodes, given)
            found = self._choices[key] = _Choices(steps, sorted(deciding))
        known = {name: given[name] for name in found.deciding if _is_small(given[name])}
        values = {name: host_values(value) for name, value in known.items()}
        choice = tuple((name, v.dtype.str, v.shape, v.tobytes()) for name, v in values.items())
        if choice not in found.compiled and len(found.compiled) >= _MAX_KNOWN:
            choice, values = (), {}
        if choice not in found.compiled:
            made = _Compiled(self.graph, found.steps, self._quantize, values)
            found.compiled[choice] = made
        return found.compiled[choice]


@dataclass(frozen=True)
class _Choices:
    """What there is for some names of inputs and outputs."""

    steps: Plan
    deciding: Sequence[str]
    """Inputs that decide what is computed."""
    compiled: dict[Any, _Compiled] = field(default_factory=dict)
    """By the values of those that are known."""


def _is_small(value: Any) -> bool:
    """Whether the values of an input may belong to its signature."""
    if not isinstance(value, Tensor) or not value.has_values:
        return False
    aval = value.aval
    return (aval.dtype.is_integer or aval.dtype.is_bool) and aval.size <= _MAX_ELEMENTS


class _Compiled:
    """A plan with the values of some of its inputs."""

    def __init__(
        self, graph: NodeGraph, steps: Plan, quantize: str | None, known: Mapping[str, Any]
    ) -> None:
        self._graph, self._steps, self._known = graph, steps, known
        self._rests: dict[Any, _Rest] = {}
        self.function: Function[[Mapping[str, Any]], Any] = Function(
            _named(self._traced, graph.name), autograph=False, quantize=quantize
        )
        """The compiled part; it gives a dictionary of tensors."""

    def __call__(self, given: Mapping[str, Tensor]) -> list[Any]:
        traced = self._traced_ones(given)
        tensors = self.function(traced)
        rest = self._rests[_signature(traced)]
        values = dict(zip(rest.names, tensors, strict=True))
        scope = Scope(self._graph, {**given, **rest.known, **values})
        return scope.run(rest.steps)

    def concrete(self, given: Mapping[str, Any]) -> ConcreteFunction:
        """The compiled part for tensors like these, or specs of them."""
        return self.function.get_concrete_function(self._traced_ones(given))

    def _traced_ones(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs that are not known."""
        return {name: value for name, value in given.items() if name not in self._known}

    def _traced(self, given: dict[str, Tensor]) -> list[Tensor]:
        scope = Scope(self._graph, {**given, **self._known})
        left = scope.trace(self._steps)
        rest = _rest(scope, self._steps, left, {**given, **self._known})
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
