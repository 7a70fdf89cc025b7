"""Division of loop variables into the parts that the body reads and replaces separately.

A loop variable is often a stack of arrays, like the cache of a language model, which has the keys
and values of all layers. The body takes it apart, updates each array, and stacks them again. Each
array becomes a separate variable, so that the body does not copy them, and a backend can update
them in place.
"""

from __future__ import annotations

import itertools
import operator
from typing import Any

from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph, with_bodies
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.movement import reshape, strided_slice


def divide_loop_variables(graph: Graph) -> Graph:
    """Replace loop variables that the body joins by their parts, also in inner Graphs.

    Other equations stay as they are::

        %2 = while_loop(%1)              body: x = %0[0], y = %0[1], return concat(x + y, y)

        %3, %4 = %1[0], %1[1]
        %5, %6 = while_loop(%3, %4)      body: return %0 + %1, %1
        %2 = concat(%5, %6)
    """
    made = Graph(graph.avals[:], graph.inputs, graph.constants, [], graph.outputs)
    for eqn in graph.eqns:
        inner = with_bodies(eqn, divide_loop_variables)
        if eqn.op in (OPS["while_loop"], OPS["stateful_while_loop"]):
            _Loop(made, inner).add()
        else:
            made.eqns.append(inner)
    same = len(made.eqns) == len(graph.eqns)
    return graph if same and all(map(operator.is_, made.eqns, graph.eqns)) else made


class _Loop:
    """A loop while its variables are divided, and the equations before and after it.

    Args:
        graph: Graph to which the equations are added.
        eqn: The equation of the loop.
    """

    def __init__(self, graph: Graph, eqn: Eqn) -> None:
        self._graph = graph
        self._eqn = eqn
        attrs = dict(eqn.attrs)
        self._test: Graph = attrs["test"].copy()
        self._body: Graph = attrs["body"].copy()
        self._operands, self._results = list(eqn.inputs), list(eqn.outputs)
        self._after: list[Eqn] = []

    def add(self) -> None:
        """Add the equations of the loop."""
        attrs = dict(self._eqn.attrs)
        while attrs["primal"] is None and any(map(self._changed, range(len(self._results)))):
            pass
        if self._after:
            attrs |= {"test": self._test, "body": self._body, "state": len(self._results)}
            self._eqn = self._eqn._replace(
                inputs=tuple(self._operands),
                outputs=tuple(self._results),
                attrs=tuple(attrs.items()),
            )
        self._graph.eqns += [self._eqn, *reversed(self._after)]

    def _changed(self, place: int) -> bool:
        """Change the variable at a place if its next value allows it. Return True if it did."""
        body, next_value = self._body, self._body.outputs[place]
        maker = next((e for e in body.eqns if next_value in e.outputs), None)
        value = body.inputs[place]
        tested = {*self._test.outputs, *(v for e in self._test.eqns for v in e.inputs)}
        is_read = value in body.outputs or self._test.inputs[place] in tested
        if maker is None or is_read or value in maker.inputs:
            return False
        readers = [e for e in body.eqns if value in e.inputs]
        if maker.op is reshape:
            return self._reshaped(place, maker.inputs[0], readers)
        return maker.op is concat and self._divided(place, maker, readers)

    def _reshaped(self, place: int, next_value: int, readers: list[Eqn]) -> bool:
        """Give a variable the shape that all its readers and its next value have."""
        body = self._body
        aval = body.avals[next_value]
        if any(e.op is not reshape or body.avals[e.outputs[0]] != aval for e in readers):
            return False
        (value,) = self._replace(place, [aval], [next_value])
        self._substitute(body.eqns, {e.outputs[0]: value for e in readers})
        shape = self._graph.avals[self._operands[place]].shape
        self._around(place, reshape, [(("shape", aval.shape),)], reshape, (("shape", shape),))
        return True

    def _divided(self, place: int, maker: Eqn, readers: list[Eqn]) -> bool:
        """Divide a variable into the parts of its next value if each reader reads one part."""
        body, ((_, axis),) = self._body, maker.attrs
        avals = [body.avals[v] for v in maker.inputs]
        ends = list(itertools.accumulate(aval.shape[axis] for aval in avals))
        begins = [0, *ends[:-1]]
        found = [_part_of(e, axis, begins, ends) for e in readers]
        if len(avals) < 2 or None in found:
            return False
        values = self._replace(place, avals, maker.inputs)
        moved: dict[tuple[int, ...], Eqn] = {}
        wholes: dict[int, int] = {}
        for eqn, part in zip(readers, found, strict=True):
            assert part is not None
            moved[eqn.outputs] = _moved(eqn, values[part], axis, begins[part])
            if body.avals[eqn.outputs[0]] == avals[part] and min(dict(eqn.attrs)["strides"]) == 1:
                wholes[eqn.outputs[0]] = values[part]
        self._substitute([moved.get(e.outputs, e) for e in body.eqns], wholes)
        whole = self._graph.avals[self._operands[place]].shape
        slices = [
            _slice_attrs(whole, axis, begin, end) for begin, end in zip(begins, ends, strict=True)
        ]
        self._around(place, strided_slice, slices, concat, maker.attrs)
        return True

    def _substitute(self, eqns: list[Eqn], stands_for: dict[int, int]) -> None:
        """Set the equations of the body, and replace the results of some by other values."""
        self._body.eqns = [
            e._replace(inputs=tuple(stands_for.get(v, v) for v in e.inputs))
            for e in eqns
            if e.outputs[0] not in stands_for
        ]
        self._body.outputs = [stands_for.get(v, v) for v in self._body.outputs]

    def _replace(self, place: int, avals: list[Aval], next_values: Any) -> list[int]:
        """Replace a variable in the test and in the body. Return its new values in the body."""
        for part in (self._test, self._body):
            made = [part.add_value(aval) for aval in avals]
            part.inputs[place : place + 1] = made
        self._body.outputs[place : place + 1] = next_values
        return made

    def _around(
        self, place: int, before: Op, attrs: list[Attrs], after: Op, after_attrs: Attrs
    ) -> None:
        """Add the equations that make a variable's new operands, and its old result."""
        graph, operand = self._graph, self._operands[place]
        made = [graph.add_eqn(before, [operand], one) for one in attrs]
        self._operands[place : place + 1] = made
        results = [graph.add_value(graph.avals[v]) for v in made]
        self._after.append(Eqn(after, tuple(results), (self._results[place],), after_attrs))
        self._results[place : place + 1] = results


def _part_of(eqn: Eqn, axis: int, begins: list[int], ends: list[int]) -> int | None:
    """Return the number of the part that contains the slice of an equation, or None."""
    if eqn.op is not strided_slice:
        return None
    attrs = dict(eqn.attrs)
    first, step = attrs["begin"][axis], attrs["strides"][axis]
    last = first + step * (attrs["size"][axis] - 1)
    low, high = min(first, last), max(first, last)
    parts = zip(begins, ends, strict=True)
    return next((n for n, (b, e) in enumerate(parts) if b <= low and high < e), None)


def _moved(eqn: Eqn, value: int, axis: int, begin: int) -> Eqn:
    """Return the equation that reads the same slice of a part, which begins at `begin`."""
    attrs = dict(eqn.attrs)
    starts = list(attrs["begin"])
    starts[axis] -= begin
    attrs["begin"] = tuple(starts)
    return eqn._replace(inputs=(value,), attrs=tuple(attrs.items()))


def _slice_attrs(shape: Shape, axis: int, begin: int, end: int) -> Attrs:
    starts, sizes = [0] * len(shape), list(shape)
    starts[axis], sizes[axis] = begin, end - begin
    strides = (1,) * len(shape)
    return (("begin", tuple(starts)), ("size", tuple(sizes)), ("strides", strides))
