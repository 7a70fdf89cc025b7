"""Operations on shapes: queries, reshaping, joining, splitting, padding and repetition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import (
    all_positive,
    bounded,
    dtype_of,
    host,
    ints,
    is_host,
    positive,
    shape_of,
    tensor,
)
from tfpy._src.tensors.array.joining import concat, pad, split, tile
from tfpy._src.tensors.array.making import fill
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, transpose
from tfpy._src.tensors.array.slicing import gather, where


@operation("Shape")
def shape(data: Any, *, start: int = 0, end: int | None = None) -> Any:
    return np.array(shape_of(data)[start:end], np.int64)


@operation("Size")
def size(data: Any) -> Any:
    return np.array(math.prod(shape_of(data)), np.int64)


@operation("Reshape", since=5)
def reshape_(data: Any, shape: Array, *, allowzero: int = 0) -> Any:
    """Reshape; -1 infers a size, and 0 copies the input's size unless `allowzero` is set."""
    old, new = shape_of(data), list(ints(shape))
    for i, n in enumerate(new):
        if n == 0 and not allowzero:
            if i >= len(old):
                raise invalid(
                    "Reshape", f"{new} copies a dimension that the input {list(old)} does not have"
                )
            new[i] = old[i]
    if -1 in new:
        known = math.prod(n for n in new if n != -1)
        new[new.index(-1)] = math.prod(old) // known if known else 0
    sizes = bounded("Reshape", new)
    if math.prod(sizes) != math.prod(old):
        raise invalid("Reshape", f"cannot reshape {list(old)} to {list(ints(shape))}")
    return np.reshape(data, sizes) if is_host(data) else reshape(data, sizes)


@operation("Flatten")
def flatten(x: Any, *, axis: int = 1) -> Any:
    sizes = shape_of(x)
    axis = axis if axis == len(sizes) else positive(axis, len(sizes), "Flatten")
    return reshape(tensor(x), [math.prod(sizes[:axis]), math.prod(sizes[axis:])])


def _squeezed(data: Any, axes: Ints | None) -> Any:
    sizes = shape_of(data)
    if axes is None:
        axes = tuple(i for i, n in enumerate(sizes) if n == 1)
    gone = all_positive(axes, len(sizes), "Squeeze")
    if any(sizes[i] != 1 for i in gone):
        raise invalid("Squeeze", f"the axes {list(axes)} of {list(sizes)} must have size 1")
    left = [n for i, n in enumerate(sizes) if i not in gone]
    return np.reshape(data, left) if is_host(data) else reshape(data, left)


@operation("Squeeze", since=13)
def squeeze(data: Any, axes: Array | None = None) -> Any:
    return _squeezed(data, None if axes is None else ints(axes))


@operation("Squeeze")
def squeeze_1(data: Any, *, axes: Ints | None = None) -> Any:
    return _squeezed(data, axes)


def _unsqueezed(data: Any, axes: Ints) -> Any:
    sizes = list(shape_of(data))
    for axis in sorted(all_positive(axes, len(sizes) + len(axes), "Unsqueeze")):
        sizes.insert(axis, 1)
    return np.reshape(data, sizes) if is_host(data) else reshape(data, sizes)


@operation("Unsqueeze", since=13)
def unsqueeze(data: Any, axes: Array) -> Any:
    return _unsqueezed(data, ints(axes))


@operation("Unsqueeze")
def unsqueeze_1(data: Any, *, axes: Ints) -> Any:
    return _unsqueezed(data, axes)


@operation("Transpose")
def transpose_(data: Any, *, perm: Ints | None = None) -> Any:
    rank = len(shape_of(data))
    order = tuple(reversed(range(rank))) if perm is None else all_positive(perm, rank, "Transpose")
    if len(order) != rank:
        raise invalid("Transpose", f"{list(order)} is not a permutation of {rank} axes")
    return np.transpose(data, order) if is_host(data) else transpose(data, order)


@operation("Concat")
def concat_(*inputs: Any, axis: int = 1) -> Any:
    axis = positive(axis, len(shape_of(inputs[0])), "Concat")
    if is_host(*inputs):
        return np.concatenate(inputs, axis)
    return concat([tensor(x) for x in inputs], axis)


def _split(data: Any, sizes: Sequence[int], axis: int) -> Any:
    if sum(sizes) != shape_of(data)[axis] or min(sizes, default=0) < 0:
        raise invalid(
            "Split", f"cannot split {list(shape_of(data))} into {list(sizes)} along axis {axis}"
        )
    if is_host(data):
        return tuple(np.split(data, np.cumsum(sizes)[:-1], axis))
    return tuple(split(data, list(sizes), axis))


def _parts(size: int, count: int) -> list[int]:
    """Return the sizes of equal parts; the last one may be smaller."""
    each = -(-size // count)
    return [max(0, min(each, size - i * each)) for i in range(count)]


@operation("Split", since=13)
def split_(
    input: Any, split: Array | None = None, *, axis: int = 0, num_outputs: int | None = None,
    node: Node,
) -> Any:  # fmt: skip
    axis = positive(axis, len(shape_of(input)), "Split")
    count = len(node.outputs)
    sizes = _parts(shape_of(input)[axis], count) if split is None else list(ints(split))
    return _split(input, sizes, axis)


@operation("Split")
def split_2(input: Any, *, axis: int = 0, split: Ints | None = None, node: Node) -> Any:
    axis = positive(axis, len(shape_of(input)), "Split")
    sizes = _parts(shape_of(input)[axis], len(node.outputs)) if split is None else list(split)
    return _split(input, sizes, axis)


@operation("Expand")
def expand(data: Any, shape: Array) -> Any:
    try:
        sizes = np.broadcast_shapes(shape_of(data), bounded("Expand", shape))
    except ValueError:
        text = f"cannot broadcast {list(shape_of(data))} to {list(ints(shape))}"
        raise invalid("Expand", text) from None
    if is_host(data):
        return np.broadcast_to(data, bounded("Expand", sizes))
    return broadcast_to(data, bounded("Expand", sizes))


@operation("Tile", since=6)
def tile_(x: Any, repeats: Array) -> Any:
    times = bounded("Tile", repeats)
    if len(times) != len(shape_of(x)):
        raise invalid("Tile", f"repeats {list(times)} do not match the shape {list(shape_of(x))}")
    bounded("Tile", np.multiply(shape_of(x), times).tolist())
    return np.tile(x, times) if is_host(x) else tile(x, times)


@operation("ConstantOfShape")
def constant_of_shape(shape: Array, *, value: Array | None = None) -> Any:
    sizes = bounded("ConstantOfShape", shape)
    one = np.zeros(1, np.float32) if value is None else value.reshape(-1)
    if one.size != 1:
        raise invalid("ConstantOfShape", f"value must have one element, got {one.size}")
    if one.dtype.kind in "iub" and math.prod(sizes) <= 1024:
        return np.full(sizes, one[0])
    return fill(sizes, tensor(one[0]))


@operation("EyeLike")
def eye_like(x: Any, *, dtype: int | None = None, k: int = 0) -> Any:
    rows, columns = shape_of(x)
    made = np.eye(rows, columns, k)
    return tensor(
        made.astype(
            (tensor(x).dtype if dtype is None else dtype_of(dtype, "EyeLike")).as_numpy_dtype
        )
    )


@operation("Trilu")
def trilu(x: Any, k: Array | None = None, *, upper: int = 1) -> Any:
    """Keep the elements on and above (`upper`), or below, the k-th diagonal."""
    offset = 0 if k is None else ints(k)[0]
    rows, columns = shape_of(x)[-2:]
    # Broadcast differences, which need no rows × columns table on the host.
    distance = np.arange(columns)[None] - np.arange(rows)[:, None]
    kept = distance >= offset if upper else distance <= offset
    if is_host(x):
        return np.where(kept, x, np.zeros((), x.dtype))
    return where(kept, x, tensor(np.zeros((), x.dtype.as_numpy_dtype)))


@operation("Range")
def range_(start: Any, limit: Any, delta: Any, *, stash_type: int = 1) -> Any:
    first, last, step = (np.asarray(host(v).reshape(())) for v in (start, limit, delta))
    if not step:
        raise invalid("Range", "delta is 0")
    count = max(0, math.ceil((last.astype(float) - first) / step))
    bounded("Range", [count])
    return (first + np.arange(count) * step).astype(first.dtype)


@operation("DepthToSpace")
def depth_to_space(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Any:
    n, c, h, w = x.aval.shape
    b = blocksize
    if b < 1 or c % (b * b):
        raise invalid("DepthToSpace", f"{c} channels are not divisible by {b}²")
    if mode == "DCR":
        y = transpose(reshape(x, [n, b, b, c // b**2, h, w]), [0, 3, 4, 1, 5, 2])
    else:
        y = transpose(reshape(x, [n, c // b**2, b, b, h, w]), [0, 1, 4, 2, 5, 3])
    return reshape(y, [n, c // b**2, h * b, w * b])


@operation("SpaceToDepth")
def space_to_depth(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Any:
    n, c, h, w = x.aval.shape
    b = blocksize
    if b < 1 or h % b or w % b:
        raise invalid(
            "SpaceToDepth", f"an image of {h} × {w} is not divisible into blocks of {b} × {b}"
        )
    order = [0, 3, 5, 1, 2, 4] if mode == "DCR" else [0, 1, 3, 5, 2, 4]
    y = transpose(reshape(x, [n, c, h // b, b, w // b, b]), order)
    return reshape(y, [n, c * b * b, h // b, w // b])


_MODES = {"constant": "CONSTANT", "reflect": "REFLECT", "edge": "EDGE", "wrap": "WRAP"}


def _padded(x: Any, pads: Sequence[int], mode: str, value: Any) -> Any:
    """Pad an array; negative pads crop."""
    sizes, rank = shape_of(x), len(shape_of(x))
    if len(pads) != 2 * rank or mode not in _MODES:
        raise invalid("Pad", f"{len(pads)} pads or mode {mode!r} are invalid for {rank} axes")
    pairs = list(zip(pads[:rank], pads[rank:], strict=True))
    bounded("Pad", [max(0, a) + n + max(0, b) for n, (a, b) in zip(sizes, pairs, strict=True)])
    data = tensor(x)
    cut = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(sizes, pairs, strict=True))
    if any(min(pair) < 0 for pair in pairs):
        data = data[cut]
    pairs = [(max(0, a), max(0, b)) for a, b in pairs]
    if mode == "constant":
        return pad(data, pairs, constant_values=0 if value is None else value)
    for axis, (a, b) in enumerate(pairs):
        data = _extended(data, axis, a, b, mode) if a or b else data
    return data


def _extended(x: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    """Extend an axis with copies of its elements."""

    n = x.aval.shape[axis]
    if not n:
        raise invalid("Pad", f"an empty axis cannot be padded in the mode {mode!r}")
    at = np.arange(-before, n + after)
    if mode == "edge":
        at = at.clip(0, n - 1)
    elif mode == "wrap":
        at = at % n
    else:
        period = max(1, 2 * (n - 1))
        at = np.abs(at) % period
        at = np.minimum(at, period - at) if n > 1 else at * 0
    return gather(x, at.astype(np.int32), axis=axis)


@operation("Pad", since=11)
def pad_(
    data: Any, pads: Array, constant_value: Any = None, axes: Array | None = None, *,
    mode: str = "constant",
) -> Any:  # fmt: skip
    rank, given = len(shape_of(data)), ints(pads)
    if axes is not None:
        chosen, found = all_positive(ints(axes), rank, "Pad"), [0] * (2 * rank)
        if len(given) != 2 * len(chosen):
            raise invalid("Pad", f"{len(given)} pads do not match {len(chosen)} axes")
        for i, axis in enumerate(chosen):
            found[axis], found[axis + rank] = given[i], given[i + len(chosen)]
        given = tuple(found)
    value = None if constant_value is None else reshape(tensor(constant_value), [])
    return _padded(data, given, mode, value)


@operation("Pad")
def pad_2(data: Tensor, *, pads: Ints, mode: str = "constant", value: float = 0.0) -> Any:
    return _padded(data, pads, mode, value)


@operation("CenterCropPad")
def center_crop_pad(x: Tensor, shape: Array, *, axes: Ints | None = None) -> Any:
    """Crop or zero-pad axes symmetrically to given sizes."""
    sizes, rank = shape_of(x), len(shape_of(x))
    chosen = range(rank) if axes is None else all_positive(axes, rank, "CenterCropPad")
    pads = [0] * (2 * rank)
    for axis, wanted in zip(chosen, bounded("CenterCropPad", shape), strict=True):
        more = wanted - sizes[axis]
        before = more // 2 if more > 0 else -(-more // 2)
        pads[axis], pads[axis + rank] = before, more - before
    return _padded(x, pads, "constant", None)
