"""The specs of a `.tflite` file's tensors, and the arrays of its constants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io.checked_json import ModelFileError

MAX_BYTES = 1 << 31
"""Maximum size of a value with a computed shape."""
MAX_RANK = 8
RESOURCE = "resource"
TYPES = (
    "float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8",
    "float64", "complex128", "uint64", RESOURCE, "variant", "uint32", "uint16", "int4", "bfloat16",
    "int2", "uint4",
)  # fmt: skip
"""Names of dtypes by number."""

_PACKED = {"int4": 4, "uint4": 4, "int2": 2}  # bits; unpacked values have at least one byte
_WIDER = {"int4": "int8", "int2": "int8", "uint4": "uint8"}
_NARROWER = {"float64": "float32", "complex128": "complex64"}
_NOT_NUMBERS = frozenset(("string", RESOURCE, "variant"))
_QUANTIZED = frozenset(("int8", "uint8", "int16", "int32", "int64", "int4", "int2"))


@dataclass(frozen=True, eq=False)
class Quantization:
    """A quantization: the integer q represents (q - zero) * scale."""

    scale: Array
    zero: Array
    """Zero point; float32 like the scale, with one element or one per index of the axis."""
    axis: int

    def shaped(self, rank: int) -> tuple[Array, Array]:
        """Return the scale and zero point in shapes that broadcast against a tensor."""
        if self.scale.size == 1:
            return self.scale.reshape(()), self.zero.reshape(())
        shape = [1] * rank
        shape[self.axis] = -1
        return self.scale.reshape(shape), self.zero.reshape(shape)

    def real(self, array: Array) -> Array:
        """Dequantize an array."""
        scale, zero = self.shaped(array.ndim)
        real: Array = (array.astype(np.float32) - zero) * scale
        return real

    def same(self, other: Quantization | None) -> bool:
        """Return True if both quantizations map integers to the same numbers."""
        return other is not None and (
            np.array_equal(self.scale, other.scale) and np.array_equal(self.zero, other.zero)
        )


@dataclass(frozen=True, eq=False)
class Info:
    """The spec of a tensor in the file."""

    dtype: str
    """NumPy's name of the dtype; types smaller than a byte are widened."""
    shape: tuple[int, ...]
    signature: tuple[int | None, ...] | None
    """Shape with None for dynamic sizes; None if the rank is unknown."""
    quantization: Quantization | None

    @property
    def bytes_each(self) -> int:
        """Number of bytes of an element, as float32 for quantized tensors."""
        if self.quantization is not None:
            return 4
        return 8 if self.dtype in _NOT_NUMBERS else self.tensor_dtype.size

    @property
    def tensor_dtype(self) -> DType:
        """Dtype of the tensor in tfpy."""
        return as_dtype(_NARROWER.get(self.dtype, self.dtype))


def info_of(tensor: dict[str, Any]) -> Info:
    """Return the spec of a tensor's table.

    Raises:
        ModelFileError: If the table is invalid.
    """
    dtype = type_name(tensor["type"])
    shape = tuple(tensor["shape"].tolist())
    signature: tuple[int, ...] = tuple(tensor["shape_signature"].tolist()) or shape
    if len(shape) > MAX_RANK or min(shape, default=0) < 0 or len(signature) != len(shape):
        raise ModelFileError(
            f"The tensor {tensor['name']!r} has the invalid shape {list(shape)[:40]}."
        )
    said = tuple(None if size < 0 else size for size in signature)
    quantization = None
    if tensor["quantization"] and dtype in _QUANTIZED:
        quantization = _quantization(tensor["quantization"], shape, tensor["name"])
    return Info(_WIDER.get(dtype, dtype), shape, said, quantization)


def type_name(number: int) -> str:
    """Return the name of a dtype.

    Raises:
        ModelFileError: If there is no dtype with this number.
    """
    if not 0 <= number < len(TYPES):
        raise ModelFileError(f"There is no dtype number {number}.")
    return TYPES[number]


def _quantization(table: dict[str, Any], shape: tuple[int, ...], name: str) -> Quantization | None:
    scale, zero, axis = table["scale"], table["zero_point"], table["quantized_dimension"]
    if not scale.size:
        return None
    if zero.size != scale.size:
        zero = np.broadcast_to(zero[:1] if zero.size else np.zeros(1, np.int64), scale.shape)
    fits = scale.size == 1 or (0 <= axis < len(shape) and shape[axis] == scale.size)
    if not fits or not np.isfinite(scale).all():
        raise ModelFileError(f"The quantization of the tensor {name!r} does not match its shape.")
    return Quantization(scale.astype(np.float32), zero.astype(np.float32), axis)


def constant_of(tensor: dict[str, Any], info: Info, data: Array) -> Array:
    """Convert the bytes of a constant's buffer to an array.

    Raises:
        ModelFileError: If they do not match the tensor.
    """
    name, dtype = tensor["name"], type_name(tensor["type"])
    count = math.prod(info.shape)
    if dtype == "string":
        return _strings(data, name, count).reshape(info.shape)
    if dtype in (RESOURCE, "variant"):
        raise ModelFileError(f"The constant {name!r} has the unsupported dtype {dtype}.")
    sparsity = tensor["sparsity"]
    if sparsity is None:
        return _values(data, dtype, count, name).reshape(info.shape)
    size = _bytes_each(dtype)
    return _spread(_values(data, dtype, int(len(data) / size), name), sparsity, info.shape, name)


def _bytes_each(dtype: str) -> float:
    if dtype in _PACKED:
        return _PACKED[dtype] / 8
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


def _values(data: Array, dtype: str, count: int, name: str) -> Array:
    if len(data) != math.ceil(count * _bytes_each(dtype)):
        raise ModelFileError(
            f"{name!r} has {count} elements of {dtype}, which do not match {len(data)} bytes."
        )
    if dtype in _PACKED:
        return _unpacked(data, _PACKED[dtype], dtype.startswith("i"))[:count]
    if dtype == "bool":
        return data != 0
    if dtype == "bfloat16":
        wide: Array = (data.view("<u2").astype(np.uint32) << 16).view(np.float32)
        return wide
    found = data.view(np.dtype(dtype).newbyteorder("<"))
    return found.astype(_NARROWER.get(dtype, dtype), copy=False)


def _unpacked(data: Array, bits: int, is_signed: bool) -> Array:
    """Unpack elements of a few bits, the low bits of a byte first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    found = ((data[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1).astype(np.int8)
    if is_signed:
        return np.where(found >> (bits - 1), found - (1 << bits), found).astype(np.int8)
    return found.view(np.uint8)


def _strings(data: Array, name: str, count: int) -> Array:
    """Return strings, stored as: count, start of each string, end of the last one, characters."""
    head = data[: len(data) // 4 * 4].view("<i4")
    if len(head) < count + 2 or head[0] != count:
        raise ModelFileError(f"{name!r} does not have {count} strings.")
    ends = head[1 : count + 2].tolist()
    if ends != sorted(ends) or ends[0] < 0 or ends[-1] > len(data):
        raise ModelFileError(f"The strings of {name!r} are not in the file.")
    raw = data.tobytes()
    found = np.empty(count, object)
    found[:] = [raw[a:b] for a, b in pairwise(ends)]
    return found


def _spread(values: Array, sparsity: dict[str, Any], shape: tuple[int, ...], name: str) -> Array:
    """Convert a sparse tensor to a dense array.

    The values are the leaves of a tree. Each level is an axis of the tensor, cut into blocks, or an
    axis within a block. A dense level has all indices of its axis; a sparse level has a list of
    indices.
    """
    order, levels = sparsity["traversal_order"].tolist(), sparsity["dim_metadata"]
    blocks, rank = sparsity["block_map"].tolist(), len(shape)
    axes = [*range(rank), *blocks]
    if sorted(order) != list(range(len(axes))) or len(levels) != len(order):
        raise ModelFileError(f"The levels of the sparse tensor {name!r} do not match its shape.")
    if any(not 0 <= axis < rank for axis in axes) or len(set(blocks)) < len(blocks):
        raise ModelFileError(f"The blocks of the sparse tensor {name!r} do not match its shape.")
    places: list[Array] = []
    most = max(math.prod(shape), 1)
    count = 1
    for level in levels:
        if level["format"] == 0:
            size = level["dense_size"]
            if size < 0 or count * size > most:
                raise ModelFileError(f"The sparse tensor {name!r} has too many values.")
            repeats: Any = size
            found = np.tile(np.arange(size), count)
        else:
            ends, found = _vector(level["array_segments"]), _vector(level["array_indices"])
            repeats = np.diff(ends)
            if len(ends) != count + 1 or ends[0] or ends[-1] != len(found) or (repeats < 0).any():
                raise ModelFileError(f"The segments of the sparse tensor {name!r} are invalid.")
        counts = np.asarray(repeats, np.intp)  # int32 in a browser
        places = [np.repeat(place, counts) for place in places]
        places.append(found)
        count = len(found)
    if count != len(values) or len(order) > len(places):
        raise ModelFileError(
            f"The sparse tensor {name!r} has {len(values)} values, expected {count}."
        )
    at = [np.zeros(count, np.int64) for _ in shape]
    inner = {rank + i: levels[order.index(rank + i)]["dense_size"] for i in range(len(blocks))}
    for place, which in sorted(zip(places, order, strict=True), key=lambda pair: pair[1]):
        axis = axes[which]
        at[axis] = at[axis] * inner[which] + place if which >= rank else at[axis] + place
    if any(a.size and not 0 <= a.min() <= a.max() < n for a, n in zip(at, shape, strict=True)):
        raise ModelFileError(f"The sparse tensor {name!r} has values outside of its shape.")
    spread = np.zeros(shape, values.dtype)
    spread[tuple(at)] = values
    return spread


def _vector(table: dict[str, Any] | None) -> Array:
    found: Array = np.zeros(0) if table is None else table["values"]
    return found.astype(np.int64)
