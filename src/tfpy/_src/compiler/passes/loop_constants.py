"""Movement of constants into the loops that read them, so that passes see their values there."""

from __future__ import annotations

import operator
from collections.abc import Set

from tfpy._src.compiler.ir.graph import Eqn, Graph, with_bodies
from tfpy._src.compiler.ir.op import OPS

_MAX_BYTES = 1 << 14
"""Largest size of a constant that loops contain."""


def embed_loop_constants(graph: Graph) -> Graph:
    """Make operands of loops that are small constants constants of their Graphs.

    A tensor that is created outside of a loop, and read inside, is an operand of the loop. Patterns
    such as attention need the values of numbers, and equations of equal constants are merged. ::

        %2 = constant -1e9
        %3 = while_loop(%1, %2)      body: return select(%0 > 0, %0, %1)

        %3 = while_loop(%1)          body: %1 = constant -1e9, return select(%0 > 0, %0, %1)
    """
    eqns = [with_bodies(_embedded(graph, eqn), embed_loop_constants) for eqn in graph.eqns]
    if all(map(operator.is_, eqns, graph.eqns)):
        return graph
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs)


def _embedded(graph: Graph, eqn: Eqn) -> Eqn:
    attrs = dict(eqn.attrs)
    is_loop = eqn.op in (OPS["while_loop"], OPS["stateful_while_loop"])
    if not is_loop or attrs["primal"] is not None:
        return eqn
    body: Graph = attrs["body"]
    places = {
        place
        for place, value in enumerate(eqn.inputs)
        if place >= attrs["state"]
        and value in graph.constants
        and graph.avals[value].nbytes <= _MAX_BYTES
        and body.inputs[place] not in body.outputs
    }
    if not places:
        return eqn
    for part in ("test", "body"):
        attrs[part] = _with_constants(attrs[part], graph, eqn, places)
    inputs = tuple(v for place, v in enumerate(eqn.inputs) if place not in places)
    return eqn._replace(inputs=inputs, attrs=tuple(attrs.items()))


def _with_constants(part: Graph, graph: Graph, eqn: Eqn, places: Set[int]) -> Graph:
    """Return the Graph with the operands of the loop at these places as constants."""
    found = {part.inputs[place]: graph.constants[eqn.inputs[place]] for place in places}
    inputs = [value for place, value in enumerate(part.inputs) if place not in places]
    return Graph(part.avals, inputs, part.constants | found, part.eqns, part.outputs)
