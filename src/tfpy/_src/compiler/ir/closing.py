"""Replacement of open sizes by actual sizes: Graphs are compiled for actual sizes."""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, bodies
from tfpy._src.compiler.ir.sizes import closed


def close(graph: Graph) -> Graph:
    """Return the Graph, including Graphs in its attributes, with actual sizes only.

    Example:
        >>> from tfpy._src.base import dtypes
        >>> from tfpy._src.compiler.ir.aval import Aval
        >>> from tfpy._src.compiler.ir.sizes import OpenSize
        >>> graph = Graph([Aval((OpenSize(4),), dtypes.float32)])
        >>> graph.avals[0].shown, close(graph).avals[0].shown
        ((None,), (4,))
    """
    return _closed(graph, {})


def _closed(graph: Graph, known: dict[int, Graph]) -> Graph:
    """Close a Graph. `known` maps ids of Graphs to results, so that shared Graphs stay shared."""
    if not _is_open(graph):
        return graph
    if id(graph) not in known:
        known[id(graph)] = Graph(
            [aval.closed for aval in graph.avals],
            graph.inputs,
            graph.constants,
            [e._replace(attrs=_attribute(e.attrs, known)) for e in graph.eqns],
            graph.outputs,
        )
    return known[id(graph)]


def _is_open(graph: Graph) -> bool:
    return any(aval.is_open for aval in graph.avals) or any(
        _is_open(inner) for eqn in graph.eqns for _, inner in bodies(eqn.attrs)
    )


def _attribute(value: Any, known: dict[int, Graph]) -> Any:
    if isinstance(value, Graph):
        return _closed(value, known)
    if isinstance(value, Aval):
        return value.closed
    if type(value) is tuple:
        return tuple(_attribute(v, known) for v in value)
    return closed(value)
