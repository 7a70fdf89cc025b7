"""Elementwise values that are computed again for late readers instead of stored.

In a training step, the backward pass reads values of the forward pass in reverse order. So most of
them stay in memory at the end of the forward pass. Those that are computed from other values that
stay in any case, such as an activation of a product, need no memory there.
"""

from __future__ import annotations

import itertools

from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.fuse.elementwise import is_fusible
from tfpy._src.compiler.passes.rewrite import is_plain
from tfpy._src.compiler.passes.storage_uses import StorageUses

DISTANCE = 100
"""Least number of equations between two readers if the later one recomputes the value."""
BYTES = 1 << 18
"""Least size of a value that is recomputed."""
SMALL = 4
"""Ratio of a value's size to the size of an operand that may be kept for longer."""


def recompute(graph: Graph, target: Target) -> Graph:
    """Compute elementwise values again before late readers. ::

        %2 = matmul(%0, %1) …          %2 = matmul(%0, %1) …
        %3 = relu(%2)                  %3 = relu(%2)
        %4 = matmul(%3, %1) …   ->     %4 = matmul(%3, %1) …
        …                              …
        %8 = add(%7, %3)               %8 = relu(%2)
        %9 = multiply(%8, %2)          %9 = add(%7, %8)
                                       %10 = multiply(%9, %2)

    A value is recomputed only if its operands exist at the late reader in any case.
    """
    plan = _Recomputations(graph)
    for number, eqn in enumerate(graph.eqns):
        if eqn.op.expr is not None and is_plain(eqn) and is_fusible(graph, eqn, target):
            plan.decide(number, eqn)
    return _rebuilt(graph, plan) if plan.late else graph


class _Recomputations(StorageUses):
    """The values that late readers recompute."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.late: dict[int, int] = {}
        """For values that are recomputed, the first equation that must not read the old ones."""

    def decide(self, number: int, eqn: Eqn) -> None:
        """Recompute the result of an equation if this needs no other value for longer."""
        (value,) = eqn.outputs
        readers = self.reads.get(value, [])
        last_early, late = _longest_gap([number, *readers])
        if late - last_early < DISTANCE or self.is_output(value):
            return
        if self.nbytes(value) < BYTES or last_early == number:
            return
        operands = {self.origin(v) for v in eqn.inputs}
        if all(self._is_there(operand, value, late) for operand in operands):
            self.late[value] = late
            self._recompute_earlier(operands, late)

    def _is_there(self, operand: int, value: int, late: int) -> bool:
        """Return True if an operand of `value` exists before an equation in any case."""
        if operand in self.given:
            return True
        if self.nbytes(operand) * SMALL <= self.nbytes(value):
            return True
        readers = self.reads[operand]
        first = self.late.get(operand)
        if first is not None:  # its operands are there until it is read
            return late > max(reader for reader in readers if reader < first)
        return readers[-1] >= late

    def _recompute_earlier(self, operands: set[int], late: int) -> None:
        """Recompute operands before an equation, if they are recomputed at all."""
        for operand in operands & self.late.keys():
            self.late[operand] = min(self.late[operand], late)
            made_of = {self.origin(v) for v in self.equation(operand).inputs}
            self._recompute_earlier(made_of, late)


def _longest_gap(readers: list[int]) -> tuple[int, int]:
    """Return the two neighbors with the largest difference."""
    pairs = itertools.pairwise(readers)
    return max(pairs, key=lambda pair: pair[1] - pair[0], default=(0, 0))


def _rebuilt(graph: Graph, plan: _Recomputations) -> Graph:
    """Return the Graph in which late readers read new values."""
    made = Graph(graph.avals[:], graph.inputs, graph.constants, [], graph.outputs)
    copies: dict[int, int] = {}

    def current(value: int, number: int) -> int:
        """Return the value that equation `number` reads in place of `value`."""
        if plan.late.get(plan.origin(value), number + 1) > number:
            return value
        if value not in copies:
            eqn = graph.eqns[plan.producers[value]]
            inputs = [current(operand, number) for operand in eqn.inputs]
            (copies[value],) = made.add_copy(eqn, inputs, graph)
        return copies[value]

    for number, eqn in enumerate(graph.eqns):
        inputs = tuple(current(value, number) for value in eqn.inputs)
        made.eqns.append(eqn._replace(inputs=inputs))
    return without_dead_code(made)
