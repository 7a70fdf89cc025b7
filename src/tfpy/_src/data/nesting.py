"""Nodes with datasets as elements: flat maps, windows and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.data import structure
from tfpy._src.data.functions import DataFunction
from tfpy._src.data.mapping import function_of
from tfpy._src.data.node import INFINITE, UNKNOWN, DatasetNode
from tfpy._src.data.run import NOT_YET, Continuing, DatasetRun, Failed, Recovering
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec


class FlatMap(DatasetNode):
    """The elements of the datasets that a function returns, one dataset after the other.

    Raises:
        TypeError: If the function does not return a dataset.
    """

    name = "_FlatMapDataset"

    def __init__(
        self, source: DatasetNode, function: Callable[..., Any], name: str = "flat_map"
    ) -> None:
        super().__init__(source)
        self._function = function_of(function, source, f"Dataset.{name}()")
        self._spec = _elements_of(self._function.spec)

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return Continuing(self._elements(run))

    def _elements(self, run: DatasetRun) -> Iterator[Any]:
        call = self._function.start(run)
        for element in Recovering(self.inputs[0].elements(run)):
            if element is NOT_YET or type(element) is Failed:
                yield element
                continue
            found = self._started(call, element, run)
            yield from (found,) if isinstance(found, Failed) else Recovering(found)

    def _started(self, call: Any, element: Any, run: DatasetRun) -> Iterator[Flat] | Failed:
        """Return the elements of the dataset for an element, or the error of the function."""
        try:
            (node,) = call(element)
            found: Iterator[Flat] = node.elements(run.within())
            return found
        except Exception as error:  # Python functions raise exceptions of any class
            return Failed(error)


def _elements_of(spec: Any) -> Any:
    if not isinstance(spec, DatasetSpec):
        raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {spec!r}.")
    return spec.element_spec


class Interleave(FlatMap):
    """Blocks of elements of the datasets that a function returns, from `cycle` of them in turn.

    Raises:
        InvalidArgumentError: If the cycle or block length is less than 1.
    """

    name = "_InterleaveDataset"

    def __init__(
        self, source: DatasetNode, function: Callable[..., Any], cycle: int, block: int
    ) -> None:
        if cycle < 1:
            raise InvalidArgumentError(None, "interleave", "`cycle_length` must be > 0.")
        if block < 1:
            raise InvalidArgumentError(None, "interleave", "`block_length` must be > 0.")
        super().__init__(source, function, "interleave")
        self._cycle, self._block = cycle, block

    def _elements(self, run: DatasetRun) -> Iterator[Any]:
        call = self._function.start(run)
        source = Recovering(self.inputs[0].elements(run))
        places: list[Iterator[Flat | Failed] | None] = [None] * self._cycle
        at = taken = opened = 0
        exhausted = False
        while not exhausted or opened:
            current = places[at]
            if current is not None:
                element = next(current, None)
                if element is NOT_YET or type(element) is Failed:
                    yield element
                    continue
                if element is None:
                    places[at] = None
                    opened -= 1
                else:
                    taken += 1
                    yield element
                if element is None or taken == self._block:
                    at, taken = (at + 1) % self._cycle, 0
            elif exhausted:
                at, taken = (at + 1) % self._cycle, 0
            else:
                argument = next(source, None)
                if argument is NOT_YET or type(argument) is Failed:
                    yield argument
                elif argument is None:
                    exhausted = True
                else:
                    found = self._started(call, argument, run)
                    if isinstance(found, Failed):
                        yield found
                        continue
                    places[at] = Recovering(found)
                    opened += 1


class Kept(DatasetNode):
    """Elements in a list."""

    name = "_VariantDataset"

    def __init__(self, spec: Any, kept: list[Flat]) -> None:
        super().__init__()
        self._spec, self._kept = spec, kept

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return iter(self._kept)

    @property
    def cardinality(self) -> int:
        return len(self._kept)


class WindowNode(DatasetNode):
    """Windows of `size` elements. Each component of a window is a dataset.

    Raises:
        InvalidArgumentError: If the size, shift or stride is less than 1.
    """

    name = "_WindowDataset"

    def __init__(
        self, source: DatasetNode, size: int, shift: int, stride: int, whole: bool
    ) -> None:
        super().__init__(source)
        for what, number in (("size", size), ("shift", shift), ("stride", stride)):
            if number < 1:
                message = f"Window {what} must be greater than zero."
                raise InvalidArgumentError(None, "window", message)
        self._size, self._shift, self._stride, self._whole = size, shift, stride, whole

    @cached_property
    def spec(self) -> Any:
        return structure.map_structure(DatasetSpec, self.inputs[0].spec)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        source = self.inputs[0].elements(run)
        specs = structure.flatten(self.inputs[0].spec)
        reach = (self._size - 1) * self._stride + 1
        held: list[Flat] = []
        while True:
            held += yield from run.gathered(source, reach - len(held))
            found = held[:: self._stride]
            if not found or (self._whole and len(found) < self._size):
                return
            columns = zip(*found, strict=True)
            yield tuple(
                Kept(spec, [(leaf,) for leaf in column])
                for spec, column in zip(specs, columns, strict=True)
            )
            over = self._shift - len(held)
            held = held[self._shift :]
            if over > 0:
                yield from run.gathered(source, over)

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        if size < 0:
            return size
        reach = (self._size - 1) * self._stride if self._whole else 0
        return max(0, -(-(size - reach) // self._shift))


class GroupByWindow(DatasetNode):
    """Groups of elements with equal keys, each reduced to a dataset by a function.

    Args:
        key: Function that takes an element and returns its key.
        reduce: Function that takes a key and a dataset of elements, and returns a dataset.
        size: Function that takes a key and returns the size of its groups.

    Raises:
        ValueError: If `key` or `size` does not return a scalar integer.
        TypeError: If `reduce` does not return a dataset.
    """

    name = "_GroupByWindowDataset"

    def __init__(
        self,
        source: DatasetNode,
        key: Callable[..., Any],
        reduce: Callable[..., Any],
        size: Callable[..., Any],
    ) -> None:
        super().__init__(source)
        number = TensorSpec([], dtypes.int64)
        name = "Dataset.group_by_window()"
        self._key = function_of(key, source, name)
        self._size = DataFunction(size, number, name, lambda: None)
        for what, function in (("key_func", self._key), ("window_size_func", self._size)):
            spec = function.spec
            if not (isinstance(spec, TensorSpec) and spec.dtype.is_integer and not spec.shape.rank):
                raise ValueError(
                    f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor but "
                    f"its return type is {spec}."
                )
        given = (number, DatasetSpec(source.spec))
        self._reduce = DataFunction(reduce, given, name, lambda: None)
        if not isinstance(self._reduce.spec, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a `tf.data.Dataset` object but "
                f"its return type is {self._reduce.spec}."
            )

    @cached_property
    def spec(self) -> Any:
        return self._reduce.spec.element_spec

    @property
    def cardinality(self) -> int:
        return INFINITE if self.inputs[0].cardinality == INFINITE else UNKNOWN

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        key_of, size_of, reduce = (f.start(run) for f in (self._key, self._size, self._reduce))
        groups: dict[int, list[Flat]] = {}
        sizes: dict[int, int] = {}
        spec = self.inputs[0].spec

        def made(number: int, group: list[Flat]) -> Iterator[Flat]:
            (node,) = reduce((_number(number), Kept(spec, group)))
            return iter(node.elements(run.within()))

        for element in self.inputs[0].elements(run):
            if element is NOT_YET:
                yield element
                continue
            number = int(key_of(element)[0])
            group = groups.setdefault(number, [])
            if not group:
                sizes[number] = int(size_of((_number(number),))[0])
                if sizes[number] < 1:
                    message = f"Window size must be greater than zero, but got {sizes[number]}."
                    raise InvalidArgumentError(None, "group_by_window", message)
            group.append(element)
            if len(group) == sizes[number]:
                yield from made(number, groups.pop(number))
        for number in sorted(groups):
            yield from made(number, groups[number])


def _number(value: int) -> Array:
    return np.array(value, dtypes.int64.as_numpy_dtype)
