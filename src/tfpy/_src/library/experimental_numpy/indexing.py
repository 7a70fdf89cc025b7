"""NumPy's indexing of tensors by lists, arrays and tensors of positions or booleans.

As in TensorFlow, integers select before lists do, whereas NumPy broadcasts them with the lists.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core import primitives
from tfpy._src.core.dimension import Dimension
from tfpy._src.core.operand import DenseOperand
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.experimental_numpy.promotion import as_array, promoted
from tfpy._src.library.experimental_numpy.shaping import moveaxis
from tfpy._src.tensors.array import reshaping, slicing
from tfpy._src.tensors.array.indexing import getitem as basic_getitem, is_mask


def getitem(tensor: Any, key: Any) -> Tensor:
    """Return `tensor[key]` with NumPy's rules.

    Raises:
        IndexError: If an index is not an integer, slice, `...`, None, or array of integers or
            booleans.
        InvalidArgumentError: If an index is out of range, or there are too many indices.
    """
    if is_mask(key):
        return slicing.boolean_mask(tensor, key)
    keys = [_index(k) for k in (key if isinstance(key, tuple) else _as_keys(key))]
    lists = [(i, k) for i, k in enumerate(keys) if isinstance(k, Tensor) and k.ndim]
    if not lists:
        return basic_getitem(tensor, tuple(keys))
    for i, _ in lists:
        keys[i] = slice(None)
    part = basic_getitem(tensor, tuple(keys))
    ellipsis = next((i for i, k in enumerate(keys) if k is Ellipsis), len(keys))
    axes = [_axis(i, keys, ellipsis, part.ndim) for i, _ in lists]
    positions = promoted(*(k for _, k in lists))
    sides = {i > ellipsis for i, _ in lists}
    adjacent = len(sides) == 1 and axes == [*range(axes[0], axes[0] + len(axes))]
    if not adjacent:
        part = moveaxis(part, axes, [*range(len(axes))])
        axes = [*range(len(axes))]
    return _gathered(part, axes[0], positions)


def _as_keys(key: Any) -> tuple[Any, ...]:
    """Return the keys of an index that is not a tuple. A list of numbers is one key."""
    if not isinstance(key, list):
        return (key,)
    several = any(
        k is None
        or k is Ellipsis
        or isinstance(k, list | tuple | slice)
        or (isinstance(k, Tensor | np.ndarray) and k.ndim)
        for k in key
    )
    return tuple(key) if several else (key,)


def _index(key: Any) -> Any:
    """Return a key with numbers as integers, and lists and arrays as integer tensors."""
    if key is None or key is Ellipsis:
        return key
    if _is_integer(key):
        return key
    if isinstance(key, slice):
        return slice(*map(_bound, (key.start, key.stop, key.step)))
    return _positions(key)


def _is_integer(key: Any) -> bool:
    """Return True for an integer, and for a scalar tensor that can be an index as it is."""
    if isinstance(key, DenseOperand):
        return key.aval.rank == 0 and key.aval.dtype in (dtypes.int32, dtypes.int64)  # type: ignore[attr-defined]
    return isinstance(key, numbers.Integral | Dimension)


def _bound(value: Any) -> Any:
    if value is None or _is_integer(value):
        return value
    found = _positions(value)
    if found.ndim:
        raise _error(value)
    return found


def _positions(key: Any) -> Tensor:
    """Return positions as an int32 or int64 tensor. True elements of a mask are positions."""
    found = as_array(key)
    if found.dtype.is_bool:
        if found.ndim != 1:
            raise NotImplementedError(f"Need rank 1 for bool index {key}")
        return reshaping.reshape(slicing.where(found), [-1])
    if not found.dtype.is_integer:
        raise _error(key)
    if found.dtype in (dtypes.int32, dtypes.int64):
        return found
    return as_array(found, np.promote_types(np.int32, found.dtype.as_numpy_dtype))


def _error(key: Any) -> IndexError:
    return IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        f"boolean arrays are valid indices, got {key!r}"
    )


def _axis(i: int, keys: Sequence[Any], ellipsis: int, rank: int) -> int:
    """Return the axis of the part that key number `i` selects from. Integers removed their axes."""

    def remains(k: Any) -> bool:
        return k is None or isinstance(k, slice)

    if i < ellipsis:
        return sum(map(remains, keys[:i]))
    return rank - sum(map(remains, keys[i:]))


def _gathered(part: Tensor, axis: int, positions: Sequence[Tensor]) -> Tensor:
    """Select from adjacent axes, which are merged into one."""
    sizes = part.aval.shape[axis : axis + len(positions)]
    shape = np.broadcast_shapes(*(x.aval.shape for x in positions))
    place: Any = None
    for x, n in zip(positions, sizes, strict=True):
        wrapped = slicing.where(primitives.less(x, 0), primitives.add(x, n), x)
        place = wrapped if place is None else primitives.add(primitives.multiply(place, n), wrapped)
    if len(positions) > 1:
        merged = [
            *part.aval.shape[:axis],
            int(np.prod(sizes)),
            *part.aval.shape[axis + len(sizes) :],
        ]
        part = reshaping.reshape(part, merged)
    return slicing.take(part, reshaping.broadcast_to(place, shape), axis)
