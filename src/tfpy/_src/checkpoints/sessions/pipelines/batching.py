"""Queues that combine tensors of a graph into batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.checkpoints.sessions.pipelines.producers import (
    graph_tensor,
    require_graph,
    share_of,
)
from tfpy._src.checkpoints.sessions.pipelines.runners import QueueRunner, add_queue_runner
from tfpy._src.core.conversion import constant
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.formats.summary.graph_summaries import scalar
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import aval_of
from tfpy._src.library.protos.sparse_protos import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from tfpy._src.library.queues.base import QueueBase
from tfpy._src.library.queues.kinds import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

Structure = Sequence[Any] | Mapping[Any, Any]


@dataclass(frozen=True)
class Batching:
    """The arguments that all functions share.

    Attributes:
        name: Name of the operations.
        batch_size: Number of elements of a batch.
        capacity: Capacity of the queue.
        enqueue_many: True if the first dimension of the tensors is the batch.
        shapes: Shapes of the elements. Default: the static shapes.
        dynamic_pad: True if elements of different sizes are padded.
        allow_smaller_final_batch: True if the last batch may have fewer elements.
        shared_name: Attribute of the queue.
        keep_input: True, or a boolean tensor: whether an element, or each row, is added.
        least: Number of elements that stay in a queue with a random order, or None for a queue
            that keeps the order.
        seed: Seed of the order.
    """

    name: str
    batch_size: Any
    capacity: int
    enqueue_many: bool
    shapes: Any
    dynamic_pad: bool
    allow_smaller_final_batch: bool
    shared_name: str | None
    keep_input: Any
    least: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class _Sparse:
    """A sparse component. Its elements are strings in the queue."""

    dtype: Any
    rank: int | None


def batched(structures: Sequence[Structure], threads: int, given: Batching) -> Any:
    """Add the operations of a queue to the graph, and return batches.

    Args:
        structures: Lists or dicts of tensors. Each of them adds elements.
        threads: Number of sources for each structure.
        given: The other arguments.

    Returns:
        The batches in the form of the first structure. A single component has no list.

    Raises:
        ValueError: If a shape is not known, or the structures differ.
        RuntimeError: In eager execution.
    """
    graph = require_graph(given.name)
    with name_scope(given.name):
        keep = _checked_keep(given)
        pairs = [_components(graph, _listed(one), given.enqueue_many) for one in structures]
        _check_alike(structures, pairs)
        sparse = pairs[0][1]
        components = [tensors for tensors, _ in pairs]
        kinds = [x.dtype for x in components[0]]
        queue = _queue(kinds, _shapes(components, given), given)
        adding = [_adding(graph, queue, tensors, keep, given) for tensors in components]
        add_queue_runner(QueueRunner(queue, [op for op in adding for _ in range(threads)]))
        _watch(graph, queue, given)
        many = queue.dequeue_up_to if given.allow_smaller_final_batch else queue.dequeue_many
        found = many(given.batch_size, name=None)
        found = found if isinstance(found, list) else [found]
        results = [
            x if kind is None else _restored(graph, x, kind)
            for x, kind in zip(found, sparse, strict=True)
        ]
    return _structured(structures[0], results)


def _listed(structure: Structure) -> list[Any]:
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure, key=str)]
    return list(structure)


def _structured(like: Structure, values: list[Any]) -> Any:
    if isinstance(like, Mapping):
        return dict(zip(sorted(like, key=str), values, strict=True))
    return values[0] if len(values) == 1 else values


def _checked_keep(given: Batching) -> Any:
    """Return the condition as a tensor of the graph, or None if all elements are added."""
    if given.keep_input is True:
        return None
    keep = graph_tensor(given.keep_input, dtypes.bool)
    if keep.shape.rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if given.enqueue_many and keep.shape.rank > 1:
        raise ValueError(f"`keep_input` must be 0 or 1 dimensions, got shape {keep.shape}.")
    if not given.enqueue_many and keep.shape.rank:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    return keep


def _components(graph: Graph, values: list[Any], many: bool) -> tuple[list[Any], list[Any]]:
    """Return the components as dense tensors, and facts of those that were sparse."""
    if not values:
        raise ValueError("Expected at least one tensor.")
    tensors: list[Any] = []
    kinds: list[_Sparse | None] = []
    for value in values:
        if not isinstance(value, SparseTensor):
            tensors.append(graph_tensor(value))
            kinds.append(None)
            continue
        tensors.append(_packed(graph, value, many))
        sizes = value.dense_shape.shape
        rank = None if sizes.rank is None or sizes[0] is None else sizes[0] - many
        kinds.append(_Sparse(value.dtype, rank))
    return tensors, kinds


def _packed(graph: Graph, value: SparseTensor, many: bool) -> Tensor:
    """Return a sparse tensor, or each of its rows, as three strings."""
    parts = [graph_tensor(x) for x in value.components]

    def pack(*parts: Tensor) -> Tensor:
        return (serialize_many_sparse if many else serialize_sparse)(SparseTensor(*parts))

    aval = aval_of([None, 3] if many else [3], dtypes.string)
    (found,) = graph.add(pack, parts, [aval], "SerializeSparse")
    found.op.is_dynamic = True
    return found


def _restored(graph: Graph, strings: Any, kind: _Sparse) -> SparseTensor:
    """Return a batch of sparse tensors from their strings."""

    def read(texts: Tensor) -> list[Tensor]:
        return [*deserialize_many_sparse(texts, kind.dtype).components]

    rank = None if kind.rank is None else kind.rank + 1
    avals = [
        aval_of([None, rank], dtypes.int64),
        aval_of([None], kind.dtype),
        aval_of([rank], dtypes.int64),
    ]
    parts = graph.add(read, [strings], avals, "DeserializeManySparse")
    parts[0].op.is_dynamic = True
    return SparseTensor(*parts)


def _check_alike(structures: Sequence[Structure], pairs: Sequence[Any]) -> None:
    """Check that all structures have the same keys, and components of the same dtypes.

    Raises:
        ValueError: If they differ.
        TypeError: If the dtypes differ.
    """
    first = structures[0]
    for one, (tensors, kinds) in zip(structures, pairs, strict=True):
        keys = isinstance(first, Mapping) and isinstance(one, Mapping)
        if isinstance(first, Mapping) != isinstance(one, Mapping) or (keys and {*first} != {*one}):
            raise ValueError("All elements of tensors_list must have the same keys")
        expected, others = pairs[0]
        if [x.dtype for x in tensors] != [x.dtype for x in expected]:
            raise TypeError(
                f"Expected types to be consistent: {[x.dtype for x in expected]} vs. "
                f"{[x.dtype for x in tensors]}"
            )
        if [kind is None for kind in kinds] != [kind is None for kind in others]:
            raise ValueError("Sparse and dense components must not be mixed")


def _shapes(components: Sequence[Sequence[Any]], given: Batching) -> list[TensorShape]:
    """Return the shapes of the elements of the queue."""
    if given.shapes is not None:
        found = [TensorShape(shape) for shape in given.shapes]
        if len(found) != len(components[0]):
            raise ValueError(f"{len(components[0])} components need as many shapes: {found}")
        return found
    return [_common([row[i].shape for row in components], given.enqueue_many)
            for i in range(len(components[0]))]  # fmt: skip


def _common(shapes: Sequence[TensorShape], many: bool) -> TensorShape:
    if any(shape.rank is None for shape in shapes):
        raise ValueError(f"Cannot infer Tensor's rank: {[*shapes]}")
    inner = [shape[1:] if many else shape for shape in shapes]
    found = inner[0]
    for other in inner[1:]:
        found = found.most_specific_compatible_shape(other)
    return found


def _queue(kinds: list[Any], shapes: list[TensorShape], given: Batching) -> QueueBase:
    if given.least is not None:
        return RandomShuffleQueue(
            given.capacity, given.least, kinds, shapes, seed=given.seed,
            shared_name=given.shared_name,
        )  # fmt: skip
    kind = PaddingFIFOQueue if given.dynamic_pad else FIFOQueue
    return kind(given.capacity, kinds, shapes, shared_name=given.shared_name)


def _adding(graph: Graph, queue: QueueBase, tensors: list[Any], keep: Any, given: Batching) -> Any:
    """Add the operation that adds elements, or some of them."""
    if keep is None:
        return queue.enqueue_many(tensors) if given.enqueue_many else queue.enqueue(tensors)
    selects = given.enqueue_many and keep.shape.rank == 1
    name = f"{queue.name}_{'EnqueueMany' if given.enqueue_many else 'enqueue'}"
    inputs: list[Any] = [queue.queue_ref, *tensors, keep]
    op = graph.make(name, inputs, "If")
    op.places, op.is_dynamic, op.args = (), True, (tensors, keep)

    def add(values: list[Tensor], keep: Tensor) -> None:
        kept = np.asarray(keep.numpy())
        if not kept.any():
            return
        if selects:
            values = [constant(x.numpy()[kept], x.dtype) for x in values]
        own = queue.of(graph.session)
        own.enqueue_many(values) if given.enqueue_many else own.enqueue(values)

    op.function = add
    return op


def _watch(graph: Graph, queue: QueueBase, given: Batching) -> None:
    """Add a summary of the used share of the queue's capacity."""
    least = given.least or 0
    over = f"over_{least}_of_{given.capacity - least}" if given.least else f"of_{given.capacity}"
    share = share_of(given.capacity, least)
    scalar(f"fraction_{over}_full", graph.record(share, (queue.size(),), {}, "fraction"))
