"""Equations that annotate values and compute nothing (:attr:`Op.annotates`)."""

from __future__ import annotations

from functools import partial

from tfpy._src.compiler.ir.graph import Eqn, Graph, with_bodies
from tfpy._src.compiler.ir.op import GRADIENT, LAYOUT


def strip_annotations(graph: Graph, spreads: bool = False) -> Graph:
    """Remove annotations from the Graph and its inner Graphs. Values keep their numbers::

        %2 = custom_gradient(%1, %0)      ->
        %3 = sin(%2)                            %3 = sin(%1)

    Args:
        spreads: Keep layouts, for a backend that has several devices.
    """
    gone = {GRADIENT} if spreads else {GRADIENT, LAYOUT}
    stands_for: dict[int, int] = {}
    eqns: list[Eqn] = []
    for eqn in graph.eqns:
        inputs = tuple(stands_for.get(v, v) for v in eqn.inputs)
        if eqn.op.annotates in gone:
            stands_for |= dict(zip(eqn.outputs, inputs, strict=False))
        else:
            within = with_bodies(eqn, partial(strip_annotations, spreads=spreads))
            eqns.append(within if inputs == eqn.inputs else within._replace(inputs=inputs))
    if all(new is old for new, old in zip(eqns, graph.eqns, strict=False)) and not stands_for:
        return graph
    outputs = [stands_for.get(v, v) for v in graph.outputs]
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, outputs)
