"""Helpers of the passes that recognize composed functions, which search backwards from a value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.fusion import Pattern, fuse, is_scalar_constant
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.lower.calls import kernel_call
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.elementwise import multiply, real_div
from tfpy._src.compiler.ops.movement import reshape
from tfpy._src.compiler.ops.reduction import reduce_sum
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.uses import Uses

Found = tuple[int, Eqn]
"""The number of the equation that a fusion replaces, and the fusion."""


class Finder:
    """Queries about the equations before a value."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @functools.cached_property
    def uses(self) -> Uses:
        return Uses(self.graph)

    def shape(self, value: int) -> Shape:
        return self.graph.avals[value].shape

    def producer(self, value: int, *ops: Op) -> Eqn | None:
        """Return the equation that defines `value`, if it is one of these ops."""
        number = self.uses.producer.get(value)
        if number is None:
            return None
        eqn = self.graph.eqns[number]
        return eqn if eqn.op in ops else None

    def number(self, value: int) -> float | None:
        """Return a scalar constant as a number, or None for other values."""
        if not is_scalar_constant(self.graph, value):
            return None
        return float(self.graph.constants[value].item())

    def readers(self, value: int, *ops: Op) -> list[Eqn]:
        """Return the equations of these ops that read `value`."""
        eqns = (self.graph.eqns[n] for n in self.uses.readers.get(value, ()))
        return [eqn for eqn in eqns if eqn.op in ops]

    def only_reader(self, value: int) -> Eqn | None:
        """Return the equation that reads `value`, if nothing else needs it."""
        numbers = {*self.uses.readers.get(value, ())}
        if len(numbers) != 1 or value in self.uses.outputs:
            return None
        eqn: Eqn = self.graph.eqns[numbers.pop()]
        return eqn

    def unkept(self, value: int) -> int:
        """Return the value before reshapes that only add or remove a last dimension of size 1."""
        while (eqn := self.producer(value, reshape)) is not None:
            (source,) = eqn.inputs
            before, after = self.shape(source), self.shape(value)
            if before != (*after, 1) and after != (*before, 1):
                break
            value = source
        return value

    def rows(self, value: int) -> int:
        """Return the value before reshapes that keep the last dimension, and thus the rows."""
        while (eqn := self.producer(value, reshape)) is not None:
            (source,) = eqn.inputs
            if self.shape(source)[-1:] != self.shape(value)[-1:]:
                break
            value = source
        return value

    def is_kept(self, value: int, x: int) -> bool:
        """Return True if `value`, with one element per row of `x`, broadcasts along the rows."""
        outer = self.shape(x)[:-1]
        return self.shape(value) == (*outer, 1) or (not outer and not self.shape(value))

    def row_reduction(self, value: int, op: Op) -> tuple[int, float] | None:
        """Return `(x, factor)` if `value` is `factor` times `op` over x's last axis."""
        factor = 1.0
        while True:
            value = self.unkept(value)
            eqn = self.producer(value, multiply, real_div, op)
            if eqn is None:
                return None
            value = eqn.inputs[0]
            if eqn.op is op:
                break
            number = self.number(eqn.inputs[1])
            if not number:
                return None
            factor = factor * number if eqn.op is multiply else factor / number
        rank = len(self.shape(value))
        return (value, factor) if dict(eqn.attrs)["axes"] == (rank - 1, rank) else None

    def row_mean(self, value: int) -> int | None:
        """Return x if `value` is the mean of its last axis."""
        found = self.row_reduction(value, reduce_sum)
        if found is None:
            return None
        x, factor = found
        n = self.shape(x)[-1]
        return x if n > 1 and abs(factor * n - 1.0) < 1e-6 else None

    def between(self, root: int, operands: Collection[int]) -> list[Eqn] | None:
        """Return the equations from the operands to `root`.

        The result is None if other equations need a value inside.
        """
        producer, inside = self.uses.producer, set[int]()
        waiting = [root]
        while waiting:
            value = waiting.pop()
            if value in producer and value not in operands and producer[value] not in inside:
                inside.add(producer[value])
                waiting += self.graph.eqns[producer[value]].inputs
        members = [self.graph.eqns[number] for number in sorted(inside)]
        values = (v for eqn in members for v in eqn.outputs if v != root)
        return members if all(self.uses.only_in(v, inside) for v in values) else None

    def fused(
        self, root: int, kind: str, operands: Sequence[int], pattern: Pattern
    ) -> Found | None:
        """Return the fusion of the equations from the operands to `root`."""
        members = self.between(root, operands)
        if members is None:
            return None
        return self.uses.producer[root], fuse(self.graph, members, kind, operands, pattern)


def fuse_around(
    graph: Graph,
    target: Target,
    kernels: Collection[str],
    ops: Collection[Op],
    find: Callable[[Finder, Eqn, Target], Found | None],
) -> Graph:
    """Replace the equations that `find` recognizes around each equation of some ops by fusions.

    Fusions with sizes that the target does not support are not made.

    Args:
        kernels: Kinds of the fusions. Nothing is done for a target that has none of them.
    """
    if target.kernels.isdisjoint(kernels):
        return graph
    finder = Finder(graph)
    found = [find(finder, eqn, target) for eqn in graph.eqns if eqn.op in ops]
    whole = [one for one in found if one is not None]
    return replaced(graph, [one for one in whole if target.takes(kernel_call(graph, one[1])[0])])


def replaced(graph: Graph, found: Sequence[Found]) -> Graph:
    """Return the Graph with fusions in the places of their last equations."""
    if not found:
        return graph
    eqns = list(graph.eqns)
    for number, eqn in found:
        eqns[number] = eqn
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, graph.outputs))
