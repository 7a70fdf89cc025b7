"""The fetches and fed values of a run of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.nest import mapping_like, rebuilt
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.graph_mode.composites import COMPOSITES, as_arrays
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.tensors.composite.host_values import IndexedSlicesValue

Reader = Callable[[Iterator[Any]], Any]


class Fetches:
    """The elements of a graph in a nest of fetches, and the form of the result.

    Args:
        fetches: Lists, tuples, named tuples, mappings and attrs objects of fetches.
        element: Function that returns the tensor, operation or Variable of a fetch.
    """

    def __init__(self, fetches: Any, element: Callable[[Any], Any]) -> None:
        self.parts: list[Any] = []
        """Tensors, operations and Variables in the order of the values."""
        self._element = element
        self._reader = self._reader_of(fetches)

    def result(self, values: Iterable[Any]) -> Any:
        """Return the values of `parts` in the form of the fetches."""
        return self._reader(iter(values))

    def _reader_of(self, fetch: Any) -> Reader:
        """Return a function that takes the values of a fetch from an iterator."""
        if isinstance(fetch, Mapping):
            named = {key: self._reader_of(part) for key, part in fetch.items()}
            return lambda values: mapping_like(fetch, {k: r(values) for k, r in named.items()})
        if isinstance(fetch, list | tuple):
            return self._sequence(fetch, lambda found: rebuilt(fetch, found))
        if hasattr(type(fetch), "__attrs_attrs__"):
            parts = [getattr(fetch, field.name) for field in fetch.__attrs_attrs__]
            return self._sequence(parts, lambda found: rebuilt(fetch, found))
        if isinstance(fetch, COMPOSITES):
            return self._sequence(fetch.components, lambda found: as_arrays(fetch, found))
        if isinstance(fetch, IndexedSlices):
            return self._slices(fetch)
        if isinstance(fetch, Composite):
            return self._sequence(fetch.components, list)
        if type(fetch) is Tensor:  # computed while the graph was made, as an item of an array
            return lambda values: _array(fetch)
        self.parts.append(self._element(fetch))
        return lambda values: _array(next(values))

    def _slices(self, fetch: IndexedSlices) -> Reader:
        shape = fetch.dense_shape
        parts = [fetch.values, fetch.indices]
        if isinstance(shape, GraphTensor):
            parts.append(shape)
            return self._sequence(
                parts, lambda found: IndexedSlicesValue(found[0], found[1], found[2])
            )
        known = None if shape is None else shape.numpy()  # the sizes of a Variable
        return self._sequence(parts, lambda found: IndexedSlicesValue(found[0], found[1], known))

    def _sequence(self, parts: Iterable[Any], build: Callable[[list[Any]], Any]) -> Reader:
        readers = [self._reader_of(part) for part in parts]
        return lambda values: build([read(values) for read in readers])


def _array(value: Any) -> Any:
    """Return the value of a fetch in NumPy's form."""
    if value is None:
        return None
    found = value.numpy()
    is_string = isinstance(found, np.ndarray) and found.dtype.kind == "O"
    return found.item() if is_string and not found.shape else found


def fed(tensor: GraphTensor, value: Any) -> Tensor:
    """Convert a fed value to the dtype of its tensor.

    Raises:
        TypeError: If the value is a tensor of a graph, or an integer that the dtype does not have.
        ValueError: If the value does not have the shape of the tensor.
    """
    if isinstance(value, GraphTensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles."
        )
    with immediately():
        found = convert_to_tensor(_fed_array(tensor, value), tensor.dtype)
    if not tensor.shape.is_compatible_with(TensorShape(found.aval.shape)):
        shown = tuple(tensor.shape.as_list())
        raise ValueError(
            f"Cannot feed value of shape {found.aval.shape} for Tensor {tensor.name}, which has "
            f"shape {shown}"
        )
    return found


def _fed_array(tensor: GraphTensor, value: Any) -> Any:
    kind = tensor.dtype
    if not (kind.is_numeric or kind.is_bool):
        return np.asarray(value, object)  # arrays of bytes would lose zeros at the end
    array = np.asarray(value)
    found = array.astype(kind.as_numpy_dtype)
    if isinstance(value, int) and not kind.is_bool and found != value:
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
            f"type {kind.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a "
            "larger type (e.g. int64)."
        )
    return found
