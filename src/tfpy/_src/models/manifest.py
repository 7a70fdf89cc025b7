"""``weightsManifest`` of TensorFlow.js: which weights lie where in which files.

A manifest is a list of groups. The bytes of a group are those of its files, one after another; they
hold the group's weights, one after another, without gaps.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.graphs.checked import a_list, a_number, a_size, a_string, an_object
from tfpy._src.graphs.errors import ModelFileError
from tfpy._src.models.paths import checked_path

Array = np.ndarray[Any, Any]

STORED = {"float32": "<f4", "int32": "<i4", "bool": "|u1", "complex64": "<c8"}
"""dtype of a weight -> what its bytes are as NumPy says it; strings are apart."""
QUANTIZED = {"uint8": "|u1", "uint16": "<u2", "float16": "<f2"}
STRING = "string"
OPTIMIZER = "optimizer"
"""The group of weights that are what an optimizer keeps."""
_DTYPES = {text: np.dtype(text) for text in (*STORED.values(), *QUANTIZED.values())}
_LENGTH = struct.Struct("<I")  # stands before each string
_WHOLE = {int}


@dataclass(frozen=True)
class Quantization:
    """A weight is ``stored * scale + min``; float16 is stored as it is."""

    dtype: str
    scale: float = 1.0
    min: float = 0.0


class WeightSpec(NamedTuple):
    """What a manifest says of one weight."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None = None
    group: str | None = None
    """:data:`OPTIMIZER` for what an optimizer keeps."""

    @property
    def elements(self) -> int:
        """The number of its elements."""
        return math.prod(self.shape)

    @property
    def stored(self) -> np.dtype[Any]:
        """What its bytes are."""
        quantized = self.quantization
        return _DTYPES[QUANTIZED[quantized.dtype] if quantized else STORED[self.dtype]]


@dataclass(frozen=True)
class Group:
    """Files, and the weights in them."""

    paths: tuple[str, ...]
    weights: tuple[WeightSpec, ...]

    @functools.cached_property
    def size(self) -> int | None:
        """The number of bytes in its files; None where only they tell."""
        if any(spec.dtype == STRING for spec in self.weights):
            return None
        return sum(spec.elements * spec.stored.itemsize for spec in self.weights)


def read_manifest(value: Any) -> list[Group]:
    """The groups of a manifest.

    Raises:
        ModelFileError: for what is none; the text names the place.
    """
    groups = [
        _group(entry, f"weightsManifest[{i}]")
        for i, entry in enumerate(a_list(value, "weightsManifest"))
    ]
    seen: set[tuple[str, str | None]] = set()
    for spec in (spec for group in groups for spec in group.weights):
        if (spec.name, spec.group) in seen:
            raise ModelFileError(f"weightsManifest has two weights with the name {spec.name!r}")
        seen.add((spec.name, spec.group))
    return groups


def _group(value: Any, what: str) -> Group:
    entry = an_object(value, what)
    paths = a_list(entry.get("paths"), f"{what}.paths")
    weights = a_list(entry.get("weights"), f"{what}.weights")
    return Group(
        tuple(checked_path(path, f"{what}.paths[{i}]") for i, path in enumerate(paths)),
        tuple(_spec(spec, f"{what}.weights[{i}]") for i, spec in enumerate(weights)),
    )


def _spec(value: Any, what: str) -> WeightSpec:
    entry = an_object(value, what)
    name = a_string(entry.get("name"), f"{what}.name")
    what = f"weight {name!r}"
    shape = a_list(entry.get("shape"), f"{what}.shape")
    if shape and not (
        _WHOLE.issuperset(map(type, shape)) and 0 <= min(shape) <= max(shape) < 1 << 31
    ):
        shape = [a_size(size, f"{what}: a size") for size in shape]
    dtype = a_string(entry.get("dtype"), f"{what}.dtype")
    if dtype not in STORED and dtype != STRING:
        raise ModelFileError(f"{what} has the unknown dtype {dtype!r}")
    quantization = None
    if entry.get("quantization") is not None:
        quantization = _quantization(entry["quantization"], dtype, what)
    group = entry.get("group")
    group = None if group is None else str(group)
    return WeightSpec(name, tuple(shape), dtype, quantization, group)


def _quantization(value: Any, dtype: str, what: str) -> Quantization:
    entry = an_object(value, f"{what}.quantization")
    stored = a_string(entry.get("dtype"), f"{what}.quantization.dtype")
    if stored not in QUANTIZED:
        raise ModelFileError(f"{what} is quantized to the unknown dtype {stored!r}")
    if dtype not in (("float32",) if stored == "float16" else ("float32", "int32")):
        raise ModelFileError(f"{what} of dtype {dtype} cannot be quantized to {stored}")
    if stored == "float16":
        return Quantization(stored)
    scale, least = (a_number(entry.get(k), f"{what}.quantization.{k}") for k in ("scale", "min"))
    return Quantization(stored, scale, least)


def joined(group: Group, shards: Sequence[bytes]) -> bytes:
    """The bytes of a group's files, which must be as many as its weights take.

    Raises:
        ModelFileError: for more or fewer.
    """
    size = sum(map(len, shards))
    if group.size is not None and size != group.size:
        raise ModelFileError(
            f"the files {', '.join(group.paths)} have {size} bytes; their weights take {group.size}"
        )
    return b"".join(shards)


def decoded(group: Group, data: bytes) -> Iterator[tuple[WeightSpec, Array]]:
    """The weights of a group with their values, which are views of the bytes where they can be.

    Strings come as an array of ``bytes``.

    Raises:
        ModelFileError: when the bytes end too early, or are not used up.
    """
    for spec, stored in _stored(group, data):
        yield spec, _reshaped(spec, stored)


def lazily_decoded(group: Group, data: bytes) -> Iterator[tuple[str, Array | Callable[[], Array]]]:
    """The weights of a group by name, as :func:`decoded`; functions make those that are quantized,
    so that they are as large as in the file until they are asked for.

    Raises:
        ModelFileError: when the bytes end too early, or are not used up.
    """
    for spec, stored in _stored(group, data):
        if spec.quantization is None:
            yield spec.name, _reshaped(spec, stored)
        else:
            yield spec.name, functools.partial(_reshaped, spec, stored)


def _reshaped(spec: WeightSpec, stored: Array) -> Array:
    return _values(spec, stored).reshape(spec.shape)


def _stored(group: Group, data: bytes) -> Iterator[tuple[WeightSpec, Array]]:
    """The weights of a group as they lie in its bytes."""
    at = 0
    for spec in group.weights:
        if spec.dtype == STRING:
            values, at = _strings(spec, data, at)
        else:
            dtype, count = spec.stored, spec.elements
            end = at + count * dtype.itemsize
            if end > len(data):
                raise ModelFileError(f"the files end within weight {spec.name!r}")
            is_aligned = at % dtype.itemsize == 0 and count
            part = (data, dtype, count, at) if is_aligned else (data[at:end], dtype)
            values, at = np.frombuffer(*part), end
        yield spec, values
    if at != len(data):
        raise ModelFileError(f"{len(data) - at} bytes after the last weight belong to none")


def _values(spec: WeightSpec, stored: Array) -> Array:
    quantized = spec.quantization
    if quantized is None:
        return stored.astype(bool) if spec.dtype == "bool" else stored
    if quantized.dtype == "float16":
        return stored.astype(np.float32)
    values = stored * quantized.scale + quantized.min  # in float64, as JavaScript's numbers
    return (np.floor(values + 0.5) if spec.dtype == "int32" else values).astype(spec.dtype)


def _strings(spec: WeightSpec, data: bytes, at: int) -> tuple[Array, int]:
    if spec.elements > (len(data) - at) // _LENGTH.size:
        raise ModelFileError(f"the files end within weight {spec.name!r}")
    values = np.empty(spec.elements, object)
    for i in range(spec.elements):
        start = at + _LENGTH.size
        if start > len(data):
            raise ModelFileError(f"the files end within weight {spec.name!r}")
        at = start + _LENGTH.unpack_from(data, at)[0]
        if at > len(data):
            raise ModelFileError(f"the files end within weight {spec.name!r}")
        values[i] = data[start:at]
    return values, at
