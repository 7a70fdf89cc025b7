"""Sparse and ragged tensors of a graph: their components are tensors of the graph.

Functions compute sparse and ragged tensors from indices and row partitions on the host, which a
graph does not have. So the classes of this module have components only. Their methods create
operations, which use the ordinary classes in a run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.graph_mode.tensors import OPERATORS, GraphTensor, resolved
from tfpy._src.tensors.composite import sparse_tensor
from tfpy._src.tensors.composite.host_values import RaggedTensorValue, SparseTensorValue
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import Ints, SparseTensor

_MANY = 240
"""Size that replaces an unknown one while shapes are inferred."""
_FEW = 12
"""Size of samples in place of an unknown size. It has many divisors."""


class SampledParts:
    """Components of a composite with a structure that is only a sample.

    Args:
        kind: Class of the composite.
        components: Tensors of a discarded trace.
    """

    def __init__(self, kind: type, components: Sequence[Any]) -> None:
        self.kind = SparseTensor if issubclass(kind, SparseTensor) else RaggedTensor
        self.components = tuple(components)


def _in_graph(value: Any) -> Any:
    """Return a value as a tensor of the active graph."""
    graph = tracing.active_graph()
    if graph is None or isinstance(value, GraphTensor):
        return value
    return graph.record(convert_to_tensor, (value,), {}, "Const")


class GraphSparseTensor(SparseTensor):
    """A sparse tensor of a graph."""

    __module__ = SparseTensor.__module__  # libraries recognize tensors by it
    __slots__ = ()

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._take_components(*map(_in_graph, (indices, values, dense_shape)))
        ranks = (self.indices.shape.rank, self.values.shape.rank, self.dense_shape.shape.rank)
        if any(rank not in (None, wanted) for rank, wanted in zip(ranks, (2, 1, 1), strict=True)):
            raise ValueError(
                "SparseTensor: indices must be a matrix, values and dense_shape vectors, got "
                f"shapes {self.indices.shape}, {self.values.shape} and {self.dense_shape.shape}"
            )
        found = self.indices.shape.with_rank(2)
        TensorShape(found[:1]).assert_is_compatible_with(self.values.shape)
        TensorShape(found[1:]).assert_is_compatible_with(self.dense_shape.shape)

    @property
    def host_indices(self) -> Ints:  # type: ignore[override]
        """Indices on the host, if they are constant."""
        return self.indices.host_view()

    @property
    def host_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Shape on the host, if it is constant."""
        return tuple(self.dense_shape.host_view().tolist())

    @property
    def shape(self) -> TensorShape:
        rank = self.ndim
        if rank is None:
            return TensorShape(None)
        known = getattr(self.dense_shape, "known", self.dense_shape)
        if known is None:
            return TensorShape([None] * rank)
        sizes = known.host_view().tolist()
        is_open = known.open if isinstance(known, Sizes) else np.zeros(rank, bool)
        return TensorShape([None if o else n for n, o in zip(sizes, is_open, strict=True)])

    @property
    def ndim(self) -> Any:
        """Number of dimensions, or None if it is unknown."""
        rank = self.dense_shape.shape.with_rank(1)[0]
        return self.indices.shape.with_rank(2)[1] if rank is None else rank

    def with_components(self, components: Sequence[Any]) -> SparseTensor:
        return rebuilt(self, components)


class GraphRaggedTensor(RaggedTensor):
    """A ragged tensor of a graph."""

    __module__ = RaggedTensor.__module__
    __slots__ = ("_row_splits",)
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None) -> None:
        self.values = values
        self._row_splits = row_splits
        self.uniform_row_length = uniform

    @property
    def splits(self) -> Ints:  # type: ignore[override]
        """Row splits on the host, if they are constant."""
        return self._row_splits.host_view()

    @property
    def shape(self) -> TensorShape:
        bounds = self._row_splits.shape.with_rank(1)[0]
        rows = None if bounds is None else bounds - 1
        inner = self.values.shape
        if inner.rank is None:
            return TensorShape(None)
        return TensorShape([rows, self.uniform_row_length, *inner[1:]])

    @property
    def row_splits(self) -> Tensor:
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        inner = self.values
        return (
            self._row_splits,
            *(inner.nested_row_splits if isinstance(inner, RaggedTensor) else ()),
        )

    def with_components(self, components: Sequence[Any]) -> Any:
        return rebuilt(self, components)

    def with_values(self, new_values: Any) -> Self:
        values = (
            new_values if isinstance(new_values, RaggedTensor) else convert_to_tensor(new_values)
        )
        return type(self)(values, self._row_splits, self.uniform_row_length)

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self.values}, row_splits={self._row_splits})"

    __str__ = __repr__

    def __iter__(self) -> Any:
        raise TypeError("Cannot iterate over a ragged tensor of a graph.")

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other


COMPOSITES = (SparseTensor, RaggedTensor, SampledParts)
"""Values that are nests of their components in the arguments and results of operations."""


def rebuilt(value: Any, components: Sequence[Any]) -> Any:
    """Return a composite with other components: one of a graph if they are tensors of a graph."""
    if all(new is old for new, old in zip(components, value.components, strict=True)):
        return value
    in_graph = any(isinstance(c, GraphTensor) for c in components)
    kind = value.kind if isinstance(value, SampledParts) else type(value)
    if issubclass(kind, SparseTensor):
        return (GraphSparseTensor if in_graph else SparseTensor)(*components)
    if not in_graph and kind is not GraphRaggedTensor:
        return value.with_components(components)
    return _ragged(GraphRaggedTensor if in_graph else RaggedTensor, value, components)


def _ragged(kind: type[RaggedTensor], value: Any, components: Sequence[Any]) -> RaggedTensor:
    flat, splits, *inner = components
    has_rows = isinstance(value, RaggedTensor)
    below = _ragged(kind, value.values if has_rows else None, [flat, *inner]) if inner else flat
    uniform = value.uniform_row_length if has_rows else None
    if issubclass(kind, GraphRaggedTensor):
        return kind(below, splits, uniform)
    found = kind.from_row_splits(below, splits)
    return kind(found.values, found.splits, uniform)


def as_arrays(value: Any, components: Sequence[Any]) -> Any:
    """Return the arrays of a composite that a run has computed."""
    if isinstance(value, SparseTensor):
        return SparseTensorValue(*components)
    found, *splits = components
    for one in reversed(splits):
        found = RaggedTensorValue(found, one)
    return found


def components_of(value: Any) -> Sequence[Any]:
    """Return the arrays with which a run feeds a sparse or ragged tensor."""
    if isinstance(value, RaggedTensorValue):
        return (value.flat_values, *value.nested_row_splits)
    if isinstance(value, COMPOSITES):
        return tuple(c.host_view() for c in value.components)
    return tuple(value)


def samples(value: Any, size: int) -> dict[int, Tensor]:
    """Return small values for the components of a composite of a graph, by their identities.

    Args:
        value: Sparse or ragged tensor.
        size: Number of values or rows in place of an unknown one.
    """
    if isinstance(value, GraphSparseTensor):
        found: Sequence[Any] = _sparse_sample(value, size)
    elif isinstance(value, GraphRaggedTensor):
        found = _ragged_sample(value, size)
    else:
        return {}
    return {t.identity: _sampled(t, x) for t, x in zip(value.components, found, strict=True)}


def _sampled(tensor: Tensor, sample: Any) -> Tensor:
    known = getattr(tensor, "constant", tensor)
    if known is not None:
        return known
    is_plain = tensor.dtype.is_numeric or tensor.dtype.is_bool
    return (
        constant(sample, tensor.dtype) if is_plain else constant("", shape=np.asarray(sample).shape)
    )


def _known(tensor: Any) -> Any:
    found = getattr(tensor, "constant", tensor)
    return None if found is None else found.host_view()


def _sparse_sample(value: GraphSparseTensor, size: int) -> tuple[Any, Any, Any]:
    indices, rank = _known(value.indices), value.ndim or 2
    static = value.shape
    sizes = [_FEW if rank <= 4 else 2] * rank if static.rank is None else static.as_list()
    shape = np.array([_FEW if n is None and rank <= 4 else 2 if n is None else n for n in sizes])
    if indices is not None and len(indices):
        shape = np.maximum(shape, indices.max(0) + 1)
    count = value.values.shape.with_rank(1)[0]
    count = int(value.indices.shape.with_rank(2)[0] or size) if count is None else count
    count = min(count, int(np.prod(shape)))
    if indices is None:
        indices = (
            np.stack(np.unravel_index(np.arange(count), shape), 1) if rank else np.zeros((count, 0))
        )
    return indices, np.zeros(count), shape


def _ragged_sample(value: GraphRaggedTensor, unknown: int) -> list[Any]:
    found: list[Any] = []
    inner: Any = value
    rows = inner.row_splits.shape.with_rank(1)[0]
    rows = unknown if rows is None else rows - 1
    flat = value.flat_values.shape
    size = flat[0] if flat.rank else None
    while isinstance(inner, GraphRaggedTensor):
        known, below = _known(inner.row_splits), inner.values
        each = 1 if inner.uniform_row_length is None else inner.uniform_row_length
        splits = np.arange(rows + 1) * each
        if known is not None:
            splits = known
        elif not isinstance(below, GraphRaggedTensor) and size is not None and rows:
            splits = np.array([0] + [size] * rows)
        found.append(splits)
        rows, inner = int(splits[-1]), below
    sizes = [_FEW if n is None else n for n in flat[1:]] if flat.rank else []
    return [np.zeros([rows, *sizes]), *found]


def _recorded(plain: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a method that creates an operation."""

    @functools.wraps(plain)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        graph = tracing.active_graph()
        if graph is not None:
            return graph.record(plain, (self, *args), kwargs, name)
        composite = rebuilt(self, [resolved(c) for c in self.components])
        return plain(composite, *map(resolved, args), **kwargs)

    return method


def _shape(value: Any) -> Any:
    return value.shape if hasattr(value, "shape") else np.asarray(value).shape


def _constructor(plain: Callable[..., Any], added: int | None) -> Any:
    """Return a class method that creates an operation while a graph is active.

    Args:
        plain: The method that computes.
        added: Difference between the numbers of row splits and of elements of the row partition,
            or None if it is unknown.
    """

    @functools.wraps(plain)
    def construct(cls: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
        graph = tracing.active_graph()
        if graph is None:
            return plain(cls, values, *args, **kwargs)
        values = values if isinstance(values, RaggedTensor) else convert_to_tensor(values)
        partition = args[0] if args else next(iter(kwargs.values()), None)
        rows = _shape(partition) if added is not None else [None]
        count = TensorShape(rows).with_rank(1)[0]
        size = OpenSize(_MANY) if added is None or count is None else count + added

        def splits(values: Any, args: Any, kwargs: Any) -> Tensor:
            return plain(RaggedTensor, values, *args, **kwargs).row_splits

        aval = Aval((size,), dtypes.int32)
        (found,) = graph.add(splits, [values, list(args), kwargs], [aval], "RaggedFromRows")
        found.op.is_dynamic = True
        length = args[0] if args else kwargs.get("uniform_row_length")
        is_uniform = plain.__name__ == "from_uniform_row_length" and isinstance(length, int)
        return GraphRaggedTensor(values, found, length if is_uniform else None)

    return classmethod(construct)


def _from_dense(plain: Callable[..., Any]) -> Any:
    """Return a class method that records the conversion of a dense or sparse tensor."""

    @functools.wraps(plain)
    def convert(cls: Any, *args: Any, **kwargs: Any) -> Any:
        graph = tracing.active_graph()
        if graph is None:
            return plain(cls, *args, **kwargs)
        return graph.record(functools.partial(plain, cls), args, kwargs, "RaggedFromTensor")

    return classmethod(convert)


_METHODS = (
    *("row_lengths", "bounding_shape", "nrows", "row_starts", "row_limits", "value_rowids"),
    *("nested_row_lengths", "nested_value_rowids"),
    *("merge_dims", "to_tensor", "to_sparse"),
)
_CONSTRUCTORS = {
    "from_row_splits": 0,
    "from_row_lengths": 1,
    "from_row_starts": 1,
    "from_row_limits": 1,
    "from_value_rowids": None,
    "from_uniform_row_length": None,
}
for _dunder in (f"__{symbol}__" for symbol in OPERATORS):
    for _kind, _base in ((GraphSparseTensor, SparseTensor), (GraphRaggedTensor, RaggedTensor)):
        if getattr(_base, _dunder, None) is not None:
            setattr(_kind, _dunder, _recorded(getattr(_base, _dunder), OPERATORS[_dunder[2:-2]]))
for _name in _METHODS:
    setattr(GraphRaggedTensor, _name, _recorded(getattr(RaggedTensor, _name), "Ragged"))
for _name, _added in _CONSTRUCTORS.items():
    setattr(RaggedTensor, _name, _constructor(getattr(RaggedTensor, _name).__func__, _added))
for _name in ("from_tensor", "from_sparse"):
    setattr(RaggedTensor, _name, _from_dense(getattr(RaggedTensor, _name).__func__))
sparse_tensor.OF_GRAPHS.append(GraphSparseTensor)
