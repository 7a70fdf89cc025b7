"""Common subexpression elimination: what is computed twice is computed once."""

from __future__ import annotations

from typing import Any

from tfpy import dtypes
from tfpy.ir.graph import Eqn, Graph
from tfpy.ops.elementwise import (
    add,
    equal,
    logical_and,
    logical_or,
    maximum,
    minimum,
    multiply,
    not_equal,
)
from tfpy.passes.rewrite import Builder, rewrite

_COMMUTATIVE = frozenset(
    (add, multiply, maximum, minimum, equal, not_equal, logical_and, logical_or)
)
_COMPARED_BYTES = 4096
"""Constants up to this size are compared by value, larger ones by identity."""


def merge_common_subexpressions(graph: Graph) -> Graph:
    """Merges equal constants, and equations of one op with equal operands and attributes. ::

    graph(%0:float32[4], %1:float32[4])     graph(%0:float32[4], %1:float32[4])
      %2:float32[4] = add(%0, %1)             %2:float32[4] = add(%0, %1)
      %3:float32[4] = add(%1, %0)      ->     %3:float32[4] = multiply(%2, %2)
      %4:float32[4] = multiply(%2, %3)        return %3
      return %4
    """
    first: dict[Any, int] = {}
    merged = {
        value: first.setdefault(_constant_key(graph, value), value) for value in graph.constants
    }
    known: dict[Any, int] = {}

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        key = _equation_key(builder, eqn)
        try:
            found = known.get(key)
        except TypeError:  # an attribute that cannot be compared
            return None
        if found is None:
            found = known[key] = builder.add(eqn.op, eqn.inputs, eqn.attrs)
        return found

    return rewrite(_with_operands(graph, merged), rule)


def _constant_key(graph: Graph, value: int) -> Any:
    array, aval = graph.constants[value], graph.avals[value]
    small = array.nbytes <= _COMPARED_BYTES and aval.dtype != dtypes.string
    return aval.signature, array.tobytes() if small else id(array)


def _equation_key(builder: Builder, eqn: Eqn) -> Any:
    inputs = eqn.inputs
    if eqn.op in _COMMUTATIVE and builder.aval(inputs[0]).dtype != dtypes.string:
        inputs = tuple(sorted(inputs))
    return eqn.op, inputs, _spelled(eqn.attrs)


def _spelled(attribute: Any) -> Any:
    """The attribute so that equal keys are one value: 0.0, -0.0, 0 and False are told apart."""
    if isinstance(attribute, tuple):
        return tuple(_spelled(part) for part in attribute)
    if isinstance(attribute, float):
        return "float", repr(attribute)
    return type(attribute), attribute


def _with_operands(graph: Graph, merged: dict[int, int]) -> Graph:
    """The Graph in which every read of a key of ``merged`` reads its value."""

    def read(values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(merged.get(value, value) for value in values)

    return Graph(
        graph.avals,
        graph.inputs,
        graph.constants,
        [Eqn(e.op, read(e.inputs), e.outputs, e.attrs) for e in graph.eqns],
        list(read(tuple(graph.outputs))),
    )
