"""Serialization of arrays and specs, for cached and saved datasets."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import DataLossError, OpError
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import nest
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import from_array
from tfpy._src.data import structure
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.value_specs import NoneTensorSpec
from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_size, a_string, an_object
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec

_Fact = tuple[str, list[int], list[int]]
"""Dtype (empty for strings), shape, and lengths of the strings of an array."""
_DTYPE = re.compile(r"\|[biuV]1|[<>](i[248]|u[248]|f[248]|c8|c16|V2)")
"""NumPy's names of dtypes. `V` stands for dtypes of the package ml_dtypes."""
_MAX_RANK = 32
_SPARSE_PARTS = 3


def write_element(file: IO[bytes], element: Flat) -> None:
    """Append an element: a line of JSON that describes the arrays, and their bytes.

    Raises:
        TypeError: If a leaf is a dataset.
    """
    arrays = [array for leaf in element for array in _parts(leaf)]
    blocks = [_bytes(array) for array in arrays]
    facts = [
        [a.dtype.str if a.dtype != object else "", list(a.shape), lengths]
        for a, (_, lengths) in zip(arrays, blocks, strict=True)
    ]
    counts = [len(_parts(leaf)) for leaf in element]
    file.write(json.dumps([counts, facts]).encode() + b"\n")
    for data, _ in blocks:
        file.write(data)


def _parts(leaf: Any) -> list[Array]:
    """Return the arrays of a leaf."""
    if leaf is None:
        return []
    if isinstance(leaf, Composite):
        return [part.host_view() for part in leaf.components]
    if not isinstance(leaf, np.ndarray):
        raise TypeError("Elements that are datasets cannot be saved. Use flat_map first.")
    return [leaf]


def _bytes(array: Array) -> tuple[bytes, list[int]]:
    """Return the bytes, and the lengths of strings."""
    if array.dtype != object:
        return array.tobytes(), []
    texts = array.reshape(-1).tolist()
    return b"".join(texts), [len(text) for text in texts]


class ElementFile:
    """A file of elements, with a limit for the size of an element.

    Args:
        file: The file.
        size: Number of bytes of the file; None for a file that is decompressed while it is read.
    """

    def __init__(self, file: IO[bytes], size: int | None) -> None:
        self._file = file
        self._end = size
        self._room = Room()

    def begin(self) -> None:
        """Begin an element."""
        self._room = Room()

    def line(self) -> bytes:
        """Return the next line, empty at the end of the file."""
        with _unpacking():
            found = self._file.readline(self._room.limit + 1)
        self._reserve(len(found))
        return found

    def read(self, size: int) -> bytes:
        """Return bytes of an element.

        Raises:
            DataLossError: If the file ends first, or the element is too large.
        """
        if self._end is None:
            self._reserve(size)
        elif size > self._end - self._file.tell():
            raise _lost("the file ends within an element")
        with _unpacking():
            data = self._file.read(size)
        if len(data) != size:
            raise _lost("the file ends within an element")
        return data

    def _reserve(self, size: int) -> None:
        too_large = self._room.refusal("an element", size) if self._end is None else None
        if too_large is not None:
            raise _lost(too_large)


@contextlib.contextmanager
def _unpacking() -> Iterator[None]:
    """Convert the errors of corrupt GZIP files."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _lost(f"the file is corrupt: {error}") from None


def _lost(why: str) -> DataLossError:
    return DataLossError(None, "load", why)


def read_elements(source: ElementFile, spec: Any) -> Iterator[Flat]:
    """Yield the elements of a file.

    Raises:
        DataLossError: If the file ends within an element, is corrupt, or does not match the spec.
    """
    specs = structure.flatten(spec)
    source.begin()
    while line := source.line():
        counts, facts = _head(line, specs)
        arrays = iter([_array(source, *fact) for fact in facts])
        yield tuple(
            _leaf(s, [next(arrays) for _ in range(count)])
            for s, count in zip(specs, counts, strict=True)
        )
        source.begin()


def _head(line: bytes, specs: Sequence[Any]) -> tuple[list[int], list[_Fact]]:
    """Return the number of arrays of each leaf, and the description of each array."""
    try:
        counts, facts = (a_list(value, "a list of an element") for value in _pair(line))
        counts = [a_size(count, "a number of arrays") for count in counts]
        found = [_fact(fact) for fact in facts]
    except ModelFileError as error:
        raise _lost(str(error)) from None
    fits = len(counts) == len(specs) and all(map(_has_parts, specs, counts))
    if not fits or sum(counts) != len(found):
        raise _lost(
            f"{len(found)} arrays in leaves with {counts[:20]} arrays do not match the spec"
        )
    return counts, found


def _pair(line: bytes) -> list[Any]:
    try:
        found = a_list(json.loads(line), "the head of an element")
    except (RecursionError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ModelFileError(f"the head of an element is not valid JSON: {error}") from None
    if len(found) != 2:
        raise ModelFileError(f"the head of an element has {len(found)} values, not 2")
    return found


def _fact(value: Any) -> _Fact:
    """Check dtype, shape and lengths of an array."""
    fact = a_list(value, "an array")
    if len(fact) != 3:
        raise ModelFileError(f"the description of an array has {len(fact)} values, not 3")
    dtype, shape, lengths = fact[0], a_list(fact[1], "a shape"), a_list(fact[2], "lengths")
    shape = [a_size(size, "a size") for size in shape]
    lengths = [a_size(length, "a length") for length in lengths]
    if len(shape) > _MAX_RANK:
        raise ModelFileError(f"an array has {len(shape)} axes; at most {_MAX_RANK} are supported")
    if not isinstance(dtype, str) or (dtype and not _DTYPE.fullmatch(dtype)):
        raise ModelFileError(f"an array has the unsupported dtype {str(dtype)[:40]!r}")
    if dtype == "" and math.prod(shape) != len(lengths):
        raise ModelFileError(f"{len(lengths)} strings do not fill the shape {shape}")
    return dtype, shape, lengths


def _has_parts(spec: Any, count: int) -> bool:
    """Return True if a leaf of the spec may consist of that many arrays."""
    if isinstance(spec, RaggedTensorSpec):
        return count >= 1
    if isinstance(spec, SparseTensorSpec):
        return count == _SPARSE_PARTS
    return count == (0 if isinstance(spec, NoneTensorSpec) else 1)


def _array(source: ElementFile, dtype: str, shape: list[int], lengths: list[int]) -> Array:
    if dtype:
        size = math.prod(shape) * np.dtype(dtype).itemsize
        return np.frombuffer(source.read(size), dtype).reshape(shape)
    found = np.empty(len(lengths), object)
    found[:] = [source.read(length) for length in lengths]
    return found.reshape(shape)


def _leaf(spec: Any, parts: list[Array]) -> Any:
    try:
        return _made(spec, parts)
    except (ValueError, OpError) as error:
        raise _lost(f"the arrays do not form a {type(spec).__name__}: {error}") from None


def _made(spec: Any, parts: list[Array]) -> Any:
    if isinstance(spec, RaggedTensorSpec) and len(parts) > 1:
        return RaggedTensor.from_nested_row_splits(from_array(parts[0]), parts[1:])
    if isinstance(spec, SparseTensorSpec):
        return SparseTensor(*map(from_array, parts))
    return parts[0] if parts else None


# Specs


def spec_to_json(spec: Any) -> Any:
    """Return a nest of specs as JSON. Named tuples and attrs objects become tuples.

    Raises:
        TypeError: If a component is a dataset.
    """
    if isinstance(spec, Mapping):
        return {"mapping": {key: spec_to_json(item) for key, item in spec.items()}}
    if structure.is_nested(spec):
        return {"tuple": [spec_to_json(item) for item in nest.contents(spec)]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": []}
    if isinstance(spec, DatasetSpec):
        raise TypeError("Elements that are datasets cannot be saved. Use flat_map first.")
    shape = None if spec.shape.rank is None else list(spec.shape)
    facts = [shape, spec.dtype.name]
    if isinstance(spec, RaggedTensorSpec):
        return {"ragged": [*facts, spec.ragged_rank]}
    return {"sparse" if isinstance(spec, SparseTensorSpec) else "tensor": facts}


_KINDS: dict[str, Any] = {"tensor": TensorSpec, "ragged": RaggedTensorSpec}
_KINDS |= {"sparse": SparseTensorSpec, "none": NoneTensorSpec}
_FACTS_OF = {"tensor": 2, "ragged": 3, "sparse": 2, "none": 0}


def spec_from_json(value: Any) -> Any:
    """Return the nest of specs that JSON describes.

    Raises:
        ModelFileError: If the value does not describe specs.
    """
    entry = an_object(value, "a spec")
    if len(entry) != 1:
        raise ModelFileError(f"a spec must have exactly one kind, got {[*entry][:10]}")
    ((kind, facts),) = entry.items()
    if kind == "mapping":
        return {k: spec_from_json(item) for k, item in an_object(facts, "a mapping").items()}
    if kind == "tuple":
        return tuple(map(spec_from_json, a_list(facts, "a tuple")))
    return _spec(kind, a_list(facts, "a spec"))


def _spec(kind: str, facts: list[Any]) -> Any:
    if kind not in _KINDS or len(facts) != _FACTS_OF[kind]:
        raise ModelFileError(f"invalid spec {kind!r} with the values {facts[:10]}")
    if not facts:
        return NoneTensorSpec()
    shape, dtype, *more = facts
    sizes = None
    if shape is not None:
        sizes = [n if n is None else a_size(n, "a size") for n in a_list(shape, "a shape")]
    try:
        return _KINDS[kind](sizes, as_dtype(a_string(dtype, "a dtype")), *map(_rank, more))
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"invalid spec {kind!r} with the values {facts[:10]}: {error}"
        ) from None


def _rank(value: Any) -> int:
    return a_size(value, "a ragged rank")
