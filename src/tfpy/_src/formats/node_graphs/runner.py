"""Runner of a node list as a function of tensors, which is traced and compiled."""

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
"""Names of the inputs that alone determine a value, or None for a value that is data."""


def deciding_inputs(graph: NodeGraph, nodes: Sequence[Node], given: Collection[str]) -> set[str]:
    """Return the given values that a trace must know.

    These values alone determine a shape, or which part of the graph runs.

    Args:
        graph: The graph.
        nodes: The nodes that run, in order.
        given: Names of the given values.
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
    """Find the inputs that a trace must know for some nodes.

    Args:
        graph: The graph.
        nodes: The nodes that run, in order.
        made: Sources of the graph's values so far. The sources of the nodes' outputs are added.
        outside: Function that returns the sources of a value of the graphs around it.
        found: The inputs found. The inputs for these nodes are added.
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
"""Maximum size of an input for its values to be part of the signature."""
_MAX_KNOWN = 16
"""Number of different values of such inputs for which a function is compiled. Later ones are
ordinary tensors."""


class Runner:
    """A node list as a function, compiled for each signature of its inputs.

    The values of small integer or boolean inputs are part of the signature if they decide which
    branch of the graph runs or which shape a value has. The trace then knows these values.

    The traceable part becomes one compiled function. Operations that need the elements of tensors,
    such as the number of remaining boxes or of nonzero elements, run op by op after it. The
    operations that follow them are compiled again for each set of sizes.
    """

    def __init__(self, graph: NodeGraph, quantize: str | None = None) -> None:
        self.graph = graph
        self._quantize = quantize
        self._choices: dict[Any, _Choices] = {}

    def __call__(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """Compute the wanted values from given ones."""
        return self._chosen(given, wanted)(given)

    async def call_async(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """Compute the wanted values, and let the page process events in between."""
        return await self._chosen(given, wanted).call_async(given)

    async def prepare(
        self, given: Mapping[str, Any], wanted: Sequence[str], progress: Callable[[float], None]
    ) -> None:
        """Compile the function for some tensors, or for specs of them.

        See `Stage.prepare`.

        Raises:
            NotTraceableError: If nothing can be compiled.
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
    """The compiled functions for some names of inputs and outputs."""

    steps: NodeOrder
    deciding: Sequence[str]
    """Inputs that decide which operations run."""
    compiled: dict[Any, Stage] = field(default_factory=dict)
    """Compiled functions by the values of the deciding inputs."""


def _is_small(value: Any) -> bool:
    """Return True if the values of an input may be part of its signature."""
    if not isinstance(value, Tensor) or not value.has_values:
        return False
    aval = value.aval
    return (aval.dtype.is_integer or aval.dtype.is_bool) and aval.size <= _MAX_ELEMENTS
