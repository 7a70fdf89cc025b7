"""The gradient of a loop: a loop that stores its states (residuals), and a reverse loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.slices import slice_of
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.core.conversion import constant
from tfpy._src.core.tape import added
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import lists
from tfpy._src.functions.control.derivative import derivative, pure, replay, zero
from tfpy._src.functions.control.equations import apply_loop
from tfpy._src.functions.executor.control_op import carries_gradient, scattered

COUNT = Aval((), dtypes.int32)


def loop_with_residuals(
    inputs: Sequence[Tensor], test: Graph, body: Graph, state: int
) -> tuple[Tensor, list[Tensor]]:
    """Run a loop and return the number of iterations and a list of each state variable's values."""
    avals = [t.aval for t in inputs]
    added = [COUNT, *[lists.LIST] * state]

    def step(values: list[Tensor]) -> list[Tensor]:
        count, residuals, operands = values[0], values[1 : state + 1], values[state + 1 :]
        new = replay(body, operands)
        kept = [lists.set_(r, count, x) for r, x in zip(residuals, operands[:state], strict=True)]
        return [count + 1, *kept, *new]

    new_body = pure([*added, *avals], step)
    new_test = pure([*added, *avals], lambda values: replay(test, values[state + 1 :]))
    first = [constant(0), *[lists.empty() for _ in range(state)]]
    results = apply_loop([*first, *inputs], new_test, new_body, state + len(added), primal=body)
    return results[0], results[1 : state + 1]


def reverse_loop(
    count: Tensor,
    residuals: Sequence[Tensor],
    seeds: Sequence[Tensor | None],
    inputs: Sequence[Tensor],
    body: Graph,
    state: int,
) -> list[Tensor | None]:
    """Return the gradient of each of a loop's inputs.

    Args:
        count: Number of iterations.
        residuals: Lists of the state variables' values.
        seeds: Gradients of the state variables after the loop.
        inputs: Inputs of the loop.
        body: Body of the loop.
        state: Number of state variables.
    """
    flows = [i for i, g in enumerate(seeds) if g is not None]
    rows = _rows(body, state)
    summed = [
        i
        for i, x in enumerate(inputs)
        if i >= state and carries_gradient(x) and i not in rows.tables
    ]
    back = derivative(rows.body, flows, [*flows, *summed, *rows.places])
    saved = [t.aval for t in inputs[:state]]

    def going_back(values: list[Tensor]) -> list[Tensor]:
        at = values[0] - 1
        rest = iter(values[1:])
        flowing = [next(rest) for _ in flows]
        totals = [next(rest) for _ in summed]
        tables = [next(rest) for _ in rows.tables]
        written = [next(rest) for _ in range(state)]
        began = [lists.get(n, at, aval) for n, aval in zip(written, saved, strict=True)]
        operands = [*began, *rest]
        found = iter(replay(back, [*operands, *replay(rows.reads, operands), *flowing]))
        new = [next(found) for _ in flows]
        totals = [added(total, next(found)) for total in totals]
        indices = replay(rows.indices, operands)
        return [at, *new, *totals, *rows.added(tables, indices, list(found))]

    start = [
        count,
        *(g for g in seeds if g is not None),
        *(zero(inputs[i].aval) for i in summed),
        *(lists.empty() for _ in rows.tables),
    ]
    operands = [*start, *residuals, *inputs[state:]]
    avals = [t.aval for t in operands]
    test = pure(avals, lambda values: [values[0] > 0])
    results = apply_loop(operands, test, pure(avals, going_back), len(start))
    out = scattered(len(inputs), [*flows, *summed, *rows.tables], results[1:])
    for i in rows.tables:
        table, found = inputs[i].aval, out[i]
        assert found is not None
        out[i] = lists.stack(found, table.shape[0], Aval(table.shape[1:], table.dtype))
    return out


@dataclass(frozen=True)
class _Rows:
    """The tables of a loop: tensors from outside that the body only indexes by row.

    The gradient of a table is a list of rows, so that an iteration does not add whole tables.
    """

    body: Graph
    """Body with the rows as additional inputs."""
    tables: list[int]
    """Positions of the tables among the body's inputs."""
    owners: list[int]
    """Number of the table for each row that is read."""
    reads: Graph
    """Computes the rows from the body's inputs."""
    indices: Graph
    """Computes the row numbers from the body's inputs."""

    @property
    def places(self) -> list[int]:
        """Positions of the rows among the inputs of :attr:`body`."""
        own = len(self.reads.inputs)
        return [own + k for k in range(len(self.owners))]

    def added(
        self, lists_of_rows: Sequence[Tensor], indices: Sequence[Tensor], more: Sequence[Tensor]
    ) -> list[Tensor]:
        """Add the gradients of rows to the gradients of the tables."""
        out = list(lists_of_rows)
        for owner, index, gradient in zip(self.owners, indices, more, strict=True):
            known = lists.get(out[owner], index, gradient.aval)
            out[owner] = lists.set_(out[owner], index, known + gradient)
        return out


def _rows(body: Graph, state: int) -> _Rows:
    tables: list[int] = []
    reads: list[Eqn] = []
    owners: list[int] = []
    for place, value in enumerate(body.inputs):
        users = [e for e in body.eqns if value in e.inputs]
        outside = place >= state and value not in body.outputs
        if outside and users and all(_reads_row(body, e, value) for e in users):
            owners += [len(tables)] * len(users)
            tables.append(place)
            reads += users
    rows = [e.outputs[0] for e in reads]
    rest = [e for e in body.eqns if e not in reads]
    return _Rows(
        Graph(body.avals, [*body.inputs, *rows], body.constants, rest, body.outputs),
        tables,
        owners,
        _part(body, rows),
        _part(body, [e.inputs[1] for e in reads]),
    )


def _reads_row(graph: Graph, eqn: Eqn, table: int) -> bool:
    return (
        eqn.op is gather
        and eqn.inputs[0] == table
        and eqn.inputs[1] != table
        and graph.avals[table].dtype.is_floating
        and not graph.avals[eqn.inputs[1]].shape
        and (dict(eqn.attrs)["axis"], dict(eqn.attrs)["batch_dims"]) == (0, 0)
    )


def _part(graph: Graph, outputs: list[int]) -> Graph:
    eqns, _ = slice_of(graph.eqns, outputs)
    return Graph(graph.avals, graph.inputs, graph.constants, eqns, outputs)
