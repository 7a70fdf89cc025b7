"""A node list as a function of tensors: traced, compiled and run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.core.conversion import host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import NodeOrder, plan
from tfpy._src.formats.node_graphs.stage import Stage

_Sources = frozenset[str] | None
"""The inputs of which alone a value is computed; None for one that is data."""


def deciding_inputs(graph: NodeGraph, nodes: Sequence[Node], given: Collection[str]) -> set[str]:
    """The given values on which alone something depends that must be known in a trace.

    Args:
        graph: the graph.
        nodes: those that run, in order.
        given: names of values that are given.
    """
    found: set[str] = set()
    own: dict[str, _Sources] = {name: frozenset((name,)) for name in given}
    _walk(graph, nodes, own, lambda name: frozenset(), found)
    return found


def _walk(
    graph: NodeGraph,
    nodes: Sequence[Node],
    made: dict[str, _Sources],
    outside: Callable[[str], _Sources],
    found: set[str],
) -> None:
    """Finds the inputs that nodes depend on.

    Args:
        made: the sources of the graph's values so far.
        outside: the sources of the values of the graphs around it.
    """

    def of(name: str) -> _Sources:
        if name in made:
            return made[name]
        return frozenset() if name in graph.weights else outside(name)

    for node in nodes:
        for name in graph.dialect.decides(node):
            found |= of(name) or frozenset()
        for part in node.subgraphs:
            data: dict[str, _Sources] = dict.fromkeys(spec.name for spec in part.inputs)
            _walk(part, plan(part, part.outputs, data).nodes, data, of, found)
        sources = _joined([of(name) for name in node.reads])
        if node.op in graph.dialect.shape_ops:
            sources = frozenset()
        made.update(dict.fromkeys(node.outputs, sources))


def _joined(parts: Sequence[_Sources]) -> _Sources:
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


_MAX_ELEMENTS = 8
"""Of an input whose values belong to its signature."""
_MAX_KNOWN = 16
"""For so many different values of such inputs a function is compiled; then they are tensors."""


class Runner:
    """A node list as a function, compiled for each signature of its inputs.

    The values of small inputs of whole numbers or truth values belong to the signature where it is
    they that say which branch of the graph runs, or which shape a value has: a trace knows them.

    What can be traced is one compiled function. Operations that must know tensors' elements (the
    number of boxes that are left, of elements that are not zero) run op by op behind it, and what
    follows them is compiled again for the sizes that they gave.
    """

    def __init__(self, graph: NodeGraph, quantize: str | None = None) -> None:
        self.graph = graph
        self._quantize = quantize
        self._choices: dict[Any, _Choices] = {}

    def __call__(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """The wanted values, made of given ones."""
        return self._chosen(given, wanted)(given)

    async def call_async(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """The same, between whose parts the page has its turns."""
        return await self._chosen(given, wanted).call_async(given)

    async def prepare(
        self, given: Mapping[str, Any], wanted: Sequence[str], progress: Callable[[float], None]
    ) -> None:
        """Compiles what makes the wanted values of tensors, or specs of them; see
        :meth:`Stage.prepare`.

        Raises:
            NotTraceableError: when nothing can be compiled.
        """
        await self._chosen(given, wanted).prepare(given, progress)

    def _chosen(self, given: Mapping[str, Any], wanted: Sequence[str]) -> Stage:
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
            made = Stage(self.graph, found.steps, values, self._quantize)
            found.compiled[choice] = made
        return found.compiled[choice]


@dataclass(frozen=True)
class _Choices:
    """What there is for some names of inputs and outputs."""

    steps: NodeOrder
    deciding: Sequence[str]
    """Inputs that decide what is computed."""
    compiled: dict[Any, Stage] = field(default_factory=dict)
    """By the values of those that are known."""


def _is_small(value: Any) -> bool:
    """Whether the values of an input may belong to its signature."""
    if not isinstance(value, Tensor) or not value.has_values:
        return False
    aval = value.aval
    return (aval.dtype.is_integer or aval.dtype.is_bool) and aval.size <= _MAX_ELEMENTS
