"""Gradients with respect to tables, such as embeddings, from which a graph only gathers rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfpy._src.base.dtypes import DType, int32
from tfpy._src.core import conversion
from tfpy._src.core.indexed_slices import IndexedSlices, dense
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.dependence import reaches
from tfpy._src.functions.graph_mode.inference import aval_of
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range as range_
from tfpy._src.tensors.variables.variable import Variable

_GATHERS = frozenset(("gather", "embedding_lookup"))
_TABLES_AND_INDICES = frozenset(("params", "indices", "ids", "name"))
"""Arguments of these functions, without those that select an axis or change the rows."""


class GradientParts:
    """The tensors of a gradient: one, or the values and indices of `tf.IndexedSlices`.

    Args:
        x: Tensor or Variable with respect to which a gradient is computed.
        operations: Operations of the graph.
        ys, stops: Tensors that are differentiated, and tensors that are constants for gradients.
    """

    def __init__(
        self, x: Any, operations: Sequence[Operation], ys: Sequence[Any], stops: Sequence[Any]
    ) -> None:
        self._x = x
        self._index_dtype = _index_dtype(x, operations, ys, stops)
        self.avals = [x.aval]
        if self._index_dtype is not None:
            rows = [None, *x.shape.as_list()[1:]]
            self.avals = [aval_of(rows, x.dtype), aval_of([None], self._index_dtype)]

    def split(self, gradient: Any) -> list[Tensor]:
        """Return the tensors of a gradient that a run has computed."""
        if self._index_dtype is None:
            return [dense(gradient)]
        if not isinstance(gradient, IndexedSlices):  # such as zeros without a connection
            every = range_(gradient.shape[0])
            return [gradient, cast(every, self._index_dtype)]
        return [gradient.values, cast(gradient.indices, self._index_dtype)]

    def join(self, parts: Iterator[Tensor]) -> Any:
        """Return a gradient of the next tensors of the graph."""
        if self._index_dtype is None:
            return next(parts)
        shape = conversion.constant(self._x.shape.as_list(), int32)
        return IndexedSlices(next(parts), next(parts), shape)


def _index_dtype(
    x: Any, operations: Sequence[Operation], ys: Sequence[Any], stops: Sequence[Any]
) -> DType | None:
    """Return the dtype of the indices if the graph only gathers rows of a Variable, or None."""
    if not isinstance(x, Variable) or not x.shape.rank or not x.shape.is_fully_defined():
        return None
    found = None
    for op in operations:
        if not any(source is x for source in (*op.sources, *op.captured)):
            continue
        if not any(
            output is y or reaches(operations, output, ys, stops)
            for output in op.outputs
            for y in ys
        ):
            continue
        if getattr(op.function, "__name__", "") not in _GATHERS or not _is_plain(op):
            return None
        indices = [t for t in op.inputs if isinstance(t, GraphTensor) and t.dtype.is_integer]
        found = indices[0].dtype if indices else int32
    return found


def _is_plain(op: Operation) -> bool:
    """Return True if a call only has a table and indices, so that it gathers along axis 0."""
    return len(op.args) <= 2 and _TABLES_AND_INDICES.issuperset(op.kwargs)
