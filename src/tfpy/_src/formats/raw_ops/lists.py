"""Lists of tensors: `TensorList...`, and `TensorArray...V3`, whose flow is the array.

Both are TensorArrays in tfpy. An operation returns a new array and leaves its input unchanged. The
number of elements is static during tracing.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import float32, int32
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import constant, convert_to_tensor, get_static_value, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op as operation
from tfpy._src.functions.control.list_items import description, is_list
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.tensors.array.joining import concat, stack
from tfpy._src.tensors.array.reshaping import shape
from tfpy._src.tensors.array.static import static_int, static_ints

Shape = tuple[int | None, ...] | None


def _shape(element_shape: Any) -> Shape:
    """Convert a shape tensor; a scalar means unknown rank, and -1 an unknown size."""
    if element_shape is None:
        return None
    sizes = np.asarray(host_values(element_shape))
    return tuple(None if n < 0 else int(n) for n in sizes) if sizes.ndim else None


def _like(dtype: Any, count: int, element_shape: Shape) -> TensorArray:
    return TensorArray(
        dtype, count, clear_after_read=False, infer_shape=False, element_shape=element_shape
    )


def _own(array: TensorArray) -> TensorArray:
    """Return a mutable copy of an array."""
    return array.copied()


def _known(array: TensorArray, element_shape: Any) -> TensorArray:
    """Return the array with the element shape of an operation, if it is fully known."""
    told = _shape(element_shape)
    sizes = [n for n in told or () if n is not None]
    return array if told is None or len(sizes) < len(told) else array.of_shape(sizes)


def _from_tensor(tensor: Any, element_shape: Any) -> TensorArray:
    x = convert_to_tensor(tensor)
    if not x.ndim:
        raise invalid("TensorListFromTensor", "Tensor must be at least a vector, but saw a scalar")
    return _own(_like(x.dtype, x.aval.shape[0], _shape(element_shape))).unstack(x)


def _scattered(array: TensorArray, indices: Any, value: Any) -> TensorArray:
    """Return the array with the rows of a tensor at these indices."""
    places = static_ints(indices)
    if places == tuple(range(array.length)):
        return _own(array).unstack(value)
    return _own(array).scatter(places, value)


def _list_scattered(
    tensor: Any, indices: Any, element_shape: Any, num_elements: Any = -1
) -> TensorArray:
    places, x = static_ints(indices), convert_to_tensor(tensor)
    count = max(static_int(num_elements), max(places, default=-1) + 1)
    return _scattered(_like(x.dtype, count, _shape(element_shape)), places, x)


def _resized(array: TensorArray, size: Any) -> TensorArray:
    count = static_int(size)
    kept = [array.element(i) if i < array.length else None for i in range(count)]
    return array.holding(kept)


def _pushed(array: TensorArray, tensor: Any) -> TensorArray:
    return _set(_resized(array, array.length + 1), array.length, tensor)


def _popped(array: TensorArray, element_shape: Any) -> tuple[TensorArray, Tensor]:
    if not array.length:
        raise invalid("TensorListPopBack", "Trying to pop from an empty list.")
    last = array.length - 1
    return _resized(array, last), _known(array, element_shape).read(last)


def _set(array: TensorArray, index: Any, item: Any, *, resize: bool = False) -> TensorArray:
    at = get_static_value(index)
    if resize and at is not None and int(at) >= array.length:
        array = _resized(array, int(at) + 1)
    return _own(array).write(index, item)


def _stacked(array: TensorArray, element_shape: Any, num_elements: int) -> Tensor:
    if num_elements not in (-1, array.length):
        raise invalid(
            "TensorListStack",
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{array.length} elements.",
        )
    return _known(array, element_shape).stack()


def _joined(array: TensorArray, element_shape: Any = None) -> tuple[Tensor, Tensor]:
    """Return the elements concatenated along their first axis, and the length of each."""
    parts = [_known(array, element_shape).read(i) for i in range(array.length)]
    return concat(parts, 0), stack([shape(part)[0] for part in parts])


def _lists_joined(a: TensorArray, b: TensorArray) -> TensorArray:
    return a.holding([x.element(i) for x in (a, b) for i in range(x.length)])


def _split(tensor: Any, element_shape: Any, lengths: Any) -> TensorArray:
    x, sizes = convert_to_tensor(tensor), static_ints(lengths)
    return _parts(_like(x.dtype, len(sizes), None), x, sizes)


def _parts(array: TensorArray, x: Any, sizes: Sequence[int]) -> TensorArray:
    bounds = np.cumsum([0, *sizes]).tolist()
    parts = [convert_to_tensor(x)[a:b] for a, b in itertools.pairwise(bounds)]
    return array.holding(parts)


def _array(
    size: Any,
    dtype: Any,
    element_shape: Any,
    dynamic_size: bool,
    clear_after_read: bool,
    identical_element_shapes: bool,
) -> tuple[TensorArray, TensorArray]:
    known = None if element_shape is None else tuple(element_shape)
    made = TensorArray(
        dtype,
        size,
        dynamic_size,
        clear_after_read=False,
        infer_shape=identical_element_shapes,
        element_shape=known,
    )
    return made, made


def _gathered(array: TensorArray, indices: Any, element_shape: Any) -> Tensor:
    """Stack the elements at some indices, or all of them in order."""
    told = None if element_shape is None or None in element_shape else tuple(element_shape)
    known = array if told is None else array.of_shape(told)
    if get_static_value(indices) is not None and static_ints(indices) == tuple(range(array.length)):
        return known.stack()
    return known.gather(indices)


def _told(array: TensorArray) -> Tensor:
    known = array.element_shape
    if known is None:
        return constant(-1)
    return constant([-1 if n is None else n for n in known], int32)


def op(text: str, function: Callable[..., Any], stateful: bool = False) -> None:
    """Register an operation on TensorArrays, which also accepts lists that functions return."""

    @functools.wraps(function)
    def taking_lists(*inputs: Any, **attrs: Any) -> Any:
        return function(*map(_array_of, inputs), **attrs)

    operation(text, taking_lists, stateful=stateful)


def _array_of(value: Any) -> Any:
    """Return the TensorArray of a list; other values are returned unchanged.

    Raises:
        NotTraceableError: If the length is known only at run time.
    """
    if not is_list(value):
        return value
    return TensorArray(description(value).dtype or float32, flow=value, infer_shape=False)


# TensorList

op(
    "EmptyTensorList(element_shape, max_num_elements; element_dtype) -> handle",
    lambda element_shape, max_num_elements, element_dtype: _like(
        element_dtype, 0, _shape(element_shape)
    ),
)
op(
    "TensorListReserve(element_shape, num_elements; element_dtype) -> handle",
    lambda element_shape, num_elements, element_dtype: _like(
        element_dtype, num_elements, _shape(element_shape)
    ),
)
op("TensorListFromTensor(tensor, element_shape) -> output_handle", _from_tensor)
op(
    "TensorListGetItem(input_handle, index, element_shape; element_dtype) -> item",
    lambda input_handle, index, element_shape: _known(input_handle, element_shape).read(index),
)
op(
    "TensorListSetItem(input_handle, index, item; resize_if_index_out_of_bounds=False) -> "
    "output_handle",
    lambda input_handle, index, item, resize_if_index_out_of_bounds: _set(
        input_handle, index, item, resize=resize_if_index_out_of_bounds
    ),
)
op(
    "TensorListStack(input_handle, element_shape; element_dtype, num_elements=-1) -> tensor",
    _stacked,
)
op(
    "TensorListGather(input_handle, indices, element_shape; element_dtype) -> values",
    lambda input_handle, indices, element_shape: _known(input_handle, element_shape).gather(
        indices
    ),
)
op("TensorListScatter(tensor, indices, element_shape) -> output_handle", _list_scattered)
op(
    "TensorListScatterV2(tensor, indices, element_shape, num_elements) -> output_handle",
    _list_scattered,
)
op(
    "TensorListScatterIntoExistingList(input_handle, tensor, indices) -> output_handle",
    lambda input_handle, tensor, indices: _scattered(
        _resized(input_handle, max(input_handle.length, *(i + 1 for i in static_ints(indices)))),
        indices,
        tensor,
    ),
)
op(
    "TensorListConcat(input_handle; element_dtype, element_shape=None) -> tensor, lengths",
    lambda input_handle: _joined(input_handle),
)
op(
    "TensorListConcatV2(input_handle, element_shape, leading_dims; element_dtype) -> tensor, "
    "lengths",
    lambda input_handle, element_shape, leading_dims: _joined(input_handle),
)
op("TensorListConcatLists(input_a, input_b; element_dtype) -> output", _lists_joined)
op("TensorListSplit(tensor, element_shape, lengths) -> output_handle", _split)
op("TensorListPushBack(input_handle, tensor) -> output_handle", _pushed)
op(
    "TensorListPopBack(input_handle, element_shape; element_dtype) -> output_handle, tensor",
    _popped,
)
op("TensorListLength(input_handle) -> length", lambda input_handle: constant(input_handle.length))
op("TensorListResize(input_handle, size) -> output_handle", _resized)
op("TensorListElementShape(input_handle; shape_type) -> element_shape", _told)

# TensorArray

op(
    "TensorArrayV3(size; dtype, element_shape=None, dynamic_size=False, "
    'clear_after_read=True, identical_element_shapes=False, tensor_array_name="") -> handle, '
    "flow",
    _array,
    stateful=True,
)
op(
    "TensorArrayWriteV3(handle, index, value, flow_in) -> flow_out",
    lambda handle, index, value, flow_in: _own(flow_in).write(index, value),
    stateful=True,
)
op(
    "TensorArrayReadV3(handle, index, flow_in; dtype) -> value",
    lambda handle, index, flow_in: flow_in.read(index),
    stateful=True,
)
op(
    "TensorArrayGatherV3(handle, indices, flow_in; dtype, element_shape=None) -> value",
    lambda handle, indices, flow_in, element_shape: _gathered(flow_in, indices, element_shape),
    stateful=True,
)
op(
    "TensorArrayScatterV3(handle, indices, value, flow_in) -> flow_out",
    lambda handle, indices, value, flow_in: _scattered(flow_in, indices, value),
    stateful=True,
)
op(
    "TensorArrayConcatV3(handle, flow_in; dtype, element_shape_except0=None) -> value, lengths",
    lambda handle, flow_in: _joined(flow_in),
    stateful=True,
)
op(
    "TensorArraySplitV3(handle, value, lengths, flow_in) -> flow_out",
    lambda handle, value, lengths, flow_in: _parts(flow_in, value, static_ints(lengths)),
    stateful=True,
)
op(
    "TensorArraySizeV3(handle, flow_in) -> size",
    lambda handle, flow_in: flow_in.size(),
    stateful=True,
)
op("TensorArrayCloseV3(handle)", lambda handle: None, stateful=True)
