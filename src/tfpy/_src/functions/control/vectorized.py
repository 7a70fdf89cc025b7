"""`tf.vectorized_map`, which applies a function of one row to all rows at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError, OperatorNotAllowedInGraphError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import agreed
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, CompositeOperand
from tfpy._src.core.records import flatten, map_structure, pack_sequence_as
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.functions.control.batching.apply import RowDependence, RowGraph, Unbatched
from tfpy._src.functions.control.batching.table import BatchedRows
from tfpy._src.functions.control.mapping import check_callable, map_fn, row, rows_of, sizes_of
from tfpy._src.functions.control.record_rows import RecordRows, has_records
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import TracedPart, tell_tapes
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.variables.variable import Variable

Function = Callable[..., Any]


def vectorized_map(
    fn: Function, elems: Nest, fallback_to_while_loop: bool = True, warn: bool = True
) -> Nest:
    """Apply a function to all rows of a tensor at once.

    `fn` is traced for one row, and each of its ops is then applied to all rows. Ops for which this
    is not possible, such as some ops on strings or the gradient of a convolution with respect to
    its filter, run row by row. If `fn` contains control flow or side effects or returns ragged
    tensors, all of it runs row by row (in a `tf.function`, as one compiled loop). Random ops
    return different numbers for each row.

    Args:
        fn: Function that takes one row, in the structure of `elems`, and returns a tensor or a
            nested structure (list, tuple or dict) of tensors.
        elems: Tensor of shape `[rows, ...]`, or a nested structure of such tensors. A tensor of
            shape `[1, ...]` provides the same row to all calls.
        fallback_to_while_loop: If False, raise ValueError instead of running ops row by row.
        warn: Has no effect.

    Returns:
        A tensor of shape `[rows, ...]`, or a nested structure of such tensors, in the structure
        that `fn` returns.

    Raises:
        ValueError: If the tensors have different numbers of rows, except 1. Also if an op would
            have to run row by row and `fallback_to_while_loop` is False.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([[1, 2], [3, 4]])
        >>> tf.vectorized_map(lambda row: row * tf.reduce_sum(row), x).numpy().tolist()
        [[3, 6], [21, 28]]

    See also: `tf.map_fn`, `tf.scan`.
    """
    check_callable(fn)
    if has_records(elems):
        given = RecordRows(fn, elems)
        found = vectorized_map(given.row_of_any, given.encoded, fallback_to_while_loop, warn)
        return given.decoded(found, max(sizes_of([rows_of(x) for x in flatten(given.encoded)])))
    rows: list[Any] = [rows_of(x) for x in flatten(elems)]
    sizes = sizes_of(rows)
    count = max(sizes)
    if any(n not in (1, count) for n in sizes):
        raise ValueError(f"vectorized_map: the first dimensions differ: {sizes}")
    count = agreed(*(n for n in sizes if n == count))
    traced: _Traced | None = None
    try:
        if any(isinstance(x, CompositeOperand) for x in rows):
            raise Unbatched("a ragged or sparse tensor")
        traced = _Traced(fn, elems, rows, count)
        return traced.run(fallback_to_while_loop)
    except Unbatched as error:
        reason: Exception = error
    except (NotTraceableError, OperatorNotAllowedInGraphError, AttributeError) as error:
        if tracing.local.active:
            raise
        reason = error
    if not fallback_to_while_loop:
        raise ValueError(
            f"vectorized_map: there is no batching rule for {reason}; allow "
            "fallback_to_while_loop, or use tf.map_fn"
        ) from reason
    if (tracing.local.active or not count) and traced is not None and traced.is_dense:
        return traced.looped(fn, elems, rows)
    return _one_by_one(fn, elems, rows, count)


class _RowPart(TracedPart):
    """The trace of a function of one row."""

    def __init__(self, name: str) -> None:
        Trace.__init__(self, name)

    def on_variable_made(self, variable: Variable) -> None:
        """Reject a Variable, because each row would make it.

        Raises:
            ValueError: Always.
        """
        raise ValueError(
            f"vectorized_map: the function made the variable '{variable.name}'. Make it before the "
            "call"
        )


class _Traced:
    """A function that was traced for one row."""

    def __init__(self, fn: Function, elems: Any, rows: Sequence[Tensor], count: int) -> None:
        self._rows, self._count = rows, count
        self._shared = [x.aval.shape[0] == 1 != count for x in rows]
        self._part = part = _RowPart(getattr(fn, "__name__", "row"))
        with part.taken():
            arguments = [
                part.argument(Aval(x.aval.shape[1:], x.dtype), f"row_{i}")
                for i, x in enumerate(rows)
            ]
            self.result = map_structure(_converted, fn(pack_sequence_as(elems, arguments)))
            self._leaves = [x for x in flatten(self.result) if x is not None]
            self.is_dense = not any(isinstance(x, Composite) for x in self._leaves)
            if self.is_dense:
                part.graph.outputs = [part.value_of(t) for t in self._leaves]

    def run(self, by_rows: bool) -> Any:
        """Return the results for all rows.

        Raises:
            Unbatched: If the function has to run row by row.
        """
        if not self.is_dense:
            raise Unbatched("a ragged or sparse result")
        part = self._part
        if part.assigned:
            raise Unbatched("the assignment of a variable")
        inputs: dict[int, tuple[Tensor, RowDependence]] = {
            value: (
                x[0] if is_shared else x,
                RowDependence.SHARED if is_shared else RowDependence.ROWS,
            )
            for value, x, is_shared in zip(
                part.graph.inputs, self._rows, self._shared, strict=False
            )
        }
        for extra in part.extras:
            kind = RowDependence.SHARED if extra.anew is None else RowDependence.STREAM
            inputs[part.value_of(extra.tensor)] = extra.fetch(), kind
        given = [inputs[v] for v in part.graph.inputs]
        whole = RowGraph(part.graph, [kind for _, kind in given], by_rows)
        tell_tapes(part)
        found = whole.run([tensor for tensor, _ in given], self._count)
        results = iter(
            [
                BatchedRows(self._count, part.graph.avals[v]).spread(x)
                for v, x in zip(part.graph.outputs, found, strict=True)
            ]
        )
        leaves = [None if x is None else next(results) for x in flatten(self.result)]
        return pack_sequence_as(self.result, leaves)

    def looped(self, fn: Function, elems: Any, rows: Sequence[Any]) -> Any:
        """Return the results of one loop over the rows."""
        kinds = [None if x is None else x.aval for x in flatten(self.result)]

        def at(i: Any) -> list[Any]:
            given = [
                row(x, 0 if is_shared else i)
                for x, is_shared in zip(rows, self._shared, strict=True)
            ]
            result = fn(pack_sequence_as(elems, given))
            return [x for x in flatten(result) if x is not None]

        numbers = convert_to_tensor(list(range(self._count)) or [0])[: self._count]
        found = iter(map_fn(at, numbers, fn_output_signature=[k for k in kinds if k is not None]))
        return pack_sequence_as(self.result, [None if k is None else next(found) for k in kinds])


def _converted(leaf: Any) -> Any:
    return leaf if leaf is None or isinstance(leaf, Composite) else convert_to_tensor(leaf)


def _one_by_one(fn: Function, elems: Any, rows: Sequence[Any], count: int) -> Any:
    """Return the results of separate calls for each row."""
    sizes = sizes_of(rows)
    results = []
    for i in range(count):
        given = [row(x, i if size > 1 else 0) for x, size in zip(rows, sizes, strict=True)]
        results.append(fn(pack_sequence_as(elems, given)))
    if not results:
        raise ValueError(
            "vectorized_map: a function that runs row by row needs rows to find the shapes of its "
            "results. Call it in a tf.function"
        )
    columns = itertools.zip_longest(*map(flatten, results))
    return pack_sequence_as(results[0], [_stacked(column) for column in columns])


def _stacked(values: Sequence[Any]) -> Tensor:
    tensors = [convert_to_tensor(value) for value in values]
    array = TensorArray(tensors[0].dtype, len(tensors))
    for i, value in enumerate(tensors):
        array.write(i, value)
    return array.stack()
