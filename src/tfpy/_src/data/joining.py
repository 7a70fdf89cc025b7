"""Nodes with several inputs: zip, concatenation and selection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.data import structure
from tfpy._src.data.node import INFINITE, UNKNOWN, DatasetNode
from tfpy._src.data.run import NOT_YET, DatasetRun
from tfpy._src.data.specs import common
from tfpy._src.data.structure import Flat


class Zip(DatasetNode):
    """Tuples of the elements of each input, up to the end of the shortest input.

    Args:
        nest: Nest in which the inputs were passed.
    """

    name = "_ZipDataset"

    def __init__(self, nest: Any, inputs: Sequence[DatasetNode]) -> None:
        super().__init__(*inputs)
        self._nest = nest

    @cached_property
    def spec(self) -> Any:
        return structure.pack(self._nest, [node.spec for node in self.inputs])

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        columns = [node.elements(run) for node in self.inputs]
        rows = run.zip(columns)
        if len(columns) == 2:
            return run.map(lambda pair: pair[0] + pair[1], rows)
        return run.map(lambda parts: tuple(chain(*parts)), rows)

    @property
    def cardinality(self) -> int:
        sizes = [node.cardinality for node in self.inputs]
        if UNKNOWN in sizes:
            return UNKNOWN
        return min((n for n in sizes if n != INFINITE), default=INFINITE)


class Concatenate(DatasetNode):
    """The elements of the first input, then the elements of the second.

    Raises:
        TypeError: If the specs are not compatible.
    """

    name = "_ConcatenateDataset"

    def __init__(self, first: DatasetNode, second: DatasetNode) -> None:
        super().__init__(first, second)
        try:
            self._spec = structure.map_structure(common, first.spec, second.spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Incompatible dataset elements:\n  {first.spec} vs.   {second.spec}"
            ) from error

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return chain.from_iterable(node.elements(run) for node in self.inputs)

    @property
    def cardinality(self) -> int:
        sizes = [node.cardinality for node in self.inputs]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)


class Choose(DatasetNode):
    """The elements of inputs in the order that a selector specifies.

    Args:
        stops: If True, stop when a selected input has ended. Otherwise skip this input.

    Raises:
        TypeError: If the specs of the inputs are not compatible.
    """

    name = "_DirectedInterleaveDataset"

    def __init__(self, selector: DatasetNode, inputs: Sequence[DatasetNode], stops: bool) -> None:
        super().__init__(*inputs, selector)
        self._stops = stops
        spec = inputs[0].spec
        for i, node in enumerate(inputs[1:], 1):
            try:
                spec = structure.map_structure(common, spec, node.spec)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset "
                    f"0 element_spec={inputs[0].spec}.\n Dataset {i} element_spec={node.spec}."
                ) from error
        self._spec = spec

    @cached_property
    def spec(self) -> Any:
        return self._spec

    @property
    def cardinality(self) -> int:
        sizes = [node.cardinality for node in self.inputs[:-1]]
        return INFINITE if INFINITE in sizes else UNKNOWN

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        *nodes, selector = self.inputs
        places: list[Iterator[Flat] | None] = [node.elements(run) for node in nodes]
        for choice in selector.elements(run):
            if choice is NOT_YET:
                yield choice
                continue
            number = int(choice[0])
            if not 0 <= number < len(places):
                raise InvalidArgumentError(
                    None,
                    "choose_from_datasets",
                    f"Selector index out of range: {number} >= {len(places)}",
                )
            place = places[number]
            element = NOT_YET
            while element is NOT_YET:
                element = None if place is None else next(place, None)
                if element is not None:
                    yield element
            if element is not None:
                continue
            if self._stops:
                return
            places[number] = None
            if not any(places):
                return
