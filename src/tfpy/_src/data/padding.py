"""Batches of elements of different shapes: padded, ragged or sparse."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.base.errors import DataLossError, InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import from_array
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.data import structure
from tfpy._src.data.batching import Batch
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.specs import DatasetSpec, batched
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import made
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec


class PaddedBatch(Batch):
    """Batches of elements that are padded to a common shape.

    Args:
        shapes: Nest of shapes; a size of None means the largest size in the batch. None: the shapes
            of the specs.
        values: Nest of padding values, or one value for all. None: zeros.

    Raises:
        TypeError: If elements are not tensors, or a padding value has a different dtype.
        ValueError: If elements cannot be padded to a shape, or a padding value is not a scalar.
        DataLossError: If an element is larger than the shape.
    """

    name = "_PaddedBatchDataset"

    def __init__(
        self, source: DatasetNode, size: int, shapes: Any, values: Any, whole: bool
    ) -> None:
        super().__init__(source, size, whole)
        specs = structure.flatten(source.spec)
        for spec in specs:
            if isinstance(spec, DatasetSpec):
                raise TypeError("`padded_batch` is not supported for datasets of datasets")
            if not isinstance(spec, TensorSpec):
                raise TypeError(
                    "`padded_batch` is only supported for datasets that produce tensor elements "
                    "but type spec of elements in the input dataset is not a subclass of "
                    f"TensorSpec: `{spec}`."
                )
        given: list[Any] = [s.shape for s in specs]
        if shapes is not None:
            given = structure.flatten_up_to(source.spec, shapes)
        elif any(shape.rank is None for shape in given):
            raise ValueError(
                "You must provide `padded_shapes` argument because a component has unknown rank."
            )
        pairs = zip(given, specs, strict=True)
        self._shapes = [_padded_shape(shape, s.shape) for shape, s in pairs]
        self._values = _padding_values(values, source.spec)

    @cached_property
    def spec(self) -> Any:
        size = self._known_size
        shapes = iter(self._shapes)
        return structure.map_structure(
            lambda s: batched(TensorSpec(next(shapes), s.dtype), size), self.inputs[0].spec
        )

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return run.map(self._padded, self._chunks(run, self.inputs[0].elements(run)))

    def _padded(self, chunk: list[Flat]) -> Flat:
        columns = zip(*chunk, strict=True)
        rows = zip(columns, self._shapes, self._values, strict=True)
        return tuple([_padded(column, shape, value) for column, shape, value in rows])


def _padded_shape(given: Any, own: TensorShape) -> TensorShape:
    if not isinstance(given, TensorShape):
        values = given.numpy().tolist() if hasattr(given, "numpy") else given
        sizes = [values] if isinstance(values, int) else list(values)
        given = TensorShape([None if n is None or n == -1 else int(n) for n in sizes])
    fits = own.rank is None or (
        given.rank == own.rank
        and all(n is None or m is None or n >= m for n, m in zip(given, own, strict=True))
    )
    if not fits:
        raise ValueError(
            f"The padded shape {given} is not compatible with the shape {own} of the corresponding "
            "input component."
        )
    return given


def _padding_values(values: Any, spec: Any) -> list[Array]:
    specs = structure.flatten(spec)
    if values is None or not structure.is_nested(values):
        given = [values] * len(specs)
    else:
        given = structure.flatten_up_to(spec, values)
    return [_padding_value(v, s.dtype) for v, s in zip(given, specs, strict=True)]


def _padding_value(value: Any, dtype: Any) -> Array:
    if value is None:
        empty = b"" if dtype == "string" else 0
        return np.array(empty, dtype.as_numpy_dtype)
    tensor = convert_to_tensor(value)
    if tensor.shape.rank:
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got "
            f"{tensor.shape}."
        )
    if tensor.dtype != dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match "
            f"type {dtype} of the corresponding input component."
        )
    return tensor.host_view()


def _padded(column: tuple[Array, ...], shape: TensorShape, value: Array) -> Array:
    if any(a.ndim != len(shape) for a in column):
        message = f"All elements must have the rank of the padded shape {shape}."
        raise InvalidArgumentError(None, "padded_batch", message)
    largest = np.max([a.shape for a in column], axis=0).tolist()
    sizes = [m if n is None else n for n, m in zip(shape, largest, strict=True)]
    if any(n < m for n, m in zip(sizes, largest, strict=True)):
        raise DataLossError(
            None, "padded_batch", "Attempted to pad to a smaller size than the input element."
        )
    out = np.full((len(column), *sizes), value, column[0].dtype)
    for i, array in enumerate(column):
        place: Any = (i, *map(slice, array.shape), ...)
        np.copyto(out[place], array)  # an assignment would store the array itself as an object
    return out


class AsRagged(DatasetNode):
    """Tensors of open sizes as ragged tensors, for batches."""

    name = "_DenseToRaggedDataset"

    @cached_property
    def spec(self) -> Any:
        return structure.map_structure(_ragged_spec, self.inputs[0].spec)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        specs = structure.flatten(self.spec)
        return run.map(
            lambda element: tuple([_as_ragged(x, s) for x, s in zip(element, specs, strict=True)]),
            self.inputs[0].elements(run),
        )

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


def _ragged_spec(spec: Any) -> Any:
    fixed = not isinstance(spec, TensorSpec) or spec.shape.rank is None
    if fixed or spec.shape.is_fully_defined():
        return spec
    rank = max(axis for axis, size in enumerate(spec.shape) if size is None)
    return RaggedTensorSpec(spec.shape, spec.dtype, rank)


def _as_ragged(leaf: Any, spec: Any) -> Any:
    if not isinstance(spec, RaggedTensorSpec) or not isinstance(leaf, np.ndarray):
        return leaf
    if not spec.ragged_rank:
        return leaf
    return _rows(leaf, spec.shape[1 : spec.ragged_rank + 1])


def _rows(array: Array, sizes: TensorShape) -> RaggedTensor:
    """Return an array as a ragged tensor with one ragged axis for each of the sizes."""
    rows, width = array.shape[:2]
    inner = array.reshape(-1, *array.shape[2:])
    values = from_array(inner) if len(sizes) == 1 else _rows(inner, sizes[1:])
    splits = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    return RaggedTensor(values, splits, sizes[0])


class SparseBatch(Batch):
    """Batches of tensors as sparse tensors with a common row shape.

    Raises:
        DataLossError: If an element is larger than the row shape.
    """

    name = "_DenseToSparseBatchDataset"

    def __init__(self, source: DatasetNode, size: int, shape: Any) -> None:
        super().__init__(source, size, False)
        if not isinstance(source.spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset with a single component, got "
                f"{source.spec}"
            )
        self._shape = TensorShape(shape)

    @cached_property
    def spec(self) -> Any:
        dtype = self.inputs[0].spec.dtype
        return SparseTensorSpec(TensorShape([None]).concatenate(self._shape), dtype)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return run.map(self._together, self._chunks(run, self.inputs[0].elements(run)))

    def _together(self, chunk: list[Flat]) -> Flat:
        arrays = [element[0] for element in chunk]
        largest = np.max([a.shape for a in arrays], axis=0).tolist()
        sizes = [m if n is None else n for n, m in zip(self._shape, largest, strict=True)]
        if any(n < m for n, m in zip(sizes, largest, strict=True)):
            message = f"Encountered an element that is larger than the row_shape {sizes}."
            raise DataLossError(None, "sparse_batch", message)
        indices = [
            np.column_stack([np.full(a.size, i), np.argwhere(np.ones(a.shape, bool))])
            for i, a in enumerate(arrays)
        ]
        values = np.concatenate([a.reshape(-1) for a in arrays])
        shape = [len(arrays), *sizes]
        return (made(np.concatenate(indices), from_array(values), shape),)
