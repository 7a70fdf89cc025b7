"""The computation of several replicas on one device, equation by equation.

Each equation of a replica's Graph is applied once for each replica before the next equation, so
the ops that combine values of replicas find all of them. The equations are applied as operations,
so tapes and traces follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.backends.storage import host_storage
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.graph import Eqn, Graph, bodies
from tfpy._src.compiler.ir.op import GRADIENT
from tfpy._src.compiler.ir.slices import slice_of
from tfpy._src.compiler.ops.rules import zeros
from tfpy._src.core.conversion import constant
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.tensors.array.joining import concat, split
from tfpy._src.tensors.autodiff.custom import recorded
from tfpy._src.tensors.math.arithmetic import add_n

Row = list[Tensor]
"""The values of all replicas."""


def run(graph: Graph, inputs: Sequence[Row], count: int) -> list[Row]:
    """Compute the outputs of a Graph for all replicas.

    Args:
        graph: Graph of one replica.
        inputs: For each input of the Graph, the values of the replicas.
        count: Number of replicas.

    Raises:
        UnimplementedError: If a conditional or loop exchanges values between replicas.
    """
    values = {v: [_constant(graph, v)] * count for v in graph.constants}
    values.update(zip(graph.inputs, inputs, strict=True))
    eqns, _ = slice_of(graph.eqns, graph.outputs, effects=True)
    for eqn in eqns:
        values.update(zip(eqn.outputs, _results(eqn, values, count), strict=True))
    return [values[v] for v in graph.outputs]


def _constant(graph: Graph, value: int) -> Tensor:
    aval = graph.avals[value]
    return Tensor(aval, host_storage(graph.constants[value], aval))


def _results(eqn: Eqn, values: Mapping[int, Row], count: int) -> list[Row]:
    """Return the outputs of an equation, each for all replicas."""
    attrs = dict(eqn.attrs)
    if eqn.op.name == "replica_id":
        return [[constant(number) for number in range(count)]]
    operands = [values[v] for v in eqn.inputs]
    if eqn.op.name in _EXCHANGES:
        return [_EXCHANGES[eqn.op.name](*operands, **attrs)]
    if any(_exchanges(part) for _, part in bodies(eqn.attrs)):
        raise UnimplementedError(
            None,
            eqn.op.name,
            f"strategy.run: {eqn.op.name} exchanges values between the replicas, which is not "
            "supported on one device. Exchange them outside of conditionals and loops.",
        )
    if not eqn.op.stateful and all(x is row[0] for row in operands for x in row):
        return [[one] * count for one in _applied(eqn, [row[0] for row in operands], attrs)]
    columns = [_applied(eqn, [row[i] for row in operands], attrs) for i in range(count)]
    return [list(row) for row in zip(*columns, strict=True)]


def _exchanges(graph: Graph) -> bool:
    return any(
        eqn.op.name in _EXCHANGES or any(_exchanges(part) for _, part in bodies(eqn.attrs))
        for eqn in graph.eqns
    )


def _applied(eqn: Eqn, inputs: Sequence[Tensor], attrs: dict[str, Any]) -> Sequence[Tensor]:
    """Return the outputs of an equation for one replica."""
    if eqn.op.annotates == GRADIENT:
        return _custom_gradient(inputs, **attrs)
    if isinstance(eqn.op, ControlOp):
        return eqn.op.apply(inputs, **attrs)
    found = eqn.op(*inputs, **attrs)
    return [found] if isinstance(found, Tensor) else list(found)


def _custom_gradient(
    operands: Sequence[Tensor],
    count: int,
    given: int,
    backward: Graph | Exception | None,
    wanted: tuple[int, ...],
) -> Sequence[Tensor]:
    """Record the custom gradient of one replica's results."""
    results, inputs = operands[:count], operands[count : count + given]
    captured = operands[count + given :]
    if backward is None:
        return [stop_gradient(x) for x in results]

    def gradients(*flowing: Any) -> list[Tensor | None]:
        if isinstance(backward, Exception):
            raise backward
        assert backward is not None
        seeds = [
            zeros(x.aval.shape, x.dtype) if g is None else dense(g)
            for g, x in zip(flowing, results, strict=True)
            if x.dtype.is_differentiable
        ]
        found = run(backward, [[x] for x in (*seeds, *captured)], 1)
        out: list[Tensor | None] = [None] * given
        for i, (gradient,) in zip(wanted, found, strict=True):
            out[i] = gradient
        return out

    return recorded("custom_gradient", list(results), tuple(inputs), gradients)


def _all_reduce(row: Row, mean: bool, count: int) -> Row:
    total = add_n(row)
    return [total / count if mean else total] * count


def _all_gather(row: Row, axis: int, count: int) -> Row:
    return [concat(row, axis)] * count


def _reduce_scatter(row: Row, axis: int, count: int) -> Row:
    return list(split(add_n(row), count, axis))


_EXCHANGES: dict[str, Callable[..., Row]] = {
    "all_reduce": _all_reduce,
    "all_gather": _all_gather,
    "reduce_scatter": _reduce_scatter,
}
"""The ops that combine the values of the replicas."""
