"""Equations that free memory, directly after their operands."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.passes.rewrite import is_plain
from tfpy._src.compiler.passes.storage_uses import StorageUses


def read_early(graph: Graph) -> Graph:
    """Move equations that read large values last directly behind their operands. ::

        %3:float32[9,64] = exp(%1)            %3:float32[9,64] = exp(%1)
        %4:float32[9,64] = exp(%2)       ->   %5:float32[9,4] = matmul(%3, %0) …
        %5:float32[9,4] = matmul(%3, %0) …    %4:float32[9,64] = exp(%2)
        …                                     …

    An equation moves if it frees more bytes of its operands than its result has.
    """
    uses = StorageUses(graph)
    keys: list[tuple[int, int]] = []
    for number, eqn in enumerate(graph.eqns):
        made = (uses.producers[value] for value in eqn.inputs if value in uses.producers)
        last, moved = max((keys[n] for n in made), default=(-1, 0))
        is_early = is_plain(eqn) and not eqn.op.is_alias and _frees(uses, number, eqn, last)
        keys.append((last, moved + 1) if is_early else (number, 0))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    if order == [*range(len(keys))]:
        return graph
    eqns = [graph.eqns[number] for number in order]
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs)


def _frees(uses: StorageUses, number: int, eqn: Eqn, after: int) -> bool:
    """Return True if an equation would free memory behind equation `after`."""
    freed = 0
    for value in {*map(uses.origin, eqn.inputs)} - uses.given:
        others = [reader for reader in uses.reads[value] if reader != number]
        if not others or others[-1] <= after:
            freed += uses.nbytes(value)
    return freed > uses.nbytes(eqn.outputs[0])
