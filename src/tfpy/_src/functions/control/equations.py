"""The equations ``cond`` and ``while_loop`` in a trace: what is shared by their rules and traces.

They are named by the op table, since the gradient of a loop is made of loops.
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
    """The same, of actual sizes alone: what the signature leaves open may differ between parts."""
    return tuple(graph.avals[v].closed for v in values)


def has_effects(*graphs: Graph) -> bool:
    """Whether Graphs have equations that must not be left out or repeated."""
    return any(eqn.op.stateful for graph in graphs for eqn in graph.eqns)


def apply_cond(operands: Sequence[Tensor], branches: tuple[Graph, ...]) -> list[Tensor]:
    """Adds a ``cond`` equation: of the stateful kind if a branch has effects."""
    return _op("cond", *branches).apply(operands, branches=branches)


def apply_loop(
    operands: Sequence[Tensor], test: Graph, body: Graph, state: int, primal: Graph | None = None
) -> list[Tensor]:
    """Adds a ``while_loop`` equation: of the stateful kind if it has effects."""
    op = _op("while_loop", test, body)
    return op.apply(operands, test=test, body=body, state=state, primal=primal)


def _op(name: str, *graphs: Graph) -> ControlOp:
    op = OPS[f"stateful_{name}" if has_effects(*graphs) else name]
    assert isinstance(op, ControlOp)
    return op
