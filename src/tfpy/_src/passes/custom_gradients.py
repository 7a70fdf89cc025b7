"""Equations that only say what a gradient is."""

from __future__ import annotations

from typing import Any

from tfpy._src.ir.graph import Eqn, Graph
from tfpy._src.ir.op import OPS


def without_custom_gradients(graph: Graph) -> Graph:
    """The Graph, and those within it, without ``custom_gradient`` equations.

    Values keep their numbers::

        %2 = custom_gradient(%1, %0)      ->
        %3 = sin(%2)                            %3 = sin(%1)
    """
    stands_for: dict[int, int] = {}
    eqns: list[Eqn] = []
    for eqn in graph.eqns:
        inputs = tuple(stands_for.get(v, v) for v in eqn.inputs)
        if eqn.op is OPS["custom_gradient"]:
            stands_for |= dict(zip(eqn.outputs, inputs, strict=False))
        else:
            attrs = tuple((name, _within(value)) for name, value in eqn.attrs)
            same = inputs == eqn.inputs and attrs == eqn.attrs
            eqns.append(eqn if same else eqn._replace(inputs=inputs, attrs=attrs))
    if all(new is old for new, old in zip(eqns, graph.eqns, strict=False)) and not stands_for:
        return graph
    outputs = [stands_for.get(v, v) for v in graph.outputs]
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, outputs)


def _within(attribute: Any) -> Any:
    if isinstance(attribute, Graph):
        return without_custom_gradients(attribute)
    if isinstance(attribute, tuple) and any(isinstance(item, Graph) for item in attribute):
        return tuple(map(_within, attribute))
    return attribute
