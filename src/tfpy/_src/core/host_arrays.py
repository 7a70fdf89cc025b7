"""Conversion of Python and NumPy values to arrays, with TensorFlow's rules."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Set
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.operand import Operand
from tfpy._src.core.tensor_shape import TensorShape


def to_array(value: Any, wanted: DType | None, hint: Any, is_private: bool) -> np.ndarray[Any, Any]:
    """Return a private array with a dtype that tfpy supports.

    Args:
        wanted: Dtype of the result; None derives it from the value.
        hint: Dtype that is preferred if the value can take it.
        is_private: If True, an array that is passed may be kept without a copy.
    """
    if isinstance(value, TensorShape):
        value = _sizes(value, wanted)
    if is_array_like(value):
        found = np.asarray(value)
        own = dtypes.OF_NUMPY.get(found.dtype) or as_dtype(found.dtype)
        if wanted is None and hint is not None and dtypes.string not in (own, as_dtype(hint)):
            return _as_hinted(found, as_dtype(hint))
        dtype = wanted or own
        if dtypes.string in (own, dtype):
            _check_kind(value, own, dtype)
            return _as_bytes(found)
        _check_range(found, dtype)
        return found.astype(dtype.as_numpy_dtype, subok=False, copy=not is_private)
    if _begins_with_text(value):
        found = _texts(value)
        _check_kind(value, dtypes.string, wanted or dtypes.string)
        return _as_bytes(found)
    try:
        found = np.asarray(value)
    except ValueError:
        raise _non_rectangular(value) from None
    if found.dtype == object:
        found = _indices(found)
    is_sequence = isinstance(value, list | tuple)
    kinds = {type(leaf) for leaf in _leaf_values(value)} if is_sequence else {type(value)}
    beyond = found.dtype in _BEYOND and kinds <= {int} and (wanted is None or wanted.is_integer)
    if beyond:
        found = _unsigned(value)
    if found.dtype == object or (is_sequence and _holds_array_like(kinds)):
        raise ValueError(
            f"Attempt to convert a value of type {type(value).__name__} with an unsupported type "
            "or out-of-range integer to a Tensor."
        )
    own = dtypes.int32 if beyond else dtypes.OF_NUMPY.get(found.dtype) or as_dtype(found.dtype)
    if dtypes.X64 and not beyond:
        own = _of_python(value, found, own)
    if is_sequence:
        if not found.size:
            own = dtypes.float32
        elif _are_mixed(kinds, next(_leaf_values(value)), wanted):
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
        elif own.is_integer and not is_private:  # also for NumPy integers of any size
            own = _integer(found) if dtypes.X64 else dtypes.int32
    if wanted is None and hint is not None and _fits_hint(found, own, as_dtype(hint)):
        wanted = as_dtype(hint)
    if wanted is not None and found.size:
        _check_kind(value, own, wanted)
    dtype = wanted or own
    _check_range(found, dtype)
    if dtype == dtypes.string:
        return _as_bytes(found)
    with np.errstate(over="ignore"):  # 1e300 is infinite as float32
        return found.astype(dtype.as_numpy_dtype)


def _as_hinted(found: np.ndarray[Any, Any], hint: DType) -> np.ndarray[Any, Any]:
    """Convert the numbers of an array to the preferred dtype.

    TensorFlow casts arrays as NumPy does: imaginary parts are discarded, integers wrap.
    """
    if found.dtype.kind == "c" and not (hint.is_complex or hint.is_bool):
        found = found.real
    with np.errstate(all="ignore"):
        return found.astype(hint.as_numpy_dtype, subok=False)


def _of_python(value: Any, found: np.ndarray[Any, Any], own: DType) -> DType:
    """Return the dtype of Python numbers, which NumPy converts to its widest dtype.

    As in TensorFlow, the first number decides whether floats are Python's.
    """
    if own == dtypes.int64:
        return _integer(found)
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return dtypes.float32 if own == dtypes.float64 and type(value) in (float, int) else own


def _integer(found: np.ndarray[Any, Any]) -> DType:
    """Return int32, or int64 if int32 cannot hold the values."""
    fits = dtypes.int32.holds(found.min()) and dtypes.int32.holds(found.max())
    return dtypes.int32 if fits else dtypes.int64


_BEYOND = (np.dtype(np.uint64), np.dtype(np.float64))
"""The dtypes to which NumPy converts Python integers that exceed int64."""


def _unsigned(value: Any) -> np.ndarray[Any, Any]:
    """Convert Python integers to uint64.

    Raises:
        ValueError: If an integer is negative or too large.
    """
    try:
        return np.array(value, np.uint64)
    except OverflowError:
        raise ValueError(f"Can't convert integers to uint64: {value!r} is out of range.") from None


def is_array_like(value: Any) -> bool:
    """Return True if the value is an array or has `__array__`. Operands do not count."""
    return hasattr(value, "__array__") and not isinstance(value, Operand)


_NUMPY = {np.ndarray, *np.sctypeDict.values()}


def _holds_array_like(kinds: Set[type]) -> bool:
    """Return True if a sequence of these types has objects that only `__array__` can convert.

    TensorFlow converts single objects of this kind, but not items of a sequence.
    """
    return any(hasattr(k, "__array__") and not hasattr(k, "__len__") for k in kinds - _NUMPY)


def _sizes(shape: TensorShape, wanted: DType | None) -> np.ndarray[Any, Any]:
    """Return a static shape as an array of int32, after a check of the wanted dtype."""
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    if wanted is not None and wanted not in dtypes.INDICES:
        raise TypeError(
            f"Cannot convert TensorShape {shape} to dtype {wanted}. Allowed dtypes are tf.int32 "
            "and tf.int64."
        )
    return np.array(shape.as_list(), np.int32)


def _indices(found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Convert objects with `__index__`, such as Dimensions, to integers, and no other objects."""
    if not all(hasattr(v, "__index__") for v in found.flat):
        return found
    return np.array([operator.index(v) for v in found.flat]).reshape(found.shape)


def _begins_with_text(value: Any) -> bool:
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, str | bytes)


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple | range) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


def _non_rectangular(value: Any) -> ValueError:
    """Return the error for nested sequences whose lengths differ."""
    level = [value]
    while len({len(inner) for inner in level}) == 1:
        level = [one for inner in level for one in inner]
        nested = [_is_nested(one) for one in level]
        if not any(nested):  # the lengths agree, so NumPy has another reason
            return ValueError("Can't convert non-rectangular Python sequence to Tensor.")
        if not all(nested):
            return ValueError(
                "Can't convert non-rectangular Python sequence to Tensor: some of its elements are "
                "sequences, and others are not."
            )
    first = len(level[0])
    other = next(len(inner) for inner in level if len(inner) != first)
    return ValueError(
        f"Can't convert non-rectangular Python sequence to Tensor: rows have the lengths {first} "
        f"and {other}. Use tf.ragged.constant for rows of different lengths."
    )


def _texts(value: Any) -> np.ndarray[Any, Any]:
    """Return strings as an array of objects. NumPy's string dtypes drop trailing null bytes."""
    found = np.asarray(value, object)
    kinds = {type(v) for v in found.reshape(-1).tolist()}
    if kinds & {list, tuple}:
        raise _non_rectangular(value)
    if not all(issubclass(kind, str | bytes) for kind in kinds):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    return found


def _as_bytes(found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    values = found.reshape(-1).tolist()
    for value in values:
        if not isinstance(value, str | bytes):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor (Unsupported object type "
                f"{type(value).__name__}). An array of dtype object may contain only strings; "
                "convert others with array.astype first."
            )
    flat = [v.encode() if isinstance(v, str) else v for v in values]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(found.shape)


def _leaf_values(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _leaf_values(value)
        else:
            yield value


def _are_mixed(kinds: Set[type], first: Any, wanted: DType | None) -> bool:
    """Return True if NumPy would convert strings or numbers.

    Booleans may follow numbers, as 0 and 1. Numbers may follow them if a dtype is specified.

    Args:
        kinds: Types of the values.
        first: The first value.
    """
    are_strings = {issubclass(kind, str | bytes) for kind in kinds}
    return len(are_strings) > 1 or (wanted is None and type(first) is bool and kinds != {bool})


def _check_kind(value: Any, own: DType, wanted: DType) -> None:
    if not _kind_fits(own, wanted):
        raise TypeError(
            f"Cannot convert {value!r} to EagerTensor of dtype {wanted.name}; "
            "use tf.cast or pass values of that kind"
        )


def takes_booleans(dtype: DType) -> bool:
    """Return True if a dtype can represent a Python boolean as 0 or 1, by TensorFlow's rules."""
    is_traced = bool(tracing.local.active)
    return dtype.is_bool or dtype in _OF_BOOLEANS or (is_traced and dtype.is_numeric)


_OF_BOOLEANS = {
    *(dtypes.int32, dtypes.int64, dtypes.uint64),
    *(dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex128),
}
"""Dtypes that represent booleans outside of a `tf.function`, where all numeric dtypes do."""


def _kind_fits(own: DType, wanted: DType) -> bool:
    """Return True if values of the dtype `own` can be converted to `wanted`.

    Integers can become floats, and both complex numbers. `takes_booleans` has the rule for
    booleans.
    """
    if wanted.is_bool or dtypes.string in (own, wanted):
        return own == wanted
    if own.is_bool:
        return takes_booleans(wanted)
    return _generality(own) <= _generality(wanted)


def _fits_hint(found: np.ndarray[Any, Any], own: DType, hint: DType) -> bool:
    """Return True if Python values can take the preferred dtype.

    As in TensorFlow, booleans can only become numbers of the dtypes in `_OF_BOOLS`.
    """
    if own.is_bool and found.size and hint not in _OF_BOOLS:
        return False
    return not found.size or _kind_fits(own, hint)


_OF_BOOLS = (
    *(dtypes.bool, dtypes.int32, dtypes.int64, dtypes.uint64),
    *(dtypes.float16, dtypes.float32, dtypes.float64),
    *([dtypes.complex128] if dtypes.X64 else []),
)


def _generality(dtype: DType) -> int:
    return 0 if dtype.is_integer or dtype.is_bool else 1 if dtype.is_floating else 2


def _check_range(found: np.ndarray[Any, Any], dtype: DType) -> None:
    if dtype.is_integer and found.dtype.kind in "iu" and found.size:
        low, high = found.min(), found.max()
        if not (dtype.holds(low) and dtype.holds(high)):
            raise ValueError(
                f"Can't convert integers from {low} to {high} to {dtype.name}: out of range"
            )
