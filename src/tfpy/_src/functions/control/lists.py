"""Lists of tensors as values of a Graph: TensorArrays in loops, and residuals of their gradients.

A list is a scalar of dtype variant. On the host it is a tuple of items, which stay on their
devices. Items that were never written are None and count as zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import dtypes
from tfpy._src.base.errors import OutOfRangeError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import register
from tfpy._src.core.conversion import constant
from tfpy._src.core.tape import SUMS
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.tensors.array import joining
from tfpy._src.tensors.array.making import zeros

LIST = Aval((), dtypes.variant)
Items = tuple[Any, ...]


def _boxed(items: Items) -> Any:
    box = np.empty((), object)
    box[()] = items
    return box


def _tensor(items: Items) -> list[Tensor]:
    return [Tensor(LIST, host_storage(_boxed(items), LIST))]


def _lasting(item: Tensor) -> Tensor:
    """Protect an item from `tf.tidy`, because the item must live as long as its lists."""
    item.kept = True
    return item


def _items(value: Tensor) -> Items:
    box: Any = value.storage.to_host()
    return tuple(box[()])


def _set(items: Items, index: int, item: Any, limit: int | None = None) -> Items:
    if index < 0 or (limit is not None and index >= limit):
        raise OutOfRangeError(
            None,
            "TensorArrayWrite",
            f"Tried to write to index {index} but array is not resizeable and size is: {limit}",
        )
    padded: Items = (*items, *[None] * (index + 1 - len(items)))
    return (*padded[:index], item, *padded[index + 1 :])


def _get(items: Items, index: int) -> Any:
    return items[index] if 0 <= index < len(items) else None


def _gives_list(*avals: Aval, **attrs: Any) -> Any:
    return (LIST,)


def _define(
    name: str, ref: Any, execute: Any, gradient: Any, infer: Any = None, at: tuple[int, ...] = ()
) -> ControlOp:
    return register(
        ControlOp(
            name,
            "control",
            infer or _gives_list,
            lambda *arrays, **attrs: (ref(*arrays, **attrs),),
            multiple=True,
            execute=execute,
            gradient=gradient,
            host_operands=lambda **attrs: at,
        )
    )


def _placed(items: Sequence[Any], places: Sequence[int], length: int) -> Items:
    by_place = dict(zip(places, items, strict=True))
    return tuple(by_place.get(i) for i in range(length))


list_make: ControlOp = _define(
    "list_make",
    lambda *arrays, places, length: _boxed(_placed(arrays, places, length)),
    lambda *tensors, places, length: _tensor(_placed([*map(_lasting, tensors)], places, length)),
    lambda flowing, outputs, inputs, places, length: [
        get(flowing[0], constant(i), x.aval) for i, x in zip(places, inputs, strict=True)
    ],
)

list_set: ControlOp = _define(
    "list_set",
    lambda box, index, x, limit: _boxed(_set(box[()], int(index), x, limit)),
    lambda box, index, x, limit: _tensor(
        _set(_items(box), int(index.host_view()), _lasting(x), limit)
    ),
    lambda flowing, outputs, inputs, limit: [
        list_clear.apply([flowing[0], inputs[1]])[0],
        None,
        get(flowing[0], inputs[1], inputs[2].aval),
    ],
    at=(1,),
)

list_clear: ControlOp = _define(
    "list_clear",
    lambda box, index: _boxed(_set(box[()], int(index), None)),
    lambda box, index: _tensor(_set(_items(box), int(index.host_view()), None)),
    lambda flowing, outputs, inputs: [list_clear.apply([flowing[0], inputs[1]])[0], None],
    at=(1,),
)

list_get: ControlOp = _define(
    "list_get",
    lambda box, index, aval: _or_zeros(_get(box[()], int(index)), aval),
    lambda box, index, aval: [_or_zero_tensor(_get(_items(box), int(index.host_view())), aval)],
    lambda flowing, outputs, inputs, aval: [set_(empty(), inputs[1], flowing[0]), None],
    infer=lambda box, index, aval: (aval,),
    at=(1,),
)

list_add: ControlOp = _define(
    "list_add",
    lambda a, b: _boxed(_added(a[()], b[()])),
    lambda a, b: _tensor(_added(_items(a), _items(b))),
    lambda flowing, outputs, inputs: [flowing[0], flowing[0]],
)

list_stack: ControlOp = _define(
    "list_stack",
    lambda box, count, aval: np.stack([_or_zeros(_get(box[()], i), aval) for i in range(count)]),
    lambda box, count, aval: [
        joining.stack([_or_zero_tensor(_get(_items(box), i), aval) for i in range(count)])
    ],
    lambda flowing, outputs, inputs, count, aval: [unstack(flowing[0])],
    infer=lambda box, count, aval: (Aval((count, *aval.shape), aval.dtype),),
)

list_unstack: ControlOp = _define(
    "list_unstack",
    lambda x: _boxed(tuple(x)),
    lambda x: _tensor(tuple(map(_lasting, joining.rows_of(x)))),
    lambda flowing, outputs, inputs: [
        stack(flowing[0], len(inputs[0]), Aval(inputs[0].aval.shape[1:], inputs[0].dtype))
    ],
)


def _or_zeros(array: Any, aval: Aval) -> Any:
    return np.zeros(aval.shape, aval.dtype.as_numpy_dtype) if array is None else array


def _or_zero_tensor(tensor: Tensor | None, aval: Aval) -> Tensor:
    if tensor is not None:
        return tensor
    return _tensor(())[0] if aval == LIST else zeros(aval.shape, aval.dtype)


def _added(first: Items, second: Items) -> Items:
    length = max(len(first), len(second))
    pairs = [(_get(first, i), _get(second, i)) for i in range(length)]
    return tuple(a if b is None else b if a is None else _sum(a, b) for a, b in pairs)


def _sum(first: Any, second: Any) -> Any:
    total = first + second
    return _lasting(total) if isinstance(total, Tensor) else total


def make(items: Sequence[Tensor | None]) -> Tensor:
    """Return the list of some tensors, with None for missing ones."""
    places = tuple(i for i, x in enumerate(items) if x is not None)
    found = [x for x in items if x is not None]
    return list_make.apply(found, places=places, length=len(items))[0]


def empty() -> Tensor:
    """Return the list without items."""
    return make([])


def set_(values: Tensor, index: Tensor, item: Tensor, limit: int | None = None) -> Tensor:
    """Return the list with one item replaced. The list is extended up to `limit` items."""
    return list_set.apply([values, index, item], limit=limit)[0]


def get(values: Tensor, index: Tensor, aval: Aval) -> Tensor:
    """Return an item with this aval; zeros if the item is missing."""
    return list_get.apply([values, index], aval=aval)[0]


def stack(values: Tensor, count: int, aval: Aval) -> Tensor:
    """Return the first `count` items, stacked along a new first axis."""
    if not count:
        return zeros((0, *aval.shape), aval.dtype)
    return list_stack.apply([values], count=count, aval=aval)[0]


def unstack(tensor: Tensor) -> Tensor:
    """Return the list of a tensor's slices along its first axis."""
    return list_unstack.apply([tensor])[0]


def add(first: Tensor, second: Tensor) -> Tensor:
    """Return the sum of two lists, item by item."""
    return list_add.apply([first, second])[0]


def avals_of(values: Tensor) -> list[Aval | None]:
    """Return the aval of each item of a concrete list, with None for missing items."""
    return [None if item is None else item.aval for item in _items(values)]


SUMS[dtypes.variant.name] = add
