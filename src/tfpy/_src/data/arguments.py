"""Arguments with which functions of elements are traced, or called in place of elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.base.errors import NotTraceableError
from tfpy._src.data import structure
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.data.vectors import DatasetVector
from tfpy._src.functions.tf_function.signature import TensorSpec


class DatasetArgument(DatasetNode):
    """A placeholder for a dataset among the arguments of a traced function."""

    def __init__(self, spec: Any) -> None:
        super().__init__()
        self._spec = spec

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        raise NotTraceableError(
            "The elements of a dataset argument are not available while the function is traced."
        )


def argument(spec: Any, tensors: Iterator[Any]) -> Any:
    """Return an argument of a function that is traced: a tensor, datasets, or None."""
    if isinstance(spec, TensorSpec):
        return next(tensors)
    if not isinstance(spec, DatasetSpec):
        return None
    if not spec.shape.rank:
        return structure.AS_DATASET[0](DatasetArgument(spec.element_spec))
    count = spec.shape[0]
    if count is None:
        raise NotTraceableError("The number of datasets in a batch is unknown.")
    return DatasetVector([DatasetArgument(spec.element_spec)] * count)


def zeros_of(spec: Any) -> Any:
    """Return zeros in the place of a leaf of an element. Unknown sizes are 1.

    Raises:
        TypeError: If the spec does not describe a tensor, or the rank is unknown.
    """
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        raise TypeError(f"There are no zeros of {spec}.")
    sizes = [1 if n is None else n for n in spec.shape.as_list()]
    return np.zeros(sizes, spec.dtype.as_numpy_dtype)
