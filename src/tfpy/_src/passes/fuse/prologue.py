"""A kernel computes the elements of its operand as it reads them."""

from __future__ import annotations

from tfpy._src.ir.fusion import LOOP, PROLOGUE, fuse, fusion, is_elementwise
from tfpy._src.ir.graph import Eqn, Graph
from tfpy._src.lower.calls import kernel_call
from tfpy._src.lower.compose import NotComposable
from tfpy._src.lower.target import Target
from tfpy._src.passes.dead_code import without_dead_code
from tfpy._src.passes.fuse.elementwise import Group, is_fusible
from tfpy._src.passes.uses import Uses


def fuse_prologue(graph: Graph, target: Target) -> Graph:
    """Elementwise equations, or slices, and the kernel that alone reads their result as one. ::

    %2 = squared_difference(%0, %1)    %3 = fusion(%0, %1) kind=prologue
    %3 = reduce_sum(%2)                  %2 = squared_difference(%0, %1)
                                         %3 = reduce_sum(%2)
    """
    if not target.fuses_prologues:
        return graph
    uses = Uses(graph)
    fused = [_with_producers(uses, eqn, target) for eqn in graph.eqns]
    if not any(fused):
        return graph
    eqns = [new or old for old, new in zip(graph.eqns, fused, strict=True)]
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs))


def _with_producers(uses: Uses, eqn: Eqn, target: Target) -> Eqn | None:
    graph = uses.graph
    if is_elementwise(eqn.op) or eqn.op.kernel is None or eqn.op.stateful or len(eqn.inputs) == 0:
        return None
    if eqn.op is fusion and dict(eqn.attrs)["kind"] == LOOP:
        return None
    operand = eqn.inputs[0]
    producer = uses.producer.get(operand)
    if producer is None or not is_fusible(graph, graph.eqns[producer], target):
        return None
    if uses.readers[operand] != [uses.producer[eqn.outputs[0]]] or operand in uses.outputs:
        return None
    try:
        group = Group(uses, producer, target)
    except NotComposable:
        return None
    group.grow()
    members = group.members()
    if all(member.op.is_alias for member in members):
        return None
    made = {value for member in members for value in member.outputs}
    _, (_, *others) = kernel_call(graph, eqn)
    if not made.isdisjoint(others):
        return None
    fused = fuse(graph, [*members, eqn], PROLOGUE)
    call, values = kernel_call(graph, fused)
    return fused if target.takes_prologue(call, len(set(values))) else None
