"""Nodes that produce elements from tensors, integers and random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.data import structure
from tfpy._src.data.node import INFINITE, DatasetNode, Range, RowTable
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.seeds import Seeds, SeedSource, Words
from tfpy._src.data.specs import rows_of, unbatched
from tfpy._src.data.stacking import count_of, rows_of_leaf
from tfpy._src.functions.tf_function.signature import TensorSpec


class TensorsNode(DatasetNode):
    """One element: a nest of tensors."""

    name = "_TensorDataset"

    def __init__(self, tensors: Any) -> None:
        super().__init__()
        self._tensors = structure.normalized(tensors)

    @cached_property
    def spec(self) -> Any:
        return structure.spec_of(self._tensors)

    @cached_property
    def element(self) -> structure.Flat:
        """The element."""
        return structure.inner(self._tensors)

    def elements(self, run: DatasetRun) -> Iterator[structure.Flat]:
        return iter((self.element,))

    @property
    def cardinality(self) -> int:
        return 1


class Slices(DatasetNode):
    """The slices of a nest of tensors along the first axis.

    Raises:
        ValueError: If there are no tensors, a tensor is scalar, or first dimensions differ.
    """

    name = "_TensorSliceDataset"

    def __init__(self, tensors: Any) -> None:
        super().__init__()
        self._tensors = structure.normalized(tensors)
        specs = structure.spec_of(self._tensors)
        self._spec = structure.map_structure(unbatched, specs)
        sizes = [rows_of(s) for s in structure.flatten(specs)]
        if not sizes:
            raise ValueError("Invalid `tensors`: there must be at least one tensor to slice.")
        known = [n for n in sizes if n is not None]
        for size in known:
            if size != known[0]:
                raise ValueError(f"Dimensions {known[0]} and {size} are not compatible")

    @cached_property
    def spec(self) -> Any:
        return self._spec

    @cached_property
    def _leaves(self) -> structure.Flat:
        return structure.inner(self._tensors)

    @property
    def table(self) -> RowTable | None:
        symbolic = any(not getattr(x, "has_values", True) for x in structure.flatten(self._tensors))
        if symbolic or not all(isinstance(a, np.ndarray) for a in self._leaves):
            return None
        return RowTable(self._leaves)

    def rows(self, run: DatasetRun) -> Iterator[int]:
        return iter(range(self.cardinality))

    def elements(self, run: DatasetRun) -> Iterator[structure.Flat]:
        leaves = self._leaves
        if all(isinstance(a, np.ndarray) for a in leaves):
            return (tuple([a[row, ...] for a in leaves]) for row in range(self.cardinality))
        return zip(*map(rows_of_leaf, leaves), strict=True)

    @property
    def cardinality(self) -> int:
        return count_of(self._leaves[0])


def number_range(args: Any, output_type: Any) -> Range:
    """Return the node of `range(start, stop, step)`.

    Raises:
        ValueError: If there are no arguments or more than three.
        InvalidArgumentError: If the step is 0.
    """
    if not 1 <= len(args) <= 3:
        raise ValueError(
            f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
        )
    numbers = [whole(n) for n in args]
    if len(numbers) == 3 and not numbers[2]:
        raise InvalidArgumentError(None, "range", "step must be a non-zero integer.")
    return Range(TensorSpec([], as_dtype(output_type)), range(*numbers))


def whole(value: Any) -> int:
    """Return an integer from a number or tensor. A tensor of a trace becomes an open size.

    Raises:
        TypeError: If the number is not an integer.
    """
    if type(value) is int:
        return value
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int64")
    if not tensor.has_values:
        return OpenSize(1)  # a trace uses only the spec: it never iterates
    return int(tensor.host_view())


class Counter(DatasetNode):
    """An infinite sequence of evenly spaced numbers."""

    name = "_RangeDataset"

    def __init__(self, start: Any, step: Any, dtype: Any) -> None:
        super().__init__()
        self._dtype = as_dtype(dtype)
        first, step = (convert_to_tensor(n).host_view() for n in (start, step))
        self._first, self._step = first.item(), step.item()

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], self._dtype)

    def elements(self, run: DatasetRun) -> Iterator[structure.Flat]:
        kind = self._dtype.as_numpy_dtype
        return ((np.array(n).astype(kind),) for n in count(self._first, self._step))

    @property
    def cardinality(self) -> int:
        return INFINITE


class Random(DatasetNode):
    """Random 32-bit words as int64, as in TensorFlow, or as uint32 without 64-bit dtypes."""

    name = "_RandomDataset"
    _dtype = dtypes.int64 if dtypes.X64 else dtypes.uint32

    def __init__(self, seeds: Seeds, anew: bool) -> None:
        super().__init__()
        self._source = SeedSource(seeds, anew)

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], self._dtype)

    def elements(self, run: DatasetRun) -> Iterator[structure.Flat]:
        number = self._dtype.as_numpy_dtype
        return ((np.array(word, number),) for word in Words(run.seeds(self._source.next)))

    @property
    def cardinality(self) -> int:
        return INFINITE
