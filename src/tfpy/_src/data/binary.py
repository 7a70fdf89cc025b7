"""Arrays and specs as bytes: what cached and saved datasets consist of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np

from tfpy._src.composite.ragged.tensor import RaggedTensor
from tfpy._src.composite.sparse_tensor import SparseTensor
from tfpy._src.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.core import nest
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import from_array
from tfpy._src.data import structure
from tfpy._src.data.specs import DatasetSpec, NoneTensorSpec
from tfpy._src.data.structure import Flat
from tfpy._src.errors import DataLossError
from tfpy._src.function.signature import TensorSpec
from tfpy._src.ir.aval import Array


def write_element(file: IO[bytes], element: Flat) -> None:
    """Appends an element: a line of JSON that says what follows, and the bytes.

    Raises:
        TypeError: for datasets among its leaves.
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
    """The arrays of a leaf."""
    if leaf is None:
        return []
    if isinstance(leaf, Composite):
        return [part.host_view() for part in leaf.components]
    if not isinstance(leaf, np.ndarray):
        raise TypeError("elements that are datasets cannot be saved; use flat_map first")
    return [leaf]


def _bytes(array: Array) -> tuple[bytes, list[int]]:
    """The bytes, and the lengths of texts."""
    if array.dtype != object:
        return array.tobytes(), []
    texts = array.reshape(-1).tolist()
    return b"".join(texts), [len(text) for text in texts]


def read_elements(file: IO[bytes], spec: Any) -> Iterator[Flat]:
    """The elements of a file.

    Raises:
        DataLossError: when it ends within one.
    """
    specs = structure.flatten(spec)
    while line := file.readline():
        counts, facts = json.loads(line)
        arrays = iter([_array(file, *fact) for fact in facts])
        yield tuple(
            _leaf(s, [next(arrays) for _ in range(count)])
            for s, count in zip(specs, counts, strict=True)
        )


def _array(file: IO[bytes], dtype: str, shape: list[int], lengths: list[int]) -> Array:
    if dtype:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        return np.frombuffer(_read(file, size), dtype).reshape(shape)
    found = np.empty(len(lengths), object)
    found[:] = [_read(file, length) for length in lengths]
    return found.reshape(shape)


def _read(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise DataLossError(None, "load", "the file ends within an element")
    return data


def _leaf(spec: Any, parts: list[Array]) -> Any:
    if isinstance(spec, RaggedTensorSpec) and len(parts) > 1:
        return RaggedTensor.from_nested_row_splits(from_array(parts[0]), parts[1:])
    if isinstance(spec, SparseTensorSpec):
        return SparseTensor(*map(from_array, parts))
    return parts[0] if parts else None


# Specs


def spec_to_json(spec: Any) -> Any:
    """A nest of specs as JSON has it; named tuples and attrs objects are tuples in it.

    Raises:
        TypeError: for datasets among the components.
    """
    if isinstance(spec, Mapping):
        return {"mapping": {key: spec_to_json(item) for key, item in spec.items()}}
    if structure.is_nested(spec):
        return {"tuple": [spec_to_json(item) for item in nest.contents(spec)]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": []}
    if isinstance(spec, DatasetSpec):
        raise TypeError("elements that are datasets cannot be saved; use flat_map first")
    shape = None if spec.shape.rank is None else list(spec.shape)
    facts = [shape, spec.dtype.name]
    if isinstance(spec, RaggedTensorSpec):
        return {"ragged": [*facts, spec.ragged_rank]}
    return {"sparse" if isinstance(spec, SparseTensorSpec) else "tensor": facts}


_KINDS: dict[str, Any] = {"tensor": TensorSpec, "ragged": RaggedTensorSpec}
_KINDS |= {"sparse": SparseTensorSpec, "none": NoneTensorSpec}


def spec_from_json(value: Any) -> Any:
    """The nest of specs."""
    ((kind, facts),) = value.items()
    if kind == "mapping":
        return {key: spec_from_json(item) for key, item in facts.items()}
    if kind == "tuple":
        return tuple(map(spec_from_json, facts))
    return _KINDS[kind](*facts)
