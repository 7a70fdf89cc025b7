"""Nodes that call a user function with each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.data import structure
from tfpy._src.data.functions import DataFunction
from tfpy._src.data.node import DatasetNode, RowTable
from tfpy._src.data.run import NOT_YET, Continuing, DatasetRun, Failed, Recovering
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.type_specs import with_shape


def function_of(function: Callable[..., Any], source: DatasetNode, name: str) -> DataFunction:
    """Return the DataFunction of a function of the elements of a node."""
    return DataFunction(function, source.spec, name, lambda: first_of(source))


def first_of(source: DatasetNode) -> Flat | None:
    """Return a node's first element, or None if it has no elements."""
    return next(source.elements(DatasetRun()), None)


class Map(DatasetNode):
    """The results of a function of each element."""

    name = "_MapDataset"

    def __init__(
        self, source: DatasetNode, function: Callable[..., Any], name: str = "map"
    ) -> None:
        super().__init__(source)
        self._function = function_of(function, source, f"Dataset.{name}()")

    @cached_property
    def spec(self) -> Any:
        return self._function.spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return run.map(self._function.start(run), self.inputs[0].elements(run))

    @cached_property
    def table(self) -> RowTable | None:
        source, function = self.inputs[0].table, self._function.of_rows
        if source is None or function is None:
            return None
        before = source.function
        whole = function if before is None else lambda rows: function(before(rows))
        return RowTable(source.arrays, whole)

    def rows(self, run: DatasetRun) -> Iterator[int]:
        return self.inputs[0].rows(run)

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


def predicate_of(function: Callable[..., Any], source: DatasetNode, name: str) -> DataFunction:
    """Return the DataFunction of a predicate.

    Raises:
        ValueError: If the function does not return a scalar bool.
    """
    found = function_of(function, source, f"Dataset.{name}()")
    spec = found.spec
    if not isinstance(spec, TensorSpec) or not TensorSpec([], dtypes.bool).is_compatible_with(spec):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {spec}."
        )
    return found


class Filter(DatasetNode):
    """The elements for which a predicate is True."""

    name = "_FilterDataset"

    def __init__(self, source: DatasetNode, predicate: Callable[..., Any]) -> None:
        super().__init__(source)
        self._predicate = predicate_of(predicate, source, "filter")

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        holds = self._predicate.start(run)
        return run.filter(lambda element: holds(element)[0], self.inputs[0].elements(run))

    @property
    def cardinality(self) -> int:
        size = self.inputs[0].cardinality
        return 0 if size == 0 else super().cardinality


class TakeWhile(DatasetNode):
    """The elements before the first one for which a predicate is False."""

    name = "_TakeWhileDataset"

    def __init__(self, source: DatasetNode, predicate: Callable[..., Any]) -> None:
        super().__init__(source)
        self._predicate = predicate_of(predicate, source, "take_while")

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return Continuing(self._elements(run))

    def _elements(self, run: DatasetRun) -> Iterator[Any]:
        call = self._predicate.start(run)

        def checked(element: Flat) -> tuple[Flat, Any]:
            return element, call(element)[0]

        for pair in Recovering(run.map(checked, self.inputs[0].elements(run))):
            if pair is NOT_YET or isinstance(pair, Failed):
                yield pair
                continue
            element, holds = pair
            if not holds:
                return
            yield element


class ScanState:
    """The state that a function carries from element to element.

    Sizes that change between elements become open.

    Args:
        split: Function that returns the spec of the new state from the spec of the result.

    Raises:
        TypeError: If dtypes or the structure of the state change.
    """

    def __init__(
        self,
        initial: Any,
        source: DatasetNode,
        function: Callable[..., Any],
        name: str,
        split: Callable[[Any], Any],
    ) -> None:
        value = structure.normalized(initial)
        self.first = structure.inner(value)
        self.spec = structure.spec_of(value)
        while True:
            self.function = DataFunction(
                function, (self.spec, source.spec), name, lambda: self._example(source)
            )
            new = split(self.function.spec)
            relaxed = self._relaxed(new)
            if relaxed == self.spec:
                return
            self.spec = relaxed

    def _example(self, source: DatasetNode) -> Flat | None:
        element = first_of(source)
        return None if element is None else (*self.first, *element)

    def _relaxed(self, new: Any) -> Any:
        old, found = structure.flatten(self.spec), structure.flatten(new)
        same = len(old) == len(found) and all(
            type(a) is type(b) and getattr(a, "dtype", None) == getattr(b, "dtype", None)
            for a, b in zip(old, found, strict=True)
        )
        if not same:
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected "
                f"{self.spec}, got {new}."
            )
        pairs = zip(old, found, strict=True)
        return structure.pack(self.spec, [_relaxed(a, b) for a, b in pairs])


def _relaxed(old: Any, new: Any) -> Any:
    if isinstance(old, DatasetSpec) or not isinstance(old.shape, TensorShape):
        return old
    return with_shape(old, old.shape.most_specific_compatible_shape(new.shape))


class Scan(DatasetNode):
    """The outputs of a function of a state and each element, which also returns the next state.

    Raises:
        TypeError: If the function does not return a pair, or the state changes its kind.
    """

    name = "_ScanDataset"

    def __init__(self, source: DatasetNode, initial: Any, function: Callable[..., Any]) -> None:
        super().__init__(source)
        self._state = ScanState(initial, source, function, "Dataset.scan()", self._new_state)

    @staticmethod
    def _new_state(spec: Any) -> Any:
        if not isinstance(spec, tuple) or len(spec) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and "
                f"the output value but its return type is {spec}."
            )
        return spec[0]

    @cached_property
    def spec(self) -> Any:
        return self._state.function.spec[1]

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        call, state = self._state.function.start(run), self._state.first
        size = len(state)

        def output(element: Flat) -> Flat:
            nonlocal state
            found = call((*state, *element))
            state = found[:size]
            return found[size:]

        return run.map(output, self.inputs[0].elements(run))

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


def reduced(source: DatasetNode, initial: Any, function: Callable[..., Any]) -> Any:
    """Return the state after the last element.

    Raises:
        TypeError: If the structure or dtypes of the state change.
    """
    state = ScanState(initial, source, function, "reduce()", lambda spec: spec)
    run = DatasetRun()
    call, found = state.function.start(run), state.first
    for element in source.elements(run):
        found = call((*found, *element))
    return structure.outer(state.spec)(found)


class IgnoreErrors(DatasetNode):
    """The elements that can be computed without an error."""

    name = "_IgnoreErrorsDataset"

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        source = self.inputs[0].elements(run)
        while True:
            try:
                element = next(source, None)
            except Exception:  # Python functions raise exceptions of any class
                continue
            if element is None:
                return
            yield element


class Enumerate(DatasetNode):
    """Each element with its number."""

    name = "_ZipDataset"

    def __init__(self, source: DatasetNode, start: int) -> None:
        super().__init__(source)
        self._start = start

    @cached_property
    def spec(self) -> Any:
        return (TensorSpec([], dtypes.int64), self.inputs[0].spec)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        kind = dtypes.int64.as_numpy_dtype
        numbers = count(self._start)
        return run.map(
            lambda element: (np.array(next(numbers), kind), *element), self.inputs[0].elements(run)
        )

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality


class UniqueNode(DatasetNode):
    """The elements without repetitions."""

    name = "_UniqueDataset"

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        seen = set()
        for element in self.inputs[0].elements(run):
            if element is NOT_YET:
                yield element
                continue
            key = tuple([(a.shape, tuple(a.reshape(-1).tolist())) for a in element])
            if key not in seen:
                seen.add(key)
                yield element
