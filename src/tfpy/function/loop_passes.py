"""What a Graph does not need of its loops is left out before it is compiled.

``live``: equations that nothing needs, and variables of loops that nothing reads.
``shared``: a loop and the one that notes its states for the gradient become one.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.function.branching import PURE, while_loop
from tfpy.function.mirror import slice_of
from tfpy.ir.graph import Eqn, Graph


def live(eqns: Sequence[Eqn], outputs: Sequence[int]) -> list[Eqn]:
    """The equations that outputs or effects need, with loops reduced to what is read of them::

    %3, %4 = while_loop(%1, %2)  test: i < 3, body: i + 1, x * 2      (only %3 is read)
    %3     = while_loop(%1)      test: i < 3, body: i + 1
    """
    needed = set(outputs)
    kept: list[Eqn] = []
    for eqn in reversed(eqns):
        if eqn.op.stateful or not needed.isdisjoint(eqn.outputs):
            if _is_loop(eqn):
                eqn = _reduced(eqn, needed)
            kept.append(eqn)
            needed.update(eqn.inputs)
    return kept[::-1]


def _is_loop(eqn: Eqn) -> bool:
    return PURE.get(eqn.op, eqn.op) is while_loop


def _reduced(eqn: Eqn, needed: set[int]) -> Eqn:
    attrs = dict(eqn.attrs)
    read = {p for p, v in enumerate(eqn.outputs) if v in needed}
    places, test, body, state = _reduce(attrs["test"], attrs["body"], attrs["state"], read)
    if len(places) == len(eqn.inputs):
        return eqn
    outputs = tuple(eqn.outputs[p] for p in places[:state])
    attrs |= {"test": test, "body": body, "state": state}
    return Eqn(eqn.op, tuple(eqn.inputs[p] for p in places), outputs, tuple(attrs.items()))


def _reduce(
    test: Graph, body: Graph, state: int, read: set[int]
) -> tuple[list[int], Graph, Graph, int]:
    """The places of the inputs that are left, and the loop over these."""
    kept = set(read)
    effects = [v for eqn in body.eqns if eqn.op.stateful for v in eqn.inputs]
    tested = [*test.outputs, *(v for eqn in test.eqns if eqn.op.stateful for v in eqn.inputs)]
    while True:
        wanted = [*(body.outputs[p] for p in sorted(kept)), *effects]
        reads = {
            *(p for p, v in enumerate(body.inputs) if v in slice_of(body, wanted)[1]),
            *(p for p, v in enumerate(test.inputs) if v in slice_of(test, tested)[1]),
        }
        grown = kept | {p for p in reads if p < state}
        if grown == kept:
            break
        kept = grown
    variables = sorted(kept)
    places = [*variables, *sorted(p for p in reads if p >= state)]
    return (
        places,
        _over(test, places, test.outputs),
        _over(body, places, [body.outputs[p] for p in variables]),
        len(variables),
    )


def _over(graph: Graph, places: Sequence[int], outputs: Sequence[int]) -> Graph:
    """The Graph with some of its inputs and outputs."""
    inputs = [graph.inputs[p] for p in places]
    eqns = live(graph.eqns, outputs)
    return Graph(graph.avals, inputs, graph.constants, eqns, list(outputs))


def shared(graph: Graph) -> Graph:
    """The Graph in which a loop that notes its states stands for the plain loop, too::

    %5         = while_loop(%1)                %6, %7, %5 = while_loop(%0, %0, %1) noting
    %6, %7, %8 = while_loop(%0, %0, %1) noting
    """
    plain = {
        (eqn.inputs, attrs["body"]): eqn
        for eqn in graph.eqns
        if eqn.op is while_loop and (attrs := dict(eqn.attrs))["noting"] is None
    }
    eqns = list(graph.eqns)
    for eqn in graph.eqns:
        noting = dict(eqn.attrs).get("noting")
        if noting is None:
            continue
        first = len(eqn.inputs) - len(noting.inputs)
        found = plain.get((eqn.inputs[first:], noting))
        if found is not None and found in eqns:
            eqns = _replaced(eqns, found, eqn, first)
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs)


def _replaced(eqns: Sequence[Eqn], plain: Eqn, noting: Eqn, first: int) -> list[Eqn]:
    """The equations with ``noting``, and what makes its own first values, in ``plain``'s place."""
    stands_for = dict(zip(noting.outputs[first:], plain.outputs, strict=True))
    merged = Eqn(
        noting.op,
        noting.inputs,
        (*noting.outputs[:first], *plain.outputs),
        tuple((name, None if name == "noting" else value) for name, value in noting.attrs),
    )
    makers = [e for e in eqns if not e.inputs and not set(e.outputs).isdisjoint(noting.inputs)]
    out: list[Eqn] = []
    for eqn in eqns:
        if eqn is plain:
            out += [*makers, merged]
        elif eqn is not noting and eqn not in makers:
            inputs = tuple(stands_for.get(v, v) for v in eqn.inputs)
            out.append(Eqn(eqn.op, inputs, eqn.outputs, eqn.attrs))
    return out
