"""Inputs whose elements say what a graph computes: which branch runs, which shape a value has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import plan

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
