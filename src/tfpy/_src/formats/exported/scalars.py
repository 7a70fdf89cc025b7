"""Expressions of single numbers, which the page computes in the place of the Python host.

Counters of loops and their bounds (`executor/host_shadow.py`) are Graphs of small values. Graphs of
single numbers become nested lists: `["input", 0]`, `["const", "i", 3]`, or
`[operation, type of the result, *operands]`. Operations have the names of `ir/expr.py`. The types
are "f" (float32), "i" (int32) and "b" (bool).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS

_TYPES = {ex.F: "f", ex.I: "i", ex.B: "b"}
_OPERATIONS = frozenset(
    (
        *("floor", "ceil", "sqrt", "div", "quotient", "rem", "not", "isnan", "select", "cast"),
        *(*ex.UNARY_NUMERIC, *ex.BINARY_NUMERIC, *ex.BINARY_INT, *ex.BITWISE, *ex.COMPARE),
    )
)
_MOST_NODES = 256


class NoScalar(Exception):
    """An error for a Graph that is not an expression of single numbers."""


def scalars(graph: Graph, values: Sequence[int], places: Mapping[int, int]) -> list[Any]:
    """Convert values of a Graph to expressions.

    Args:
        graph: The Graph.
        values: Numbers of the values.
        places: Numbers of the Graph's inputs in the expressions.

    Raises:
        NoScalar: If a value cannot be expressed.
    """
    found: dict[int, ex.Expr] = {}
    for value in graph.inputs:
        _check(graph, value)
        found[value] = ex.input_(places[value], graph.avals[value].dtype)
    for value, array in graph.constants.items():
        _check(graph, value)
        number = array.item()
        if not math.isfinite(number):
            raise NoScalar
        found[value] = ex.const(number, graph.avals[value].dtype)
    for eqn in graph.eqns:
        (output,) = eqn.outputs
        _check(graph, output)
        operands = [found[v] for v in eqn.inputs]
        if eqn.op.expr is not None:
            found[output] = eqn.op.expr(*operands, **dict(eqn.attrs))
        elif eqn.op.is_alias or eqn.op is OPS["broadcast_to"]:
            found[output] = operands[0]
        else:
            raise NoScalar
    return [_encoded(found[v]) for v in values]


def _check(graph: Graph, value: int) -> None:
    if graph.avals[value].size != 1 or graph.avals[value].dtype not in _TYPES:
        raise NoScalar


def _encoded(root: ex.Expr) -> Any:
    nodes = 0

    def encode(node: ex.Expr) -> Any:
        nonlocal nodes
        nodes += 1
        if nodes > _MOST_NODES or node.dtype not in _TYPES:
            raise NoScalar
        if node.op == "input":
            return ["input", node.value]
        kind = _TYPES[node.dtype]
        if node.op == "const":
            return ["const", kind, node.value]
        if node.op not in _OPERATIONS:
            raise NoScalar
        return [node.op, kind, *map(encode, node.args)]

    return encode(root)
