"""The common infrastructure of passes: rebuilding a Graph equation by equation.

:func:`rewrite` walks a Graph in order. For each equation, with operands that are already rewritten,
a rule may add other equations and return the value that replaces the result. If it returns None,
the equation is kept. Dead code is removed at the end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.base.source_locations import Line
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.passes.dead_code import without_dead_code


class Builder:
    """The Graph under construction, with queries for rules.

    Values of the old Graph keep their numbers; equations follow as they are rewritten.
    """

    def __init__(self, old: Graph) -> None:
        self.graph = Graph(old.avals[:], old.inputs[:], dict(old.constants))
        self._old = old
        self._producers: dict[int, Eqn] = {}
        self.line: Line | None = None
        """Location of the equation that new equations replace."""

    @functools.cached_property
    def _reads(self) -> dict[int, int]:
        return dict(enumerate(count_reads(self._old)))

    def aval(self, value: int) -> Aval:
        return self.graph.avals[value]

    def result(self, eqn: Eqn) -> Aval:
        """Return the aval of the equation's output."""
        return self.graph.avals[eqn.outputs[0]]

    def constant(self, value: int) -> Array | None:
        """Return the array of a constant, or None for other values."""
        return self.graph.constants.get(value)

    def producer(self, value: int, *ops: Op) -> Eqn | None:
        """Return the equation that defines `value`, if its op is one of `ops`. Default: any op."""
        eqn = self._producers.get(value)
        return eqn if eqn is not None and (not ops or eqn.op in ops) else None

    def read_once(self, value: int) -> bool:
        """Return True if one equation at most reads the value, so that its producer may change."""
        return self._reads.get(value, 0) <= 1

    def add_constant(self, array: Array, dtype: DType) -> int:
        return self.graph.add_constant(array, Aval(array.shape, dtype))

    def apply(self, op: Op, *inputs: int, **attrs: Any) -> int:
        """Add an equation and return its output."""
        return self.add(op, inputs, tuple(attrs.items()))

    def add(self, op: Op, inputs: Sequence[int], attrs: Attrs) -> int:
        value = self.graph.add_eqn(op, inputs, attrs, self.line)
        self._producers[value] = self.graph.eqns[-1]
        return value

    def keep(self, eqn: Eqn) -> None:
        """Add an equation with outputs that already have numbers."""
        self.graph.eqns.append(eqn)
        for value in eqn.outputs:
            self._producers[value] = eqn

    def replaced(self, old: int, new: int) -> None:
        """Record that readers of `old` will read `new`."""
        self._reads[new] = self._reads.get(new, 0) + self._reads[old]


Rule = Callable[[Builder, Eqn], int | None]
"""(builder, equation over the builder's values) -> the value that replaces its output, or None."""


def rewrite(graph: Graph, rule: Rule, around: Container[Op] | None = None) -> Graph:
    """Return the Graph with `rule` applied to each equation, operands first.

    Equations of stateful ops and equations with several outputs are always kept. If the rule
    replaces nothing, the result is `graph` itself.

    Args:
        around: Ops on which the rule depends. A Graph without any of them is returned unchanged.
    """
    if around is not None and not any(eqn.op in around for eqn in graph.eqns):
        return graph
    builder = Builder(graph)
    values: dict[int, int] = {}
    for eqn in graph.eqns:
        if values:
            eqn = reading(eqn, values)
        builder.line = eqn.line
        found = rule(builder, eqn) if is_plain(eqn) else None
        if found is None:
            builder.keep(eqn)
        else:
            values[eqn.outputs[0]] = found
            builder.replaced(eqn.outputs[0], found)
    if not values:
        return graph
    builder.graph.outputs = [values.get(value, value) for value in graph.outputs]
    return without_dead_code(builder.graph)


def is_plain(eqn: Eqn) -> bool:
    """Return True if the equation has one output and no effects."""
    return not eqn.op.stateful and not eqn.op.multiple


def reading(eqn: Eqn, values: Mapping[int, int]) -> Eqn:
    """Return the equation with operands replaced according to `values`."""
    if values.keys().isdisjoint(eqn.inputs):
        return eqn
    inputs = tuple(values.get(value, value) for value in eqn.inputs)
    return eqn._replace(inputs=inputs)


def count_reads(graph: Graph) -> list[int]:
    """Return how often equations and outputs of the Graph read each value."""
    reads = [0] * len(graph.avals)
    for eqn in graph.eqns:
        for value in eqn.inputs:
            reads[value] += 1
    for value in graph.outputs:
        reads[value] += 1
    return reads
