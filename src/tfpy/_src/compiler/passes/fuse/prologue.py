"""Prologues: a kernel computes the elements of its operand when it reads them."""

from __future__ import annotations

from dataclasses import replace

from tfpy._src.compiler.ir.fusion import LOOP, PROLOGUE, fuse, fusion, is_elementwise
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.calls import kernel_call
from tfpy._src.compiler.lower.compose import NotComposable
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.fuse.elementwise import Group, is_fusible
from tfpy._src.compiler.passes.uses import Uses


def fuse_prologue(graph: Graph, target: Target) -> Graph:
    """Fuse elementwise equations, or slices, with the only kernel that reads their result. ::

    %2 = squared_difference(%0, %1)    %3 = fusion(%0, %1) kind=prologue
    %3 = reduce_sum(%2)                  %2 = squared_difference(%0, %1)
                                         %3 = reduce_sum(%2)

    A kernel that computes the operand can also be fused. ::

    %2 = depthwise_conv2d(%0, %1) …    %3 = fusion(%0, %1) kind=prologue
    %3 = pack_bytes(%2) …                %2 = depthwise_conv2d(%0, %1) …
                                         %3 = pack_bytes(%2) …
    """
    if not target.fuses_prologues:
        return graph
    uses = Uses(graph)
    fused = [
        _with_producers(uses, eqn, target) or _with_maker(uses, eqn, target) for eqn in graph.eqns
    ]
    if not any(fused):
        return graph
    eqns = [new or old for old, new in zip(graph.eqns, fused, strict=True)]
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs))


def _with_producers(uses: Uses, eqn: Eqn, target: Target) -> Eqn | None:
    graph = uses.graph
    if not _has_kernel(eqn):
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


def _with_maker(uses: Uses, eqn: Eqn, target: Target) -> Eqn | None:
    """Fuse the kernel that computes the operand for this kernel only, possibly through reshapes."""
    graph = uses.graph
    if not _has_kernel(eqn):
        return None
    members = [eqn]
    while members[0] is eqn or members[0].op.is_alias:
        operand, *others = members[0].inputs
        made_at = uses.producer.get(operand)
        readers = {uses.producer[members[0].outputs[0]]}
        if operand in others or made_at is None or not uses.only_in(operand, readers):
            return None
        members.insert(0, graph.eqns[made_at])
    maker = members[0]
    if not _has_kernel(maker):
        return None
    (call, (_, *others)), (made_by, values) = kernel_call(graph, eqn), kernel_call(graph, maker)
    taken = target.takes_prologue(replace(call, maker=made_by), len({*values, *others}))
    return fuse(graph, members, PROLOGUE) if taken else None


def _has_kernel(eqn: Eqn) -> bool:
    if is_elementwise(eqn.op) or eqn.op.kernel is None or eqn.op.stateful or not eqn.inputs:
        return False
    return eqn.op is not fusion or dict(eqn.attrs)["kind"] != LOOP
