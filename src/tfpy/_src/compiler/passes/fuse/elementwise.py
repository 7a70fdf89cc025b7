"""Fusion of consecutive elementwise equations, so that memory is read and written once."""

from __future__ import annotations

import heapq

from tfpy._src.base.dtypes import ROUNDED
from tfpy._src.compiler.ir.fusion import LOOP, fuse, is_elementwise, is_scalar_constant
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.calls import loop_call
from tfpy._src.compiler.lower.compose import IndexMaps, NotComposable, facts_of
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.movement import strided_slice
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.uses import Uses

MAX_COST = 256
"""Largest cost of one expression, so that registers and shaders stay small."""

CHEAP = 2
"""Largest cost of a value that is recomputed instead of stored."""

REPEATED = 1 << 16
"""Largest total cost of a broadcast operand that is computed again for each output element."""


def fuse_elementwise(graph: Graph, target: Target) -> Graph:
    """Fuse elementwise equations, with the reshapes and broadcasts between them.

    A value with several readers is computed inside a fusion if the fusion contains all of them, or
    again in each fusion if that is cheap. Otherwise it stays a separate equation. ::

        %2 = multiply(%0, %1)          %3 = fusion(%0, %1) kind=loop
        %3 = relu(%2)                    %2 = multiply(%0, %1); %3 = relu(%2)
    """
    if not target.fuses_loops:
        return graph
    uses = Uses(graph)
    needed = set(graph.outputs)
    eqns: list[Eqn] = []
    fused = False
    for number in reversed(range(len(graph.eqns))):
        eqn = graph.eqns[number]
        if needed.isdisjoint(eqn.outputs) and not eqn.op.stateful:
            continue
        if eqn.op.expr is not None and is_fusible(graph, eqn, target):
            group = Group(uses, number, target)
            group.grow()
            members = group.members()
            if len(members) > 1:
                whole = fuse(graph, members, LOOP)
                _, reads = loop_call(whole)
                if len(set(reads)) <= target.max_inputs:
                    eqn, fused = whole, True
        needed.update(eqn.inputs)
        eqns.append(eqn)
    if not fused:
        return graph
    eqns.reverse()
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs))


def is_fusible(graph: Graph, eqn: Eqn, target: Target) -> bool:
    """Return True if the equation is elementwise, on values that the device stores."""
    if not is_elementwise(eqn.op):
        return False
    stored = target.dtypes - ROUNDED if eqn.op.by_bits else target.dtypes
    avals = (graph.avals[value] for value in (*eqn.inputs, *eqn.outputs))
    return all(aval.size and aval.dtype in stored for aval in avals)


class Group:
    """A fusion that grows backwards from its last equation, number `root`."""

    def __init__(self, uses: Uses, root: int, target: Target) -> None:
        self.uses, self.graph, self.target = uses, uses.graph, target
        self.root = root
        self.size = self.graph.avals[self._output(root)].size
        self.maps = IndexMaps(self.graph, self._output(root))
        self.maps.visit(self.graph.eqns[root])
        self.numbers = {root}
        self.owned = {root}
        """Equations that no equation outside the group needs."""
        self.cost = facts_of(self.graph, self.graph.eqns[root]).cost
        self.inputs = self._arrays(root)

    def grow(self) -> None:
        """Add producers to the group. An equation is considered after all readers of its output."""
        waiting = self._candidates(self.root)
        heapq.heapify(waiting)
        seen: set[int] = set()
        while waiting:
            number = -heapq.heappop(waiting)
            if number in seen:
                continue
            seen.add(number)
            if self._take(number):
                for candidate in self._candidates(number):
                    heapq.heappush(waiting, candidate)

    def members(self) -> list[Eqn]:
        """Return the equations in order, without reshapes of values that the group only reads."""
        made: set[int] = set()
        found = []
        for number in sorted(self.numbers):
            eqn = self.graph.eqns[number]
            if eqn.op.is_alias and eqn.inputs[0] not in made:
                continue
            made.update(eqn.outputs)
            found.append(eqn)
        return found

    def _output(self, number: int) -> int:
        return self.graph.eqns[number].outputs[0]

    def _arrays(self, number: int) -> set[int]:
        inputs = self.graph.eqns[number].inputs
        return {v for v in inputs if not is_scalar_constant(self.graph, v)}

    def _candidates(self, number: int) -> list[int]:
        """Return negated numbers, so that a heap returns the last equation first."""
        producer = self.uses.producer
        return [-producer[v] for v in self.graph.eqns[number].inputs if v in producer]

    def _take(self, number: int) -> bool:
        eqn = self.graph.eqns[number]
        if not is_fusible(self.graph, eqn, self.target):
            return False
        is_owned = self.uses.only_in(eqn.outputs[0], self.owned)
        cost = facts_of(self.graph, eqn).cost * len(self.maps.current(eqn.outputs[0]))
        if not self._pays(eqn, cost, is_owned):
            return False
        inputs = (self.inputs - set(eqn.outputs)) | self._arrays(number)
        # Slices of the same array reduce the number of inputs.
        most = max(self.target.max_inputs, len(self.inputs))
        if len(inputs) > most or self.cost + cost > MAX_COST:
            return False
        try:
            self.maps.visit(eqn)
        except NotComposable:
            return False
        self.numbers.add(number)
        self.inputs = inputs
        self.cost += cost
        if is_owned:
            self.owned.add(number)
        return True

    def _pays(self, eqn: Eqn, cost: int, is_owned: bool) -> bool:
        (out,) = eqn.outputs
        if cost * (self.size - self.graph.avals[out].size) > REPEATED:
            return False
        if is_owned or (cost == 0 and eqn.op is not strided_slice):
            return True
        graph, readers = self.graph, self.uses.readers[out]
        if out in self.uses.outputs:
            return False  # it is computed anyway
        if not all(is_fusible(graph, graph.eqns[r], self.target) for r in readers):
            return False
        return eqn.op is strided_slice or (cost <= CHEAP and self._is_recomputed(out))

    def _is_recomputed(self, value: int) -> bool:
        """Return True if the readers may recompute the value.

        Its equation must read at most one array of its size.
        """
        graph, readers = self.graph, self.uses.readers[value]
        if not self.owned.issuperset(self.numbers.intersection(readers)):
            return False  # a recomputed value does not depend on recomputed values
        size = graph.avals[value].size
        made_of = self._arrays(self.uses.producer[value])
        return sum(graph.avals[v].size == size for v in made_of) <= 1
