"""What elementwise equations do to a kernel's result is done before the result is written."""

from __future__ import annotations

import heapq

from tfpy.ir.fusion import EPILOGUE, LOOP, fuse, fusion, is_elementwise
from tfpy.ir.graph import Eqn, Graph
from tfpy.lower.common import kernel_call
from tfpy.lower.compose import NotComposable, facts_of
from tfpy.passes.dead_code import without_dead_code
from tfpy.passes.fuse_elementwise import Uses, is_fusible
from tfpy.passes.target import Target

MAX_COST = 64
"""Operations of an epilogue at most."""


def fuse_epilogue(graph: Graph, target: Target) -> Graph:
    """A kernel and the elementwise equations that finish its result as one equation. ::

        %3 = conv2d(%0, %1)            %5 = fusion(%0, %1, %2) kind=epilogue
        %4 = add(%3, %2)                 %3 = conv2d(%0, %1)
        %5 = relu(%4)                    %4 = add(%3, %2); %5 = relu(%4)

    The longest run that the target takes is fused; nothing else may read what is inside.
    """
    uses = Uses(graph)
    fused: set[int] = set()
    eqns = list(graph.eqns)
    for number, eqn in enumerate(graph.eqns):
        if number in fused or not _has_kernel(eqn):
            continue
        members = _longest(uses, number, target, fused)
        if len(members) > 1:
            fused.update(members)
            eqns[members[-1]] = fuse(graph, [graph.eqns[i] for i in members], EPILOGUE)
    if not fused:
        return graph
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs))


def _has_kernel(eqn: Eqn) -> bool:
    if eqn.op is fusion:
        return dict(eqn.attrs)["kind"] not in (LOOP, EPILOGUE)
    return eqn.op.kernel is not None and not eqn.op.stateful and not is_elementwise(eqn.op)


def _longest(uses: Uses, kernel: int, target: Target, fused: set[int]) -> list[int]:
    """The kernel and what the target takes of the equations behind it, in order."""
    graph = uses.graph
    members, best, cost = [kernel], [kernel], 0
    size = graph.avals[graph.eqns[kernel].outputs[0]].size
    waiting = list(uses.readers.get(graph.eqns[kernel].outputs[0], ()))
    heapq.heapify(waiting)
    while waiting:
        number = heapq.heappop(waiting)
        eqn = graph.eqns[number]
        if number == members[-1]:
            continue
        if number in fused or not is_fusible(graph, eqn):
            break
        cost += facts_of(graph, eqn).cost
        (out,) = eqn.outputs
        if graph.avals[out].size != size or cost > MAX_COST:
            break
        members.append(number)
        if _result(uses, members) == out:
            if not _takes(graph, members, target):
                break
            best = list(members)
        for reader in uses.readers.get(out, ()):
            heapq.heappush(waiting, reader)
    while graph.eqns[best[-1]].op.is_alias:
        best.pop()
    return best


def _result(uses: Uses, members: list[int]) -> int | None:
    """The only value of the members that others need, if there is but one."""
    inside = set(members)
    values = (uses.graph.eqns[number].outputs[0] for number in members)
    needed = [v for v in values if not uses.only_in(v, inside) or v not in uses.readers]
    return needed[0] if len(needed) == 1 else None


def _takes(graph: Graph, members: list[int], target: Target) -> bool:
    eqn = fuse(graph, [graph.eqns[i] for i in members], EPILOGUE)
    if graph.eqns[members[-1]].op.is_alias:
        return True  # whether what follows can be taken is asked then
    try:
        call, _ = kernel_call(graph, eqn)
    except NotComposable:
        return False
    assert call.epilogue is not None
    return target.takes_epilogue(call, call.epilogue, graph.avals[eqn.outputs[0]])
