"""The computation of one row's Graph for all rows, equation by equation.

The equations are applied as operations, so tapes and traces follow them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tfpy._src.backends.storage import host_storage
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import GRADIENT
from tfpy._src.compiler.ir.slices import slice_of
from tfpy._src.compiler.ops.failing import fail
from tfpy._src.compiler.ops.movement import broadcast_to
from tfpy._src.compiler.ops.reduction import reduce_sum
from tfpy._src.compiler.ops.rules import zeros
from tfpy._src.core.indexed_slices import dense
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.batching import indexing, products, random, shapes  # noqa: F401 - rules
from tfpy._src.functions.control.batching.table import RULES, BatchedRows, RowOperand
from tfpy._src.functions.control.mapping import map_fn
from tfpy._src.tensors.autodiff.custom import recorded


class RowDependence(Enum):
    """The kinds of dependence of a value on the row."""

    SHARED = "one value for all rows"
    ROWS = "a value for each row"
    STREAM = "the state of random numbers, which differ between rows"


class Unbatched(Exception):
    """The exception for an equation without a batching rule. The message is its name."""


@dataclass
class RowGraph:
    """The Graph of one row.

    Args:
        graph: The Graph.
        kinds: Kinds of the Graph's inputs.
        by_rows: If True, equations without a rule may run row by row.
    """

    graph: Graph
    kinds: Sequence[RowDependence]
    by_rows: bool = True

    def __post_init__(self) -> None:
        outputs = self.graph.outputs
        self._eqns, _ = slice_of(self.graph.eqns, outputs, effects=True)
        self._kinds = dict(zip(self.graph.inputs, self.kinds, strict=True))
        for eqn in self._eqns:
            kind = self._kind(eqn)
            self._kinds.update(dict.fromkeys(eqn.outputs, kind))

    def _kind(self, eqn: Eqn) -> RowDependence:
        """Return the kind of an equation's results.

        Raises:
            Unbatched: If the equation cannot be computed for all rows at once.
        """
        op = eqn.op
        kinds = {self._kinds.get(v, RowDependence.SHARED) for v in eqn.inputs}
        if op.stateful or (not op.is_primitive and not (op.annotates == GRADIENT or op is fail)):
            raise Unbatched(op.name)
        if RowDependence.STREAM in kinds:
            if op.family == "movement" and RowDependence.ROWS not in kinds:
                return RowDependence.STREAM
            if op.family != "random" or op.name not in RULES:
                raise Unbatched(op.name)
            return RowDependence.ROWS
        return RowDependence.ROWS if RowDependence.ROWS in kinds else RowDependence.SHARED

    def run(self, inputs: Sequence[Tensor], count: int) -> list[RowOperand]:
        """Compute the outputs for the inputs of `count` rows.

        Raises:
            Unbatched: If an equation has no rule and may not run row by row.
        """
        values = {
            v: RowOperand(_constant(self.graph, v), is_batched=False) for v in self.graph.constants
        }
        for v, tensor in zip(self.graph.inputs, inputs, strict=True):
            values[v] = RowOperand(tensor, self._kinds[v] is RowDependence.ROWS)
        for eqn in self._eqns:
            values.update(zip(eqn.outputs, self._results(eqn, values, count), strict=True))
        return [values[v] for v in self.graph.outputs]

    def _results(self, eqn: Eqn, values: Mapping[int, RowOperand], count: int) -> list[RowOperand]:
        operands, attrs = [values[v] for v in eqn.inputs], dict(eqn.attrs)
        if eqn.op.annotates == GRADIENT:
            return _custom_gradient(operands, count, **attrs)
        if self._kinds[eqn.outputs[0]] is not RowDependence.ROWS:
            return [RowOperand(eqn.op(*(x.tensor for x in operands), **attrs), is_batched=False)]
        rows = BatchedRows(count, self.graph.avals[eqn.outputs[0]])
        if eqn.op is fail:
            attrs["shape"] = (count, *attrs["shape"])
            return [RowOperand(eqn.op(*(x.tensor for x in operands), **attrs), is_batched=True)]
        batched = RULES.get(eqn.op.name)
        found = NotImplemented if batched is None else batched(rows, *operands, **attrs)
        if found is NotImplemented:
            if not self.by_rows:
                raise Unbatched(eqn.op.name)
            found = _by_rows(eqn, rows, operands, attrs)
        return [RowOperand(found, is_batched=True)]


def _constant(graph: Graph, value: int) -> Tensor:
    aval = graph.avals[value]
    return Tensor(aval, host_storage(graph.constants[value], aval))


def _by_rows(
    eqn: Eqn, rows: BatchedRows, operands: Sequence[RowOperand], attrs: dict[str, Any]
) -> Tensor:
    """Compute an equation without a rule in a loop over the rows."""

    def row(parts: Sequence[Tensor]) -> Tensor:
        rest = iter(parts)
        given = [next(rest) if x.is_batched else x.tensor for x in operands]
        found: Tensor = eqn.op(*given, **attrs)
        return found

    elems = [x.tensor for x in operands if x.is_batched]
    found: Tensor = map_fn(row, elems, fn_output_signature=rows.aval)
    return found


def _custom_gradient(
    operands: Sequence[RowOperand],
    rows: int,
    count: int,
    given: int,
    backward: Graph | Exception | None,
    wanted: tuple[int, ...],
) -> list[RowOperand]:
    """Record the custom gradient of results for all rows."""
    results, inputs = operands[:count], operands[count : count + given]
    captured = operands[count + given :]
    if backward is None:
        return [RowOperand(stop_gradient(x.tensor), x.is_batched) for x in results]

    def gradients(*flowing: Any) -> list[Tensor | None]:
        if isinstance(backward, Exception):
            raise backward
        assert backward is not None
        seeds = [
            RowOperand(
                zeros(x.tensor.aval.shape, x.tensor.dtype) if g is None else dense(g), x.is_batched
            )
            for g, x in zip(flowing, results, strict=True)
            if x.tensor.dtype.is_differentiable
        ]
        known = [*seeds, *captured]
        kinds = [RowDependence.ROWS if x.is_batched else RowDependence.SHARED for x in known]
        found = RowGraph(backward, kinds).run([x.tensor for x in known], rows)
        out: list[Tensor | None] = [None] * given
        for i, gradient in zip(wanted, found, strict=True):
            out[i] = _gradient_of(inputs[i], gradient, rows)
        return out

    tensors = [x.tensor for x in results]
    outputs = recorded("custom_gradient", tensors, tuple(x.tensor for x in inputs), gradients)
    return [RowOperand(t, x.is_batched) for t, x in zip(outputs, results, strict=True)]


def _gradient_of(x: RowOperand, gradient: RowOperand, rows: int) -> Tensor:
    """Return the gradient of an operand, summed over the rows that share the operand."""
    tensor = gradient.tensor
    if gradient.is_batched and not x.is_batched:
        return reduce_sum(tensor, axes=(0, 1))
    if x.is_batched and not gradient.is_batched:
        return broadcast_to(tensor, shape=(rows, *gradient.shape))
    return tensor
