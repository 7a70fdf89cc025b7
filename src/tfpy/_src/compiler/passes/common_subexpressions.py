"""Common subexpression elimination: equal values are computed once."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.graph import Eqn, Graph, spelled
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.rewrite import is_plain, reading

_COMPARED_BYTES = 4096
"""Size in bytes up to which constants are compared by value. Larger ones are compared by
identity."""


def merge_common_subexpressions(graph: Graph) -> Graph:
    """Merge equal constants, and equations of one op with equal operands and attributes. ::

    graph(%0:float32[4], %1:float32[4])     graph(%0:float32[4], %1:float32[4])
      %2:float32[4] = add(%0, %1)             %2:float32[4] = add(%0, %1)
      %3:float32[4] = add(%1, %0)      ->     %3:float32[4] = multiply(%2, %2)
      %4:float32[4] = multiply(%2, %3)        return %3
      return %4
    """
    known: dict[Any, int] = {}
    merged: dict[int, int] = {}

    def is_known(key: Any, value: int) -> bool:
        first = known.setdefault(key, value)
        if first != value:
            merged[value] = first
        return first != value

    for value in graph.constants:
        is_known(_constant_key(graph, value), value)
    eqns = []
    for eqn in graph.eqns:
        eqn = reading(eqn, merged)
        if not (is_plain(eqn) and is_known(_equation_key(graph, eqn), eqn.outputs[0])):
            eqns.append(eqn)
    if not merged:
        return graph
    outputs = [merged.get(value, value) for value in graph.outputs]
    return without_dead_code(Graph(graph.avals, graph.inputs, graph.constants, eqns, outputs))


def _constant_key(graph: Graph, value: int) -> Any:
    array, aval = graph.constants[value], graph.avals[value]
    small = array.nbytes <= _COMPARED_BYTES and aval.dtype != dtypes.string
    return "constant", aval, array.tobytes() if small else id(array)


def _equation_key(graph: Graph, eqn: Eqn) -> Any:
    inputs = eqn.inputs
    if eqn.op.laws.commutative and graph.avals[inputs[0]].dtype != dtypes.string:
        inputs = tuple(sorted(inputs))
    return eqn.op, inputs, eqn.attrs, spelled(eqn.attrs)
