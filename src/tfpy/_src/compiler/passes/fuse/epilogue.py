"""Epilogues: elementwise equations on a kernel's result run before the result is written."""

from __future__ import annotations

import heapq

from tfpy._src.compiler.ir.fusion import EPILOGUE, LOOP, fuse, fusion, is_elementwise
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.calls import kernel_call
from tfpy._src.compiler.lower.compose import NotComposable, facts_of
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.fuse.elementwise import is_fusible
from tfpy._src.compiler.passes.uses import Uses

MAX_COST = 64
"""Largest cost of an epilogue."""


def fuse_epilogue(graph: Graph, target: Target) -> Graph:
    """Fuse a kernel and the elementwise equations on its result. ::

        %3 = conv2d(%0, %1)            %5 = fusion(%0, %1, %2) kind=epilogue
        %4 = add(%3, %2)                 %3 = conv2d(%0, %1)
        %5 = relu(%4)                    %4 = add(%3, %2); %5 = relu(%4)

    The longest run that the target supports is fused. Values inside must not have other readers.
    Operands that only the run reads are computed inside as well. ::

        %3 = multiply(%1, %2)          %5 = fusion(%0, %6, %1, %2) kind=epilogue
        %4 = matmul(%0, %6)              %4 = matmul(%0, %6)
        %5 = real_div(%4, %3)            %3 = multiply(%1, %2); %5 = real_div(%4, %3)
    """
    uses = Uses(graph)
    fused: set[int] = set()
    eqns = list(graph.eqns)
    for number, eqn in enumerate(graph.eqns):
        if number in fused or not _has_kernel(eqn):
            continue
        members, longest = _longest(uses, number, target, fused)
        if longest is not None:
            members, longest = _with_operands(uses, members, longest, target, fused)
            fused.update(members)
            eqns[members[-1]] = longest
    if not fused:
        return graph
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs))


def _has_kernel(eqn: Eqn) -> bool:
    if eqn.op is fusion:
        return dict(eqn.attrs)["kind"] not in (LOOP, EPILOGUE)
    return eqn.op.kernel is not None and not eqn.op.stateful and not is_elementwise(eqn.op)


def _longest(
    uses: Uses, kernel: int, target: Target, fused: set[int]
) -> tuple[list[int], Eqn | None]:
    """Return a kernel with its longest supported epilogue: equations in order, and their fusion.

    The fusion is None if there is no epilogue.
    """
    graph = uses.graph
    members, best, found, cost = [kernel], [kernel], None, 0
    size = graph.avals[graph.eqns[kernel].outputs[0]].size
    waiting = list(uses.readers.get(graph.eqns[kernel].outputs[0], ()))
    heapq.heapify(waiting)
    while waiting:
        number = heapq.heappop(waiting)
        eqn = graph.eqns[number]
        if number == members[-1]:
            continue
        if number in fused or not is_fusible(graph, eqn, target):
            break
        cost += facts_of(graph, eqn).cost
        (out,) = eqn.outputs
        if graph.avals[out].size != size or cost > MAX_COST:
            break
        members.append(number)
        if _result(uses, members) == out and not eqn.op.is_alias:
            taken = _taken(graph, members, target)
            if taken is None:
                break
            best, found = list(members), taken
        for reader in uses.readers.get(out, ()):
            heapq.heappush(waiting, reader)
    return best, found


def _with_operands(
    uses: Uses, members: list[int], epilogue: Eqn, target: Target, fused: set[int]
) -> tuple[list[int], Eqn]:
    """Add the equations that compute operands which have no other readers, the last ones first."""
    graph = uses.graph
    kernel, *tail = best = members
    size = graph.avals[graph.eqns[kernel].outputs[0]].size
    cost = sum(facts_of(graph, graph.eqns[number]).cost for number in tail)
    waiting = [-number for member in tail for number in _makers(uses, member)]
    heapq.heapify(waiting)
    while waiting:
        number = -heapq.heappop(waiting)
        eqn = graph.eqns[number]
        if number in fused or number in (kernel, *tail) or not is_fusible(graph, eqn, target):
            continue
        more = facts_of(graph, eqn).cost
        (out,) = eqn.outputs
        if not uses.only_in(out, set(tail)) or graph.avals[out].size != size:
            continue
        taken = None if cost + more > MAX_COST else _taken(graph, [kernel, number, *tail], target)
        if taken is None:
            continue
        tail, cost = [number, *tail], cost + more
        if not eqn.op.is_alias:
            best, epilogue = [kernel, *tail], taken
        for maker in _makers(uses, number):
            heapq.heappush(waiting, -maker)
    return best, epilogue


def _makers(uses: Uses, number: int) -> list[int]:
    """Return the equations that compute the inputs of an equation."""
    inputs = uses.graph.eqns[number].inputs
    return [uses.producer[value] for value in inputs if value in uses.producer]


def _result(uses: Uses, members: list[int]) -> int | None:
    """Return the only value of the members that others need, or None if there are several."""
    inside = set(members)
    values = (uses.graph.eqns[number].outputs[0] for number in members)
    needed = [v for v in values if not uses.only_in(v, inside) or v not in uses.readers]
    return needed[0] if len(needed) == 1 else None


def _taken(graph: Graph, members: list[int], target: Target) -> Eqn | None:
    """Return the fusion of the members, or None if the target does not support it."""
    eqn = fuse(graph, [graph.eqns[i] for i in members], EPILOGUE)
    try:
        call, values = kernel_call(graph, eqn)
    except NotComposable:
        return None
    return eqn if target.takes_epilogue(call, len(set(values))) else None
