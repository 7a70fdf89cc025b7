"""Indexing: `tf.strided_slice`, `x[1, ..., ::2]`, masks, and updates of indexed elements."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.sizes import either, size_of, unranked
from tfpy._src.compiler.ops import logic, movement
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.dimension import Dimension
from tfpy._src.core.operand import Operand
from tfpy._src.core.operators import as_operator
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.slicing import boolean_mask, take
from tfpy._src.tensors.array.static import static_int, static_ints


def strided_slice(
    input_: TensorLike,
    begin: ShapeLike,
    end: ShapeLike,
    strides: ShapeLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: object = None,
    name: str | None = None,
) -> Tensor:
    """Return a strided slice of a tensor, as NumPy's indexing does.

    For two entries, the slice is `input_[begin[0]:end[0]:strides[0], begin[1]:end[1]:strides[1]]`.
    Dimensions without an entry are kept whole. If bit i of a mask is set, entry i is interpreted
    differently.

    Args:
        input_: Tensor of any dtype.
        begin: Vector with the first index of each entry.
        end: Vector with the end of each entry, which is exclusive.
        strides: Vector with the step of each entry. Default: ones.
        begin_mask: If bit i is set, `begin[i]` is ignored, and the entry starts at the first
            element (at the last one if the stride is negative).
        end_mask: If bit i is set, `end[i]` is ignored, and the entry extends to the last element
            (to the first one if the stride is negative).
        ellipsis_mask: If bit i is set, entry i is an ellipsis (`...`). At most one bit may be set.
        new_axis_mask: If bit i is set, entry i inserts a dimension of size 1.
        shrink_axis_mask: If bit i is set, entry i is the single index `begin[i]`, and its dimension
            is removed.
        var: Has no effect.

    Returns:
        Tensor of the selected elements, with the dtype of `input_`.

    Raises:
        tf.errors.InvalidArgumentError: If a stride is 0, a single index is out of range, there are
            more entries than dimensions, `ellipsis_mask` has more than one bit, or `begin`, `end`
            and `strides` have different lengths.

    Example:
        >>> import tfpy as tf
        >>> tf.strided_slice(tf.range(10), begin=[1], end=[8], strides=[3]).numpy().tolist()
        [1, 4, 7]

    See also: `tf.slice`, `tf.gather`.
    """
    x = convert_to_tensor(input_)
    starts, stops = static_ints(begin), static_ints(end)
    steps = (1,) * len(starts) if strides is None else static_ints(strides)
    if not len(starts) == len(stops) == len(steps):
        raise invalid(
            "strided_slice", f"begin {starts}, end {stops} and strides {steps} must be equally long"
        )
    if 0 in steps:
        raise invalid("strided_slice", f"strides[{steps.index(0)}] must be non-zero")
    if ellipsis_mask & (ellipsis_mask - 1):
        raise invalid("strided_slice", "Multiple ellipses in slice spec not allowed")
    keys: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            keys.append(Ellipsis)
        elif new_axis_mask & bit:
            keys.append(None)
        elif shrink_axis_mask & bit:
            keys.append(start)
        else:
            low = None if begin_mask & bit else start
            keys.append(builtins.slice(low, None if end_mask & bit else stop, step))
    try:
        return getitem(x, tuple(keys))
    except IndexError as error:
        raise invalid("strided_slice", str(error)) from None


@as_operator("getitem")
def getitem(tensor: Any, key: Any) -> Tensor:
    """Return `tensor[key]`.

    Args:
        tensor: Tensor of any dtype.
        key: Integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or a boolean mask.

    Returns:
        Tensor of the selected elements.

    Raises:
        InvalidArgumentError: If an index is out of range, there are too many indices, or a step is
            0.
        TypeError: If the key is of another type.
    """
    tensor = convert_to_tensor(tensor)
    keys = tuple(key) if isinstance(key, tuple | list) else (key,)
    if is_mask(key):
        return boolean_mask(tensor, key)
    if tracing.local.active and any(map(_is_traced, keys)):
        return _getitem_traced(tensor, _with_all_axes(keys, tensor))
    shape: list[int] = []
    picks: list[tuple[int, int, int]] = []
    for k in _with_all_axes(keys, tensor):
        if k is None:
            shape.append(1)
            continue
        axis = len(picks)
        if isinstance(k, builtins.slice):
            picks.append(_run(k, tensor.aval.shape[axis]))
            shape.append(picks[-1][1])
        else:
            picks.append((_position(k, axis, tensor), 1, 1))
    begin, size, strides = zip(*picks, strict=True) if picks else ((), (), ())
    part = tensor
    if picks != [(0, n, 1) for n in tensor.aval.shape]:
        part = movement.strided_slice(tensor, begin=begin, size=size, strides=strides)
        if not tracing.local.active and part.aval.shape == tuple(shape):
            return part
    return movement.reshape(
        part, shape=unranked(shape) if tensor.aval.is_unranked else tuple(shape)
    )


def is_mask(key: Any) -> bool:
    """Return True if `tensor[key]` means `tf.boolean_mask(tensor, key)`."""
    dtype = getattr(key, "dtype", None)
    return isinstance(key, bool) or (dtype is not None and dtype == dtypes.bool)


def assigned(tensor: Tensor, key: Any, value: TensorLike) -> Tensor:
    """Return `tensor` with `tensor[key]` replaced by `value`, which is broadcast.

    An index that is a traced tensor and out of range at run time changes nothing.

    Raises:
        InvalidArgumentError: If the value does not broadcast, an index is out of range, there are
            too many indices, or a step is 0.
        TypeError: If the key is of another type.
    """
    keys = key if isinstance(key, tuple) else (key,)
    shape: list[int] = []
    sizes: list[int] = []  # sizes of the indexed part along each axis
    spreads: list[tuple[int, Any]] = []
    hit: Any = None
    for k in _with_all_axes(keys, tensor):
        if k is None:
            shape.append(1)
            continue
        axis, n = len(sizes), tensor.aval.shape[len(sizes)]
        here: Any = None
        if isinstance(k, builtins.slice):
            begin, count, step = _run(k, n)
            at = begin + step * np.arange(count)
            shape.append(count)
            if (begin, count, step) != (0, n, 1):
                places, here = np.zeros(n, np.int32), np.zeros(n, np.bool_)
                places[at], here[at] = np.arange(count), True
                spreads.append((axis, places))
        elif _is_traced(k):
            index = _traced_index(k)
            here = logic.equal(np.arange(n, dtype=np.int32), _wrapped(index, n))
        else:
            here = np.arange(n) == _position(k, axis, tensor)
        sizes.append(count if isinstance(k, builtins.slice) else 1)
        if here is not None:
            line = reshape(here, [n if i == axis else 1 for i in range(tensor.ndim)])
            hit = line if hit is None else logic.logical_and(hit, line)
    given = convert_to_tensor(value, tensor.dtype)
    if 0 in shape:
        return tensor
    new = reshape(broadcast_to(given, shape), sizes)
    for axis, places in spreads:
        new = take(new, places, axis=axis)
    return new if hit is None else logic.select(hit, new, tensor)


def _is_traced(key: Any) -> bool:
    """Return True if an index is a traced tensor, which does not have a value yet."""
    return isinstance(key, Operand) and type(key) not in (Tensor, Sizes)


def _getitem_traced(tensor: Tensor, keys: list[Any]) -> Tensor:
    """Return `tensor[keys]` where some indices are traced; these are gathered after the others."""
    axis, gathers = 0, []
    for i, key in enumerate(keys):
        if _is_traced(key):
            gathers.append((axis, _traced_index(key)))
            keys[i] = builtins.slice(None)
        axis += key is None or isinstance(keys[i], builtins.slice)
    whole = all(key == builtins.slice(None) for key in keys)
    part = tensor if whole else getitem(tensor, tuple(keys))
    for at, index in reversed(gathers):
        part = take(part, _wrapped(index, part.aval.shape[at]), axis=at)
    return part


def _traced_index(key: Any) -> Tensor:
    """Return a traced index as a tensor, after checking that it is an integer scalar."""
    index = convert_to_tensor(key)
    if index.ndim or not index.dtype.is_integer:
        _index(key)
    return index


def _wrapped(index: Tensor, n: int) -> Tensor:
    """Return an index that counts from the front."""
    return logic.select(index < 0, index + n, index)


def _with_all_axes(keys: tuple[Any, ...], tensor: Tensor) -> list[Any]:
    """Return one key per axis (and None for new axes), with `...` expanded or added at the end."""
    rank = tensor.aval.rank
    dots = [i for i, k in enumerate(keys) if k is Ellipsis]
    if len(dots) > 1:
        raise invalid("strided_slice", "Multiple ellipses in slice spec not allowed")
    given = len([k for k in keys if k is not None and k is not Ellipsis])
    if given > rank == 0:
        raise invalid("strided_slice", "Attempting to slice scalar input.")
    if given > rank:
        raise invalid(
            "strided_slice",
            f"{given} indices for a tensor of {rank} dimensions, shape {list(tensor.shape)}",
        )
    at = dots[0] if dots else len(keys)
    rest = [builtins.slice(None)] * (rank - given)
    return [*keys[:at], *rest, *keys[at + 1 :]]


def _run(key: builtins.slice, n: int) -> tuple[int, int, int]:
    """Return the begin, size and stride of a slice of an axis of size `n`."""
    bounds = [_bound(v) for v in (key.start, key.stop, key.step)]
    if bounds[2] == 0:
        raise invalid("strided_slice", "slice step must not be 0")
    start, stop, step = builtins.slice(*bounds).indices(n)
    count = either(len(range(start, stop, step)), n, *(v for v in bounds if v is not None))
    return (start if count else 0), count, step


def _bound(value: Any) -> int | None:
    """Return a bound of a slice as an integer.

    A traced bound has no value, so that the function runs eagerly.
    """
    if value is None or type(value) is int:
        return value
    if isinstance(value, Dimension) and value.value is None:
        return None
    return _index(host_values(value) if _is_traced(value) else value)


def _position(key: Any, axis: int, tensor: Tensor) -> int:
    """Return an index as a non-negative integer, after checking its range."""
    n, i = tensor.aval.shape[axis], _index(key)
    if not -n <= i < n:
        raise invalid(
            "strided_slice",
            f"slice index {i} of dimension {axis} out of bounds, shape {list(tensor.aval.shape)}",
        )
    return i % n


def _index(value: Any) -> int:
    """Return an index as an integer, which may be open."""
    if type(value) is int:
        return value
    try:
        return static_int(value) if isinstance(value, Sizes) else size_of(operator.index(value))
    except TypeError:
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32 tensors are valid indices, got {value!r}"
        ) from None
