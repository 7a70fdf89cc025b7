"""Writers of primitives that move, reduce and index arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ir.sizes import OpenSize, is_open
from tfpy._src.formats.graph_writing.blocks import block_indices
from tfpy._src.formats.graph_writing.emitter import BOOL, FLOAT, INT, NodeValue, unsupported
from tfpy._src.formats.graph_writing.open_sizes import Edge, edges
from tfpy._src.formats.onnx.writer.nodes import INT64, Nodes, record, refuse

refuse(
    "it has no such operator",
    "cumprod cumulative_logsumexp non_max_suppression igamma igammac igamma_grad_a "
    "random_gamma_grad betainc matrix_solve triangular_solve cholesky det sign_det log_abs_det qr "
    "svd eigh eig lu lu_permutation expm sqrtm logm",
)
refuse(
    "its string operators are different",
    "as_string string_lower string_upper string_strip string_length substr string_join reduce_join "
    "unsorted_segment_join regex_full_match regex_replace string_to_hash_bucket "
    "string_to_hash_bucket_fast string_to_hash_bucket_strong string_to_number unicode_transcode",
)
refuse(
    "the numbers come from tfpy's own generator; pass them as arguments",
    "random_fine_uniform random_bits random_int random_state_of_seed random_state_advanced "
    "random_gamma random_poisson random_binomial random_permutation random_truncated_normal",
)
_FAR = 1 << 62


@record("reshape")
def _reshape(w: Nodes, x: NodeValue, *, shape: Sequence[int]) -> NodeValue:
    return x if tuple(shape) == x.shape else w.reshape(x, shape)


@record("broadcast_to")
def _broadcast_to(w: Nodes, x: NodeValue, *, shape: Sequence[int]) -> NodeValue:
    return w.op("Expand", x, w.sizes(shape))


def turned(w: Nodes, x: NodeValue, perm: Sequence[int]) -> NodeValue:
    """Transpose a value."""
    order = list(map(int, perm))
    return x if order == sorted(order) else w.op("Transpose", x, perm=order)


@record("transpose")
def _transpose(w: Nodes, x: NodeValue, *, perm: Sequence[int]) -> NodeValue:
    return turned(w, x, perm)


@record("strided_slice")
def _strided_slice(w: Nodes, x: NodeValue, *, begin: Any, size: Any, strides: Any) -> NodeValue:
    return sliced(w, x, edges(x.shape, begin, size, strides), strides)


def sliced(w: Nodes, x: NodeValue, ends: Sequence[Edge], strides: Sequence[int]) -> NodeValue:
    """Slice a value; an end of None means the end of the axis."""
    if not ends:
        return x
    last = [
        (_FAR if stride > 0 else -_FAR) if end is None else end
        for (_, end), stride in zip(ends, strides, strict=True)
    ]
    firsts, axes = w.integers([first for first, _ in ends]), w.integers(range(len(ends)))
    return w.op("Slice", x, firsts, w.integers(last), axes, w.integers(strides))


def padded(w: Nodes, x: NodeValue, padding: Any, value: Any) -> NodeValue:
    """Pad a value; a negative border crops it."""
    if x.dtype == BOOL:
        return w.cast(padded(w, w.cast(x, INT), padding, int(value)), BOOL)
    pads = w.integers([*(low for low, _ in padding), *(high for _, high in padding)])
    return w.op("Pad", x, pads, w.number(value, x))


@record("pad")
def _pad(w: Nodes, x: NodeValue, *, padding: Any, interior: Any, value: Any) -> NodeValue:
    if is_open(padding):
        raise unsupported("pad", "borders must have static sizes")
    shape = list(x.shape)
    for axis, between in enumerate(interior):
        if between:  # expand each element to a run, then crop the end of the last run
            wide = [*shape[: axis + 1], 1, *shape[axis + 1 :]]
            runs = [(0, 0)] * len(wide)
            runs[axis + 1] = (0, between)
            x = padded(w, w.reshape(x, wide), runs, value)
            shape[axis] *= between + 1
            x = w.reshape(x, shape)
    ends = [(low, high - n) for (low, high), n in zip(padding, interior, strict=True)]
    return padded(w, x, ends, value) if any(map(any, ends)) else x


@record("concat")
def _concat(w: Nodes, *values: NodeValue, axis: int) -> NodeValue:
    return w.op("Concat", *values, axis=int(axis))


def _reduction(op: str) -> Any:
    def write(w: Nodes, x: NodeValue, *, axes: tuple[int, int]) -> NodeValue:
        if axes[0] == axes[1]:
            return x
        if x.dtype == BOOL:
            return w.cast(write(w, w.cast(x, INT), axes=axes), BOOL)
        return w.op(op, x, w.integers(range(*axes)), keepdims=0)

    return write


for _name, _op in {
    "reduce_sum": "ReduceSum", "reduce_prod": "ReduceProd", "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin", "reduce_all": "ReduceMin",
}.items():  # fmt: skip
    record(_name)(_reduction(_op))


@record("reduce_any")
def _reduce_any(w: Nodes, x: NodeValue, *, axes: tuple[int, int]) -> NodeValue:
    return w.op("Not", _reduction("ReduceMin")(w, w.op("Not", x), axes=axes))


@record("matmul")
def _matmul(
    w: Nodes, a: NodeValue, b: NodeValue, *, transpose_a: bool, transpose_b: bool
) -> NodeValue:
    return w.op("MatMul", _swapped(w, a, transpose_a), _swapped(w, b, transpose_b))


def _swapped(w: Nodes, x: NodeValue, swap: bool) -> NodeValue:
    """Swap the last two axes if `swap` is True."""
    rank = x.rank
    return turned(w, x, [*range(rank - 2), rank - 1, rank - 2]) if swap else x


@record("gather")
def _gather(
    w: Nodes,
    x: NodeValue,
    indices: NodeValue,
    *,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> NodeValue:
    if not batch_dims:
        return w.op("Gather", x, indices, axis=int(axis))
    others = [i for i in range(batch_dims, x.rank) if i != axis]
    moved = turned(w, x, [*range(batch_dims), axis, *others])
    places = w.op("Unsqueeze", w.cast(indices, INT64), w.integers([-1]))
    found = w.op("GatherND", moved, places, batch_dims=int(batch_dims))
    middle, count = axis - batch_dims, indices.rank - batch_dims
    order = [*range(batch_dims), *(batch_dims + count + i for i in range(middle))]
    order += [batch_dims + i for i in range(count)]
    order += range(batch_dims + count + middle, x.rank - 1 + count)
    return turned(w, found, order)


@record("permute")
def _permute(w: Nodes, x: NodeValue, order: NodeValue) -> NodeValue:
    return w.op("GatherElements", x, order, axis=x.rank - 1)


def _rows(w: Nodes, ids: NodeValue) -> NodeValue:
    return w.op("Unsqueeze", w.cast(ids, INT64), w.integers([-1]))


@record("segment_sum")
def _segment_sum(w: Nodes, data: NodeValue, ids: NodeValue, *, segments: int) -> NodeValue:
    # Rows with negative ids are written to an additional row, which is sliced off.
    inner = data.shape[ids.rank :]
    negative = w.test("Less", ids, w.number(0, ids))
    where = w.where(negative, w.number(int(segments), ids), ids)
    zeros = w.op("Expand", w.number(0, data), w.sizes((segments + 1, *inner)))
    summed = w.op("ScatterND", zeros, _rows(w, where), data, reduction="add")
    return sliced(w, summed, [(0, segments)], [1])


def _scatter(reduction: str) -> Any:
    def write(w: Nodes, x: NodeValue, ids: NodeValue, updates: NodeValue) -> NodeValue:
        return w.op("ScatterND", x, _rows(w, ids), updates, reduction=reduction)

    return write


for _name, _op in {"update": "none", "prod": "mul", "max": "max", "min": "min"}.items():
    record(f"scatter_{_name}")(_scatter(_op))


@record("dynamic_update_slice")
def _dynamic_update_slice(
    w: Nodes, x: NodeValue, updates: NodeValue, starts: NodeValue
) -> NodeValue:
    at = w.cast(block_indices(w, x, updates, starts, "Max", "Min", "Add"), INT64)
    return w.op("ScatterND", x, at, w.reshape(updates, (math.prod(updates.shape),)))


@record("ravel_index")
def _ravel_index(w: Nodes, indices: NodeValue, *, dims: Sequence[int]) -> NodeValue:
    strides = [math.prod(map(int, dims[i + 1 :])) for i in range(len(dims))]
    scaled = w.op("Mul", indices, np.array(strides, np.int32))
    return w.op("ReduceSum", scaled, w.integers([indices.rank - 1]), keepdims=0)


@record("range")
def _range(w: Nodes, *, start: float, delta: float, count: int, dtype: DType) -> NodeValue:
    if not isinstance(count, OpenSize):
        return w.constant(OPS["range"].ref(start=start, delta=delta, count=count, dtype=dtype))
    product = w.source.sizes.product(count)
    assert product is not None
    zero, one = (w.constant(np.array(n, np.int64)) for n in (0, 1))
    steps = w.op("Range", zero, w.scalar(w.product(product)), one)
    scaled = w.op("Mul", w.cast(steps, dtype), w.number(delta, dtype))
    return w.op("Add", scaled, w.number(start, dtype))


def _extreme(op: str) -> Any:
    def write(w: Nodes, x: NodeValue, *, axis: int) -> NodeValue:
        numbers = w.cast(x, INT) if x.dtype == BOOL else x
        found = w.op(op, numbers, dtype=INT64, axis=int(axis), keepdims=0)
        return w.cast(found, w.result[0].dtype)

    return write


record("argmax")(_extreme("ArgMax"))
record("argmin")(_extreme("ArgMin"))


@record("argsort")
def _argsort(w: Nodes, x: NodeValue, *, k: int, descending: bool) -> NodeValue:
    if isinstance(k, OpenSize):
        raise unsupported("argsort", "the number of sorted elements must be static")
    count = w.constant(w.integers([k]))
    found = w.several("TopK", [x, count], [x.dtype, INT64], axis=-1, largest=int(descending))
    return w.cast(found[1], INT)


@record("largest")
def _largest(w: Nodes, x: NodeValue, *, k: int) -> NodeValue:
    return _argsort(w, x, k=k, descending=True)


@record("searchsorted")
def _searchsorted(w: Nodes, sequence: NodeValue, values: NodeValue, *, right: bool) -> NodeValue:
    below = w.test(
        "LessOrEqual" if right else "Less",
        w.op("Unsqueeze", sequence, w.integers([-2])),
        w.op("Unsqueeze", values, w.integers([-1])),
    )
    return w.op("ReduceSum", w.cast(below, INT), w.integers([-1]), keepdims=0)


@record("cumsum")
def _cumsum(w: Nodes, x: NodeValue, *, axis: int, exclusive: bool, reverse: bool) -> NodeValue:
    return w.op("CumSum", x, np.int64(axis), exclusive=int(exclusive), reverse=int(reverse))


def _random(op: str) -> Any:
    def write(w: Nodes, *state: NodeValue, shape: Sequence[int]) -> NodeValue:
        like = w.op("Expand", w.number(0, FLOAT), w.sizes(shape))
        return w.op(f"{op}Like", like)

    return write


record("random_uniform")(_random("RandomUniform"))
record("random_normal")(_random("RandomNormal"))
