"""Graphs of one element as graphs of many: where that gives the same bits, a batch costs one call.

Only ops whose results are exact, whatever stands beside a number, are taken: those that move
elements, and those that IEEE 754 or integers define. A graph with any other op is left as it is.
"""

from __future__ import annotations

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops import movement


def of_rows(graph: Graph, elements: int, count: int) -> Graph | None:
    """The graph for ``count`` rows, each of which the graph takes and gives; None if there is none.

    Args:
        elements: how many of the inputs come in rows; the others are the same for all.
    """
    if any(a.dtype.is_complex or a.dtype.is_extension for a in graph.avals):
        return None
    return _Rows(graph, elements, count).graph()


class _Rows:
    """Builds the graph of rows."""

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
        """The graph of rows, if all equations can be in it."""
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
        """A value whose rows are of that rank, as broadcasting sees them."""
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
        """A value in rows: itself, or one and the same in each."""
        place = self._places[value]
        if value in self._in_rows:
            return place
        shape = (self._count, *self._old.avals[value].shape)
        return self._new.add_eqn(movement.broadcast_to, [place], (("shape", shape),))

    def _result(self, value: int) -> int:
        return self._in_row(value)
