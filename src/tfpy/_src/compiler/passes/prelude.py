"""The prelude: the part of a Graph that depends on weights only.

It runs only when weights change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tfpy._src.compiler.ir.graph import Eqn, Graph, extract
from tfpy._src.compiler.ops.movement import broadcast_to
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.rewrite import is_plain


class WeightOnly:
    """The set of values that weights and constants determine, in a Graph that may still grow.

    Values that are computed from weights in a block format are not in the set, because they need
    several times the memory.

    Args:
        weights: Positions in `graph.inputs` of captured tensors and Variables that the Graph reads
            and that change rarely.
    """

    def __init__(self, graph: Graph, weights: Collection[int]) -> None:
        self._graph = graph
        self._values = {graph.inputs[position] for position in weights}
        self._seen = 0

    def __contains__(self, value: int) -> bool:
        eqns = self._graph.eqns
        for number in range(self._seen, len(eqns)):
            eqn = eqns[number]
            if is_plain(eqn) and not eqn.op.expands and all(map(self._known, eqn.inputs)):
                self._values.update(eqn.outputs)
        self._seen = len(eqns)
        return self._known(value)

    def _known(self, value: int) -> bool:
        return value in self._values or value in self._graph.constants


def split_prelude(graph: Graph, weights: Collection[int]) -> tuple[Graph, Graph]:
    """Split a Graph into `(prelude, main)`.

    The prelude has the weights as inputs (in the order of `graph.inputs`) and computes the values
    that depend on them only. The main Graph has all inputs of `graph` and then the prelude's
    outputs. A prelude without outputs need not run; then main is `graph`. Values without cost
    (reshapes, broadcasts, ranges) are computed in main. ::

        graph(%0:float32[4,4], %1:float32[4,4])       prelude(%0:float32[4,4])
          %2:float32[4,4] = exp(%1)                     %1:float32[4,4] = exp(%0)
          %3:float32[4,4] = add(%0, %2)         ->      return %1
          return %3                                   main(%0, %1, %2:float32[4,4])
                                                        %3:float32[4,4] = add(%0, %2)
                                                        return %3

    Args:
        weights: Positions in `graph.inputs`, see :class:`WeightOnly`.
    """
    fixed = WeightOnly(graph, weights)
    early = {value: eqn for eqn in graph.eqns for value in eqn.outputs if value in fixed}
    late = [eqn for eqn in graph.eqns if early.keys().isdisjoint(eqn.outputs)]
    read = [value for eqn in late for value in eqn.inputs] + graph.outputs
    crossing: set[int] = set()
    made_in_main: set[int] = set()
    while read:
        value = read.pop()
        if value not in early or value in made_in_main:
            continue
        if _costs_nothing(early[value]):
            made_in_main.add(value)
            read.extend(early[value].inputs)
        else:
            crossing.add(value)
    if not crossing:
        return Graph(), graph
    order = [value for value in early if value in crossing]
    given = [graph.inputs[position] for position in sorted(weights)]
    done = early.keys() - made_in_main
    kept = [eqn for eqn in graph.eqns if done.isdisjoint(eqn.outputs)]
    return (
        _extracted(graph, given, early.values(), order),
        _extracted(graph, [*graph.inputs, *order], kept, graph.outputs),
    )


def _extracted(graph: Graph, inputs: list[int], eqns: Iterable[Eqn], outputs: list[int]) -> Graph:
    return without_dead_code(extract(graph, inputs, graph.constants, eqns, outputs))


def _costs_nothing(eqn: Eqn) -> bool:
    return eqn.op.is_alias or eqn.op is broadcast_to or not eqn.inputs
