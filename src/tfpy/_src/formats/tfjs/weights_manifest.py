"""TensorFlow.js's `weightsManifest`, which locates each weight in the weight files.

A manifest is a list of groups. The bytes of a group are the concatenation of its files. They
contain the group's weights one after another, without gaps.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.library.io.checked_json import (
    ModelFileError,
    a_list,
    a_number,
    a_size,
    a_string,
    an_object,
)

Array = np.ndarray[Any, Any]

STORED = {"float32": "<f4", "int32": "<i4", "bool": "|u1", "complex64": "<c8"}
"""NumPy dtype of the stored bytes, by dtype of the weight. Strings are handled separately."""
QUANTIZED = {"uint8": "|u1", "uint16": "<u2", "float16": "<f2"}
STRING = "string"
MAX_RANK = 254
"""Maximum number of axes of a weight, as in TensorFlow."""
_MAX_ELEMENTS = 1 << 53
"""Maximum number of elements of a weight. JSON cannot represent larger integers exactly."""
OPTIMIZER = "optimizer"
"""Name of the group of weights that are the state of an optimizer."""
_DTYPES = {text: np.dtype(text) for text in (*STORED.values(), *QUANTIZED.values())}
_BYTES = {STRING: 0} | {k: _DTYPES[text].itemsize for k, text in (STORED | QUANTIZED).items()}
_DTYPE_NAMES = {*STORED, STRING}
_LENGTH = struct.Struct("<I")  # precedes each string
_WHOLE = {int}


class WeightQuantization(NamedTuple):
    """The quantization of a weight: its value is `stored * scale + min`, except for float16."""

    dtype: str
    scale: float = 1.0
    min: float = 0.0


_HALVES = WeightQuantization("float16")


class WeightSpec(NamedTuple):
    """The entry of a weight in a manifest."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: WeightQuantization | None = None
    group: str | None = None
    """`OPTIMIZER` for the state of an optimizer, otherwise None."""

    @property
    def elements(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def stored(self) -> np.dtype[Any]:
        """NumPy dtype of the stored bytes."""
        quantized = self.quantization
        return _DTYPES[QUANTIZED[quantized.dtype] if quantized else STORED[self.dtype]]


@dataclass(frozen=True)
class WeightGroup:
    """Files, and the columns of `WeightSpec` for the weights in them."""

    paths: tuple[str, ...]
    names: Sequence[str]
    shapes: Sequence[tuple[int, ...]]
    dtypes: Sequence[str]
    quantizations: Sequence[WeightQuantization | None]
    groups: Sequence[str | None]

    @functools.cached_property
    def weights(self) -> list[WeightSpec]:
        """Specs of the weights."""
        columns = self.names, self.shapes, self.dtypes, self.quantizations, self.groups
        return list(map(WeightSpec, *columns))

    @functools.cached_property
    def size(self) -> int | None:
        """Number of bytes in the files. None if it is unknown, because there are strings."""
        return None if STRING in self.dtypes else sum(self._sizes)

    @functools.cached_property
    def _sizes(self) -> list[int]:
        """Number of bytes of each weight. 0 for strings: the files contain their length."""
        stored = [
            quantized.dtype if quantized else dtype
            for dtype, quantized in zip(self.dtypes, self.quantizations, strict=True)
        ]
        return list(map(operator.mul, map(math.prod, self.shapes), map(_BYTES.__getitem__, stored)))

    def places(self, data: bytes) -> list[int]:
        """Return the start of each weight in the bytes of the files, and the end of the last one.

        Raises:
            ModelFileError: If the number of bytes does not match the weights.
        """
        if self.size is not None:
            found = list(itertools.accumulate(self._sizes, initial=0))
        else:
            found = [0]
            for spec, size in zip(self.weights, self._sizes, strict=True):
                at = found[-1]
                is_text = spec.dtype == STRING
                found.append(_end_of_strings(spec, data, at) if is_text else at + size)
        if found[-1] > len(data):
            last = next(i for i, at in enumerate(found) if at > len(data)) - 1
            raise ModelFileError(f"the files end within weight {self.names[last]!r}")
        if found[-1] < len(data):
            raise ModelFileError(
                f"{len(data) - found[-1]} bytes after the last weight do not belong to a weight"
            )
        return found


def read_manifest(value: Any) -> list[WeightGroup]:
    """Read the groups of a manifest.

    Raises:
        ModelFileError: If the manifest is invalid. The message names the invalid entry.
    """
    groups = [
        _group(entry, f"weightsManifest[{i}]")
        for i, entry in enumerate(a_list(value, "weightsManifest"))
    ]
    names = [pair for group in groups for pair in zip(group.names, group.groups, strict=True)]
    if len(set(names)) < len(names):
        ((name, _), _) = Counter(names).most_common(1)[0]
        raise ModelFileError(f"weightsManifest has two weights with the name {name!r}")
    return groups


def _group(value: Any, what: str) -> WeightGroup:
    entry = an_object(value, what)
    paths = tuple(
        checked_path(path, f"{what}.paths[{i}]")
        for i, path in enumerate(a_list(entry.get("paths"), f"{what}.paths"))
    )
    weights = entry.get("weights")
    if type(weights) is tuple and _DTYPE_NAMES.issuperset(weights[2]):  # columns of checked_json
        names, shapes, dtypes = weights
        if shapes and (  # one check for all weights is faster, because a file has thousands
            max(map(len, shapes)) > MAX_RANK or max(map(math.prod, shapes)) >= _MAX_ELEMENTS
        ):
            for name, shape in zip(names, shapes, strict=True):
                _check_shape(name, shape)
        return WeightGroup(paths, names, shapes, dtypes, [None] * len(names), [None] * len(names))
    specs: list[WeightSpec] = []
    try:
        specs.extend(map(_spec, _entries(weights)))
    except ModelFileError as error:
        raise ModelFileError(f"{what}: weight {len(specs)}: {error}") from None
    names, shapes, dtypes, quantizations, groups = zip(*specs, strict=True) if specs else [()] * 5
    return WeightGroup(paths, names, shapes, dtypes, quantizations, groups)


def _entries(weights: Any) -> list[Any]:
    """Return the entries of a group, which may be given as columns."""
    if type(weights) is not tuple:
        return a_list(weights, "weights")
    return [{"name": n, "shape": [*s], "dtype": d} for n, s, d in zip(*weights, strict=True)]


def _spec(value: Any) -> WeightSpec:
    entry = an_object(value, "it")
    name = a_string(entry.get("name"), "name")
    shape = a_list(entry.get("shape"), "shape")
    if shape and not (
        _WHOLE.issuperset(map(type, shape)) and 0 <= min(shape) <= max(shape) < 1 << 31
    ):
        shape = [a_size(size, f"{name!r}: a size") for size in shape]
    _check_shape(name, shape)
    dtype = a_string(entry.get("dtype"), "dtype")
    if dtype not in _DTYPE_NAMES:
        raise ModelFileError(f"{name!r} has the unknown dtype {dtype!r}")
    quantized, group = entry.get("quantization"), entry.get("group")
    return WeightSpec(
        name,
        tuple(shape),
        dtype,
        None if quantized is None else _quantization(quantized, dtype, name),
        None if group is None else str(group),
    )


def _check_shape(name: str, shape: Sequence[int]) -> None:
    """Refuse shapes that weights cannot have, before their sizes are multiplied.

    Raises:
        ModelFileError: If there are too many axes or elements.
    """
    if len(shape) > MAX_RANK:
        raise ModelFileError(f"{name!r} has {len(shape)} axes; at most {MAX_RANK} are supported")
    if math.prod(shape) >= _MAX_ELEMENTS:
        raise ModelFileError(f"{name!r} has the shape {list(shape)[:8]}, which is too large")


def _quantization(value: Any, dtype: str, name: str) -> WeightQuantization:
    entry = an_object(value, "quantization")
    stored = a_string(entry.get("dtype"), "quantization.dtype")
    if stored not in QUANTIZED:
        raise ModelFileError(f"{name!r} is quantized to the unknown dtype {stored!r}")
    if dtype not in (("float32",) if stored == "float16" else ("float32", "int32")):
        raise ModelFileError(f"{name!r} of dtype {dtype} cannot be quantized to {stored}")
    if stored == "float16":
        return _HALVES
    scale = a_number(entry.get("scale"), "quantization.scale")
    return WeightQuantization(stored, scale, a_number(entry.get("min"), "quantization.min"))


def joined(group: WeightGroup, shards: Sequence[bytes], where: Callable[[str], str] = str) -> bytes:
    """Concatenate the bytes of a group's files.

    Args:
        group: The group.
        shards: Bytes of each file.
        where: Function that returns the name of a path for error messages.

    Raises:
        ModelFileError: If the number of bytes does not match the weights.
    """
    size = sum(map(len, shards))
    if group.size is not None and size != group.size:
        raise ModelFileError(
            f"the files {', '.join(map(where, group.paths))} have {size} bytes, but "
            f"their weights take {group.size}"
        )
    return b"".join(shards)


def decoded(group: WeightGroup, data: bytes) -> Iterator[tuple[WeightSpec, Array]]:
    """Yield the weights of a group with their values, which are views of the bytes if possible.

    Strings become an object array of `bytes`.

    Raises:
        ModelFileError: If the number of bytes does not match the weights.
    """
    for spec, (start, end) in zip(
        group.weights, itertools.pairwise(group.places(data)), strict=True
    ):
        yield spec, _values(spec, data, start, end)


class Arrived:
    """Received weights by name, which are decoded from their bytes when they are read.

    So quantized weights stay as small as in the file until they are needed.
    """

    def __init__(self) -> None:
        self._places: dict[str, tuple[WeightGroup, int, bytes, int, int]] = {}

    def add(self, group: WeightGroup, data: bytes) -> None:
        """Add the bytes of a group.

        Raises:
            ModelFileError: If the number of bytes does not match the weights.
        """
        places = group.places(data)
        numbers = range(len(places) - 1)
        each = zip(itertools.repeat(group), numbers, itertools.repeat(data), places, places[1:])
        self._places.update(zip(group.names, each, strict=True))

    def __call__(self, name: str) -> Array:
        """Return the values of a received weight."""
        group, number, data, start, end = self._places[name]
        return _values(group.weights[number], data, start, end)


def _values(spec: WeightSpec, data: bytes, start: int, end: int) -> Array:
    """Decode a weight from its bytes."""
    if spec.dtype == STRING:
        return _strings(spec, data, start).reshape(spec.shape)
    dtype, count = spec.stored, spec.elements
    is_aligned = start % dtype.itemsize == 0 and count
    part = (data, dtype, count, start) if is_aligned else (data[start:end], dtype)
    return _unpacked(spec, np.frombuffer(*part)).reshape(spec.shape)


def _unpacked(spec: WeightSpec, stored: Array) -> Array:
    quantized = spec.quantization
    if quantized is None:
        return stored.astype(bool) if spec.dtype == "bool" else stored
    if quantized.dtype == "float16":
        return stored.astype(np.float32)
    values = stored * quantized.scale + quantized.min  # in float64, like JavaScript's numbers
    return (np.floor(values + 0.5) if spec.dtype == "int32" else values).astype(spec.dtype)


def _strings(spec: WeightSpec, data: bytes, at: int) -> Array:
    values = np.empty(spec.elements, object)
    for i in range(spec.elements):
        start = at + _LENGTH.size
        at = start + _LENGTH.unpack_from(data, at)[0]
        values[i] = data[start:at]
    return values


def _end_of_strings(spec: WeightSpec, data: bytes, at: int) -> int:
    """Return the end of the strings, or a position after the data if the data is too short."""
    if spec.elements > (len(data) - at) // _LENGTH.size:
        return len(data) + 1
    for _ in range(spec.elements):
        if at + _LENGTH.size > len(data):
            return len(data) + 1
        at += _LENGTH.size + _LENGTH.unpack_from(data, at)[0]
    return at
