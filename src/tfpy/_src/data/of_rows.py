"""Graphs of one element as graphs of many, so that a batch costs one call if the bits are the same.

Only ops with exact results are supported: ops that move elements, and ops that IEEE 754 or integer
arithmetic defines. A graph with any other op is not converted.
"""

from __future__ import annotations

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops import movement


def of_rows(graph: Graph, elements: int, count: int) -> Graph | None:
    """Return the graph for `count` stacked elements, or None if it cannot be converted.

    Args:
        elements: Number of inputs that are stacked. The other inputs are the same for all elements.
        count: Number of elements.
    """
    if any(a.dtype.is_complex or a.dtype.is_extension for a in graph.avals):
        return None
    return _Rows(graph, elements, count).graph()


class _Rows:
    """A builder of the graph for stacked elements."""

    def __init__(self, graph: Graph, elements: int, count: int) -> None:
        self._old, self._count = graph, count
        self._new = Graph()
        self._places: dict[int, int] = {}
        self._in_rows: set[int] = set()
        for number, value in enumerate(graph.inputs):
            aval = graph.avals[value]
            if number < elements:
                self._in_rows.add(value)
                aval = Aval((count, *aval.shape), aval.dtype)
            self._places[value] = self._new.add_input(aval)
        for value, array in graph.constants.items():
            self._places[value] = self._new.add_constant(array, graph.avals[value])

    def graph(self) -> Graph | None:
        """Return the graph, or None if an equation is not supported."""
        for eqn in self._old.eqns:
            if self._in_rows.isdisjoint(eqn.inputs):
                new = self._as_it_is(eqn)
            elif eqn.op.laws.exact:
                new = self._elementwise(eqn)
            elif eqn.op.stacked is not None:
                new = self._moved(eqn)
            else:
                return None
            self._places.update(zip(eqn.outputs, new, strict=True))
        self._new.outputs = [self._result(value) for value in self._old.outputs]
        return self._new

    def _as_it_is(self, eqn: Eqn) -> tuple[int, ...]:
        given = [self._places[v] for v in eqn.inputs]
        return self._new.add_copy(eqn, given, self._old)

    def _elementwise(self, eqn: Eqn) -> tuple[int, ...]:
        (result,) = eqn.outputs
        self._in_rows.add(result)
        rank = self._old.avals[result].rank
        given = [self._aligned(v, rank) for v in eqn.inputs]
        return (self._new.add_eqn(eqn.op, given, eqn.attrs),)

    def _aligned(self, value: int, rank: int) -> int:
        """Return a value with rows of the given rank, for broadcasting."""
        place, shape = self._places[value], self._old.avals[value].shape
        if value not in self._in_rows or len(shape) == rank:
            return place
        ones = (1,) * (rank - len(shape))
        attrs = (("shape", (self._count, *ones, *shape)),)
        return self._new.add_eqn(movement.reshape, [place], attrs)

    def _moved(self, eqn: Eqn) -> tuple[int, ...]:
        given = [self._in_row(v) for v in eqn.inputs]
        self._in_rows.update(eqn.outputs)
        assert eqn.op.stacked is not None
        attrs = eqn.op.stacked(self._count, dict(eqn.attrs))
        return (self._new.add_eqn(eqn.op, given, tuple(attrs.items())),)

    def _in_row(self, value: int) -> int:
        """Return a stacked value. An input that is the same for all elements is repeated."""
        place = self._places[value]
        if value in self._in_rows:
            return place
        shape = (self._count, *self._old.avals[value].shape)
        return self._new.add_eqn(movement.broadcast_to, [place], (("shape", shape),))

    def _result(self, value: int) -> int:
        return self._in_row(value)
