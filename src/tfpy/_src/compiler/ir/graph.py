"""Graph: equations over ops in single-assignment form, with static shapes.

A Graph defines the meaning of a function call, independent of the backend. `ir/evaluate.py` runs it
with NumPy; `lower/` lowers it to a Program. An eager op is a Graph of one equation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tfpy._src.base.errors import OpError
from tfpy._src.base.source_locations import Line
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.op import Op

Attrs = tuple[tuple[str, Any], ...]


class Eqn(NamedTuple):
    """``outputs = op(inputs, **attrs)``; values are numbers into :attr:`Graph.avals`."""

    op: Op
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attrs: Attrs
    line: Line | None = None
    """Location in the traced program, if known. It has no effect."""


@dataclass(eq=False, repr=False)
class Graph:
    """A computation on numbered values: inputs, constants and outputs of equations.

    Graphs are compared by identity, so that they can be attributes (bodies) of equations.
    """

    avals: list[Aval] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    constants: dict[int, Array] = field(default_factory=dict)
    eqns: list[Eqn] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)

    def add_value(self, aval: Aval) -> int:
        self.avals.append(aval)
        return len(self.avals) - 1

    def add_input(self, aval: Aval) -> int:
        value = self.add_value(aval)
        self.inputs.append(value)
        return value

    def add_constant(self, array: Array, aval: Aval) -> int:
        value = self.add_value(aval)
        self.constants[value] = array
        return value

    def add_eqn(self, op: Op, inputs: Sequence[int], attrs: Attrs, line: Line | None = None) -> int:
        """Append an equation and return the number of its output.

        Raises:
            ValueError, TypeError or tf.errors.InvalidArgumentError: If the op does not accept the
                avals.
        """
        avals = self.avals
        given = [avals[i] for i in inputs]
        infer = _elementwise_result if op.expr is not None else _result
        value = self.add_value(infer(op, attrs, *given))
        self.eqns.append(Eqn(op, tuple(inputs), (value,), attrs, line))
        return value

    def add_multiple(
        self, op: Op, inputs: Sequence[int], attrs: Attrs, line: Line | None = None
    ) -> tuple[int, ...]:
        """Append an equation with several outputs and return their numbers."""
        avals = op.infer_all(*(self.avals[i] for i in inputs), **dict(attrs))
        values = tuple(self.add_value(a) for a in avals)
        self.eqns.append(Eqn(op, tuple(inputs), values, attrs, line))
        return values

    def add_outputs(
        self, op: Op, inputs: Sequence[int], attrs: Attrs, outputs: Sequence[int], like: Graph
    ) -> tuple[int, ...]:
        """Append an equation with outputs like another Graph's.

        Return the numbers of the outputs.
        """
        values = tuple(self.add_value(like.avals[v]) for v in outputs)
        self.eqns.append(Eqn(op, tuple(inputs), values, attrs))
        return values

    def add_copy(self, eqn: Eqn, inputs: Sequence[int], like: Graph) -> tuple[int, ...]:
        """Append another Graph's equation with new inputs. Return the numbers of its outputs."""
        values = tuple([self.add_value(like.avals[v]) for v in eqn.outputs])
        self.eqns.append(Eqn(eqn.op, tuple(inputs), values, eqn.attrs, eqn.line))
        return values

    def copy(self) -> Graph:
        """Return an independent Graph with the same equations."""
        return Graph(
            self.avals[:], self.inputs[:], dict(self.constants), self.eqns[:], self.outputs[:]
        )

    def __str__(self) -> str:
        def val(i: int) -> str:
            return f"%{i}:{self.avals[i]}"

        lines = [heading("graph", map(val, self.inputs))]
        for i, array in self.constants.items():
            number = f" {array.item()!r}" if array.size == 1 else ""
            lines.append(f"  {val(i)} = constant{number}")
        for e in self.eqns:
            plain = "".join(f" {k}={v}" for k, v in e.attrs if not _holds_graphs(v))
            args = ", ".join(f"%{i}" for i in e.inputs)
            lines.append(f"  {', '.join(map(val, e.outputs))} = {e.op.name}({args}){plain}")
            lines += [
                f"    {name} {body}".replace("\n", "\n    ") for name, body in bodies(e.attrs)
            ]
        lines.append(f"  return {', '.join(f'%{i}' for i in self.outputs)}")
        return "\n".join(lines)


def _result(op: Op, attrs: Attrs, *avals: Aval) -> Aval:
    return op.infer(*avals, **dict(attrs))


def refusal(graph: Graph, eqn: Eqn) -> OpError | None:
    """Return the error that an equation raises whenever it runs, or None."""
    return eqn.op.refusal((graph.avals[v] for v in eqn.inputs), eqn.attrs)


_elementwise_result = functools.lru_cache(maxsize=4096)(_result)
"""Cached shape rule of elementwise ops. Networks repeat equations, and these attributes keep no
objects alive."""


def spelled(attrs: Attrs) -> str:
    """Return a string that distinguishes attributes that compare equal: 0.0, -0.0, 0 and False."""
    return repr(attrs) if attrs else ""


def _holds_graphs(attribute: Any) -> bool:
    items = attribute if isinstance(attribute, tuple) else (attribute,)
    return any(isinstance(item, Graph) for item in items)


def bodies(attrs: Attrs) -> Iterator[tuple[str, Graph]]:
    """Yield the Graphs among an equation's attributes, with names."""
    for name, value in attrs:
        if isinstance(value, Graph):
            yield name, value
        elif _holds_graphs(value):
            yield from ((f"{name}[{i}]", graph) for i, graph in enumerate(value))


def with_bodies(eqn: Eqn, function: Callable[[Graph], Graph]) -> Eqn:
    """Return the equation with a function applied to each Graph among its attributes."""

    def changed(value: Any) -> Any:
        if isinstance(value, Graph):
            return function(value)
        return tuple(map(changed, value)) if _holds_graphs(value) else value

    attrs = tuple((name, changed(value)) for name, value in eqn.attrs)
    return eqn if attrs == eqn.attrs else eqn._replace(attrs=attrs)


def heading(name: str, inputs: Iterable[str]) -> str:
    """Return `name(inputs)`, with one input per line if it exceeds 100 characters."""
    given = list(inputs)
    line = f"{name}({', '.join(given)})"
    return line if len(line) <= 100 else f"{name}(\n    " + ",\n    ".join(given) + ")"


def single_equation(op: Op, avals: Sequence[Aval], attrs: Attrs) -> Graph:
    """Return the Graph of one eager op."""
    graph = Graph()
    inputs = [graph.add_input(a) for a in avals]
    graph.outputs = [graph.add_eqn(op, inputs, attrs)]
    return graph


def extract(
    graph: Graph,
    inputs: Iterable[int],
    constants: Iterable[int],
    eqns: Iterable[Eqn],
    outputs: Iterable[int],
) -> Graph:
    """Return a Graph of some of another Graph's equations.

    Values are numbered in the order of definition.
    """
    result = Graph()
    number: dict[int, int] = {}
    for value in inputs:
        number[value] = result.add_input(graph.avals[value])
    for value in constants:
        number[value] = result.add_constant(graph.constants[value], graph.avals[value])
    for op, read, made, attrs, line in eqns:
        for value in made:
            number[value] = result.add_value(graph.avals[value])
        operands = tuple([number[value] for value in read])
        results = tuple([number[value] for value in made])
        result.eqns.append(Eqn(op, operands, results, attrs, line))
    result.outputs = [number[value] for value in outputs]
    return result
