"""The `cond` and `while_loop` equations of a trace, for the ops' rules and for tracing.

The ops are looked up by name in the op table, because the gradient of a loop consists of loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import ControlOp


def avals_of(graph: Graph, values: Sequence[int]) -> tuple[Aval, ...]:
    return tuple(graph.avals[v] for v in values)


def closed_avals_of(graph: Graph, values: Sequence[int]) -> tuple[Aval, ...]:
    """Return the avals with actual sizes. Parts of an equation may differ in open sizes."""
    return tuple(graph.avals[v].closed for v in values)


def has_effects(*graphs: Graph) -> bool:
    """Return True if Graphs contain equations that must not be removed or repeated."""
    return any(eqn.op.stateful for graph in graphs for eqn in graph.eqns)


def apply_cond(operands: Sequence[Tensor], branches: tuple[Graph, ...]) -> list[Tensor]:
    """Add a `cond` equation, of the stateful kind if a branch has side effects."""
    return _op("cond", *branches).apply(operands, branches=branches)


def apply_loop(
    operands: Sequence[Tensor], test: Graph, body: Graph, state: int, primal: Graph | None = None
) -> list[Tensor]:
    """Add a `while_loop` equation, of the stateful kind if the loop has side effects."""
    op = _op("while_loop", test, body)
    return op.apply(operands, test=test, body=body, state=state, primal=primal)


def _op(name: str, *graphs: Graph) -> ControlOp:
    op = OPS[f"stateful_{name}" if has_effects(*graphs) else name]
    assert isinstance(op, ControlOp)
    return op
