"""Constants, and conversions of dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.onnx.reader.record import Floats, Ints, Strings, operation
from tfpy._src.formats.onnx.reader.tensors import DTYPES
from tfpy._src.formats.onnx.reader.values import dtype_of, host, host_dtype, is_host, tensor
from tfpy._src.tensors.array.making import cast

_MAX_FLOATS = 8  # larger arrays leave the host; scales and bounds stay there
_NO_INFINITY = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz", "float4_e2m1fn")
_SATURATED = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")


@operation("Constant")
def constant(
    *, value: Array | None = None, sparse_value: Array | None = None,
    value_float: float | None = None, value_floats: Floats | None = None,
    value_int: int | None = None, value_ints: Ints | None = None, value_string: str | None = None,
    value_strings: Strings | None = None,
) -> Any:  # fmt: skip
    given: list[Array] = [one for one in (value, sparse_value) if one is not None]
    floats = [one for one in (value_float, value_floats) if one is not None]
    whole = [one for one in (value_int, value_ints) if one is not None]
    given += [np.asarray(one, np.float32) for one in floats]
    given += [np.asarray(one, np.int64) for one in whole]
    if value_string is not None:
        given.append(np.array(value_string.encode(), object))
    if value_strings is not None:
        given.append(np.array([text.encode() for text in value_strings], object))
    if len(given) != 1:
        raise invalid("Constant", f"the node must have one value, got {len(given)}")
    return Weights({"": given[0]}).value("")


def _text(value: Any) -> bytes:
    """Format a number as ONNX does."""
    if isinstance(value, np.floating):
        return b"NaN" if np.isnan(value) else b"INF" if value == np.inf else (
            b"-INF" if value == -np.inf else np.format_float_positional(value, trim="0").encode()
        )  # fmt: skip
    return str(value).encode()


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise invalid("Cast", f"{text[:40]!r} is not a number") from None


def cast_to(x: Any, number: int, saturate: int, op: str = "Cast") -> Any:
    """Convert a value to ONNX's dtype."""
    name = DTYPES.get(number, "")
    dtype = dtype_of(number, op)
    from_text = (x.dtype == object) if is_host(x) else x.dtype == "string"
    if name == "string" or from_text:
        return _cast_text(host(x) if from_text else _values(x), name, host_dtype(number, op))
    if is_host(x) and (name in ("int64", "int32", "bool", "uint8") or x.size <= _MAX_FLOATS):
        wide = {"float64": "float32", "complex128": "complex64"}.get(name, name)
        if not dtype.is_extension and x.dtype.kind in "iubf":
            with np.errstate(invalid="ignore"):
                return x.astype(host_dtype(number, op) if wide == name else wide)
    y = tensor(x)
    if name in _SATURATED and y.dtype.is_floating:
        return _small_float(y, name, bool(saturate))
    if dtype.is_integer and dtype.size < 4 and not dtype.is_extension and y.dtype.is_floating:
        return cast(cast(y, "int32"), dtype)  # values out of range wrap around
    return cast(y, dtype)


def _values(x: Any) -> Array:
    return x if is_host(x) else host(x)


def _cast_text(values: Array, name: str, dtype: Any) -> Any:
    made = np.empty(values.size, object)
    flat = values.reshape(-1)
    if name == "string":
        made[:] = [v if isinstance(v, bytes) else _text(v) for v in flat]
        return made.reshape(values.shape)
    numbers = np.array([_number(v) for v in flat], np.float64)
    return tensor(numbers.astype(dtype).reshape(values.shape))


def _small_float(x: Tensor, name: str, saturate: bool) -> Tensor:
    """Convert to an 8-bit float; values out of range saturate, or become infinite or NaN."""
    values = _values(x).astype(np.float32)
    target = dtype_of(next(n for n, known in DTYPES.items() if known == name), "Cast")
    most, kind = float(target.max), target.as_numpy_dtype
    if not saturate:
        return tensor(values.astype(kind))
    clipped = np.where(np.isnan(values), values, values.clip(-most, most))
    return tensor(clipped.astype(kind))


@operation("Cast")
def cast_(x: Any, *, to: int, saturate: int = 1, round_mode: str = "up") -> Any:
    return cast_to(x, to, saturate)


@operation("CastLike")
def cast_like(x: Any, target: Any, *, saturate: int = 1, round_mode: str = "up") -> Any:
    kind = target.dtype.name if not is_host(target) else str(target.dtype)
    names = {name: number for number, name in DTYPES.items()}
    return cast_to(x, names["string" if kind == "object" else kind], saturate)
