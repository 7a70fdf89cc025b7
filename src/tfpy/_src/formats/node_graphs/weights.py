"""The constants of a node list, as the operations take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant
from tfpy._src.tensors.variables.variable import Variable

_MAX_ON_HOST = 1024  # elements; more of them are data, not shapes
_MAX_FLOATS_ON_HOST = 8  # scales, bounds


class Weights(Mapping[str, Array]):
    """Arrays by the names of values.

    Args:
        arrays: the arrays, or functions that make them of their names (of quantized weights) when
            they are asked for.
        state: Variables that are values, too, and no constants: what a model keeps between calls.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array | Callable[[str], Array]] | None = None,
        state: Mapping[str, Variable] | None = None,
    ) -> None:
        self._arrays = dict(arrays or {})
        self._state = dict(state or {})
        self._values: dict[str, Any] = dict(self._state)

    def __getitem__(self, name: str) -> Array:
        found = self._arrays[name]
        return found if isinstance(found, np.ndarray) else found(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __contains__(self, name: object) -> bool:
        return name in self._arrays or name in self._state

    def value(self, name: str) -> Any:
        """What operations get: small whole numbers and texts as arrays of the host, since shapes,
        axes and indices must be known while a function is traced; all else as tensors or, when
        :meth:`make_variables` was called, as Variables."""
        found = self._values.get(name)
        if found is None:
            found = self._values[name] = self._made(self[name])
        return found

    def make_variables(self) -> dict[str, Variable]:
        """Makes Variables of all that is trained: arrays of floats with at least one axis.

        Variables that were made before stay.
        """
        for name in self:
            if isinstance(self._values.get(name), Variable):
                continue
            array = self[name]
            if array.dtype.kind == "f" and array.ndim:
                self._values[name] = Variable(array, name=name)
        return {
            k: v
            for k, v in self._values.items()
            if isinstance(v, Variable) and k not in self._state
        }

    def _made(self, array: Array) -> Any:
        most = _MAX_FLOATS_ON_HOST if array.dtype.kind in "fc" else _MAX_ON_HOST
        if array.size <= most:
            return array
        with tracing.init_scope():
            return constant(array)
