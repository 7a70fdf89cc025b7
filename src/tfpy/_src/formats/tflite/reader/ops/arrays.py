"""Operations that create, move, join and select elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import int32
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops import dynamic_slices
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.formats.tflite.reader.ops.elementwise import activated
from tfpy._src.formats.tflite.reader.record import op, operation
from tfpy._src.formats.tflite.reader.tensors import MAX_BYTES, Info
from tfpy._src.library.image.boxes import below, non_max_suppression_with_scores, padded, suppressed
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.tensors.array.blocks import (
    batch_to_space,
    depth_to_space,
    space_to_batch,
    space_to_depth,
)
from tfpy._src.tensors.array.indexing import strided_slice
from tfpy._src.tensors.array.joining import concat, pad, split, stack, tile, unstack
from tfpy._src.tensors.array.making import cast, fill
from tfpy._src.tensors.array.ranges import range as range_
from tfpy._src.tensors.array.reordering import reverse, reverse_sequence
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape, squeeze, transpose
from tfpy._src.tensors.array.scattering import gather_nd, scatter_nd, tensor_scatter_nd_update
from tfpy._src.tensors.array.segments import (
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from tfpy._src.tensors.array.sets import unique
from tfpy._src.tensors.array.slicing import gather, one_hot, slice as slice_, where
from tfpy._src.tensors.array.sorting import searchsorted, top_k
from tfpy._src.tensors.linalg.diagonals import diag, set_diag


def ints(array: Array) -> list[int]:
    """Return the integers of a host array."""
    return [int(n) for n in array.reshape(-1)]


def sizes(array: Array) -> list[int]:
    """Return a shape in the model, or one that it computed.

    Raises:
        ModelFileError: If the shape is invalid.
    """
    found = ints(array)
    count = 1
    for size in found:
        count *= size
        if size < 0 or count > MAX_BYTES:
            raise ModelFileError(f"A tensor cannot have the shape {found[:40]}.")
    return found


@operation("RESHAPE", moves=True)
def _reshape(x: Any, shape: Array | None = None, *, new_shape: Array) -> Any:
    return reshape(x, ints(new_shape if shape is None else shape))


@operation("TRANSPOSE", moves=True)
def _transpose(x: Any, perm: Array) -> Any:
    return transpose(x, ints(perm))


@operation("EXPAND_DIMS", moves=True)
def _expand_dims(x: Any, axis: Array) -> Any:
    return expand_dims(x, ints(axis)[0])


@operation("SQUEEZE", moves=True)
def _squeeze(x: Any, *, squeeze_dims: Array) -> Any:
    return squeeze(x, ints(squeeze_dims) or None)


@operation("SHAPE")
def _shape(x: Any) -> Array:
    return np.array(x.shape, np.int32)


op("RANK", lambda x: np.array(len(x.shape), np.int32))


@operation("BROADCAST_TO", moves=True)
def _broadcast_to(x: Any, shape: Array) -> Any:
    return broadcast_to(x, sizes(shape))


@operation("BROADCAST_ARGS")
def _broadcast_args(x: Array, y: Array) -> Array:
    return np.array(np.broadcast_shapes(tuple(ints(x)), tuple(ints(y))), np.int32)


@operation("FILL", moves=True)
def _fill(dims: Array, value: Any) -> Any:
    return fill(sizes(dims), value)


@operation("RANGE")
def _range(start: Array, limit: Array, delta: Array, *, gives: list[Info]) -> Any:
    first, last, step = (array.reshape(()).item() for array in (start, limit, delta))
    if step == 0 or abs((last - first) / step) > MAX_BYTES:
        raise ModelFileError(f"The range from {first} to {last} with the step {step} is invalid.")
    return range_(first, last, step, gives[0].tensor_dtype)


@operation("CONCATENATION", moves=True)
def _concat(*values: Any, axis: int, fused_activation_function: int) -> Any:
    return activated(concat(list(values), axis), fused_activation_function)


@operation("PACK", moves=True)
def _pack(*values: Any, axis: int) -> Any:
    return stack(list(values), axis)


@operation("UNPACK", moves=True)
def _unpack(x: Any, *, num: int, axis: int) -> Any:
    return unstack(x, num, axis)


@operation("SPLIT", moves=True)
def _split(axis: Array, x: Any, *, num_splits: int) -> Any:
    return split(x, num_splits, ints(axis)[0])


@operation("SPLIT_V", moves=True)
def _split_v(x: Any, parts: Array, axis: Array) -> Any:
    return split(x, ints(parts), ints(axis)[0])


@operation("TILE", moves=True)
def _tile(x: Any, multiples: Array) -> Any:
    sizes(np.array(x.shape) * multiples)
    return tile(x, ints(multiples))


@operation("REVERSE_V2", moves=True)
def _reverse(x: Any, axes: Array) -> Any:
    return reverse(x, ints(axes))


@operation("REVERSE_SEQUENCE", moves=True)
def _reverse_sequence(x: Any, lengths: Any, *, seq_dim: int, batch_dim: int) -> Any:
    return reverse_sequence(x, lengths, seq_dim, batch_dim)


def _widths(paddings: Array, x: Any) -> list[list[int]]:
    found = paddings.reshape(-1, 2)
    sizes(np.array(x.shape) + found.sum(axis=1))
    return [[int(before), int(behind)] for before, behind in found]


@operation("PAD")
def _pad(x: Any, paddings: Array) -> Any:
    return pad(x, _widths(paddings, x))


@operation("PADV2")
def _pad_v2(x: Any, paddings: Array, value: Any) -> Any:
    return pad(x, _widths(paddings, x), constant_values=value)


@operation("MIRROR_PAD", moves=True)
def _mirror_pad(x: Any, paddings: Array, *, mode: int) -> Any:
    return pad(x, _widths(paddings, x), "SYMMETRIC" if mode else "REFLECT")


@operation("BATCH_TO_SPACE_ND", moves=True)
def _batch_to_space(x: Any, block: Array, crops: Array) -> Any:
    return batch_to_space(x, ints(block), crops)


@operation("SPACE_TO_BATCH_ND")
def _space_to_batch(x: Any, block: Array, paddings: Array) -> Any:
    return space_to_batch(x, ints(block), paddings)


op("DEPTH_TO_SPACE", lambda x, *, block_size: depth_to_space(x, block_size), moves=True)
op("SPACE_TO_DEPTH", lambda x, *, block_size: space_to_depth(x, block_size), moves=True)


@operation("SLICE", moves=True)
def _slice(x: Any, begin: Array, size: Array) -> Any:
    return slice_(x, ints(begin), ints(size))


@operation("STRIDED_SLICE", moves=True)
def _strided_slice(
    x: Any, begin: Array, end: Array, strides: Array, *, begin_mask: int, end_mask: int,
    ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int, offset: bool,
) -> Any:  # fmt: skip
    last = begin + end if offset else end
    return strided_slice(
        x, ints(begin), ints(last), ints(strides), begin_mask, end_mask, ellipsis_mask,
        new_axis_mask, shrink_axis_mask,
    )  # fmt: skip


@operation("GATHER", moves=True)
def _gather(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    return gather(params, indices, axis=axis, batch_dims=batch_dims)


op("EMBEDDING_LOOKUP", lambda ids, table: gather(table, ids, axis=0))
op("GATHER_ND", lambda x, indices: gather_nd(x, indices), moves=True)
op("WHERE", lambda condition: where(condition))


@operation("SCATTER_ND")
def _scatter_nd(indices: Any, updates: Any, shape: Array) -> Any:
    return scatter_nd(indices, updates, sizes(shape))


@operation("SPARSE_TO_DENSE")
def _sparse_to_dense(indices: Any, shape: Array, values: Any, default: Any) -> Any:
    places = convert_to_tensor(indices)
    size = sizes(shape)
    if places.ndim < 2:
        places = reshape(places, [-1, len(size)])
    rows = broadcast_to(values, [places.aval.shape[0]])
    return tensor_scatter_nd_update(fill(size, default), places, rows)


@operation("DYNAMIC_UPDATE_SLICE")
def _dynamic_update_slice(x: Any, update: Any, start: Any) -> Any:
    """Replace a slice. Its start is clipped so that the slice is inside."""
    first = np.zeros(len(x.shape), np.int32) if start is None else start
    return dynamic_slices.dynamic_update_slice(x, update, first)


@operation("ONE_HOT")
def _one_hot(indices: Any, depth: Array, on: Any, off: Any, *, axis: int) -> Any:
    return one_hot(indices, ints(depth)[0], on, off, axis)


@operation("TOPK_V2", moves=True)
def _top_k(x: Any, k: Array) -> Any:
    return tuple(top_k(x, ints(k)[0]))


op("UNIQUE", lambda x: tuple(unique(x)))


@operation("BUCKETIZE")
def _bucketize(x: Any, *, boundaries: Array) -> Any:
    flat = reshape(cast(x, np.float32), [-1])
    edges = boundaries.astype(np.float32)
    return reshape(searchsorted(edges, flat, side="right"), x.shape)


op("MATRIX_DIAG", lambda x: diag(x))
op("MATRIX_SET_DIAG", lambda x, diagonal: set_diag(x, diagonal))
op("SEGMENT_SUM", lambda x, ids: segment_sum(x, ids))

for _name, _function in {
    "UNSORTED_SEGMENT_MAX": unsorted_segment_max,
    "UNSORTED_SEGMENT_MIN": unsorted_segment_min,
    "UNSORTED_SEGMENT_PROD": unsorted_segment_prod,
    "UNSORTED_SEGMENT_SUM": unsorted_segment_sum,
}.items():

    @operation(_name)
    def _segments(x: Any, ids: Any, count: Array, f: Any = _function) -> Any:
        return f(x, ids, ints(count)[0])


@operation("NON_MAX_SUPPRESSION_V4")
def _suppressed(boxes: Any, scores: Any, most: Array, iou: Array, score: Array) -> Any:
    size = ints(most)[0]
    return padded(suppressed(boxes, scores, size, below(iou), score), size)


@operation("NON_MAX_SUPPRESSION_V5")
def _suppressed_softly(
    boxes: Array, scores: Array, most: Array, iou: Array, score: Array, sigma: Array
) -> Any:
    overlap, least, soft = (float(array.item()) for array in (iou, score, sigma))
    kept, left = non_max_suppression_with_scores(boxes, scores, ints(most)[0], overlap, least, soft)
    rest = [[0, ints(most)[0] - kept.shape[0]]]
    return pad(kept, rest), pad(left, rest), np.array(kept.shape[0], np.int32)


@operation("DILATE")
def _dilate(x: Any, dilations: Array, value: Any) -> Any:
    """Insert copies of a value between elements."""
    steps = ints(dilations)
    wide = sizes(np.array([(n - 1) * s + 1 for n, s in zip(x.shape, steps, strict=True)]))
    places = np.indices(tuple(x.shape)).reshape(len(steps), -1).T * np.array(steps)
    spread = fill(wide, reshape(value, []))
    return tensor_scatter_nd_update(spread, cast(places.astype(np.int32), int32), reshape(x, [-1]))
