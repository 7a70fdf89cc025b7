"""Reduction of loops to the parts that a Graph needs, before it is cut into regions.

Loops are `while_loop` equations. Their records are in a layer above the passes, so they are looked
up in the table.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from tfpy._src.compiler.ir.graph import Eqn, Graph, with_bodies
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ir.slices import slice_of


def reduce_loops(graph: Graph) -> Graph:
    """Remove unused equations and unused variables of loops, also in inner Graphs.

    Values keep their numbers::

        %3, %4 = while_loop(%1, %2)  test: i < 3, body: i + 1, x * 2      (only %3 is read)
        %3     = while_loop(%1)      test: i < 3, body: i + 1
    """
    reduced = _over(graph, graph.inputs, graph.outputs)
    is_same = len(reduced.eqns) == len(graph.eqns)
    return graph if is_same and all(map(operator.is_, reduced.eqns, graph.eqns)) else reduced


def _over(graph: Graph, inputs: Sequence[int], outputs: Sequence[int]) -> Graph:
    """Return the part of a Graph that the outputs and effects need."""
    eqns, _ = slice_of(graph.eqns, outputs, effects=True, reduced=_reduced)
    return Graph(graph.avals, list(inputs), graph.constants, eqns, list(outputs))


def _reduced(eqn: Eqn, needed: set[int]) -> Eqn:
    if eqn.op not in (OPS["while_loop"], OPS["stateful_while_loop"]):
        return with_bodies(eqn, reduce_loops)
    attrs = dict(eqn.attrs)
    read = {p for p, v in enumerate(eqn.outputs) if v in needed}
    places, test, body, state = _reduce(attrs["test"], attrs["body"], attrs["state"], read)
    outputs = tuple(eqn.outputs[p] for p in places[:state])
    attrs |= {"test": test, "body": body, "state": state}
    inputs = tuple(eqn.inputs[p] for p in places)
    return eqn._replace(inputs=inputs, outputs=outputs, attrs=tuple(attrs.items()))


def _reduce(
    test: Graph, body: Graph, state: int, read: set[int]
) -> tuple[list[int], Graph, Graph, int]:
    """Return the positions of the remaining inputs, and the loop over these."""
    kept = set(read)
    while True:
        reads = _reads(test, test.outputs) | _reads(body, [body.outputs[p] for p in kept])
        grown = kept | {p for p in reads if p < state}
        if grown == kept:
            break
        kept = grown
    variables = sorted(kept)
    places = [*variables, *sorted(p for p in reads if p >= state)]
    return (
        places,
        _over(test, [test.inputs[p] for p in places], test.outputs),
        _over(body, [body.inputs[p] for p in places], [body.outputs[p] for p in variables]),
        len(variables),
    )


def _reads(graph: Graph, outputs: Sequence[int]) -> set[int]:
    """Return the positions of the inputs that outputs and effects need."""
    _, needed = slice_of(graph.eqns, outputs, effects=True)
    return {place for place, value in enumerate(graph.inputs) if value in needed}


def share_loops(graph: Graph) -> Graph:
    """Replace a plain loop by the same loop that saves its states for the gradient.

    Inner Graphs are rewritten as well::

    %5         = while_loop(%1)                %6, %7, %5 = while_loop(%0, %0, %1) primal
    %6, %7, %8 = while_loop(%0, %0, %1) primal
    """
    eqns, stands_for = list(graph.eqns), dict[int, int]()
    for outputs in [eqn.outputs for eqn in graph.eqns if _primal(eqn) is not None]:
        saving = next(eqn for eqn in eqns if eqn.outputs == outputs)
        plain = next((eqn for eqn in eqns if _is_plain(eqn, saving)), None)
        if plain is not None:
            first = len(saving.inputs) - len(plain.inputs)
            stands_for |= dict(zip(saving.outputs[first:], plain.outputs, strict=True))
            eqns = _merged(eqns, plain, saving, stands_for)
    eqns = [with_bodies(eqn, share_loops) for eqn in eqns]
    if len(eqns) == len(graph.eqns) and all(map(operator.is_, eqns, graph.eqns)):
        return graph
    results = [stands_for.get(v, v) for v in graph.outputs]
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, results)


def _primal(eqn: Eqn) -> Graph | None:
    """Return the body of the loop for which an equation saves states."""
    primal = dict(eqn.attrs).get("primal")
    assert primal is None or isinstance(primal, Graph)
    return primal


def _is_plain(eqn: Eqn, saving: Eqn) -> bool:
    """Return True if an equation is the loop for which the equation `saving` saves states."""
    primal = _primal(saving)
    assert primal is not None
    attrs = dict(eqn.attrs)
    return (
        eqn.op is OPS["while_loop"]
        and attrs["primal"] is None
        and attrs["body"] is primal
        and eqn.inputs == saving.inputs[-len(primal.inputs) :]
    )


def _merged(
    eqns: Sequence[Eqn], plain: Eqn, saving: Eqn, stands_for: Mapping[int, int]
) -> list[Eqn]:
    """Return the equations with one loop, and its initial values, at the place of the first loop.

    Args:
        stands_for: Map from outputs of `saving` and previous saving loops to outputs of plain
            loops.
    """
    own = len(saving.outputs) - len(plain.outputs)
    attrs = tuple((name, None if name == "primal" else value) for name, value in saving.attrs)
    one = saving._replace(outputs=(*saving.outputs[:own], *plain.outputs), attrs=attrs)
    at = min(eqns.index(plain), eqns.index(saving))
    before, after = eqns[:at], [eqn for eqn in eqns[at:] if eqn not in (plain, saving)]
    makers = [e for e in after if not e.inputs and not set(e.outputs).isdisjoint(saving.inputs)]
    rest = [
        eqn._replace(inputs=tuple(stands_for.get(v, v) for v in eqn.inputs))
        for eqn in after
        if eqn not in makers
    ]
    return [*before, *makers, one, *rest]
