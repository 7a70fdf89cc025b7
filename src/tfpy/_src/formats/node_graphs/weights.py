"""The constants of a node list, in the form that operations take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.variables.variable import Variable

_MAX_ON_HOST = 1024  # elements; larger arrays are data and not shapes
_MAX_FLOATS_ON_HOST = 8  # elements of scales and bounds


class Weights(Mapping[str, Array]):
    """Arrays by the names of values.

    Args:
        arrays: Arrays, or functions that make them from their names when they are read (for
            quantized weights).
        state: Variables and tables that the model keeps between calls. They are values, but not
            constants.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array | Callable[[str], Array]] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        self._arrays = dict(arrays or {})
        self._state = dict(state or {})
        self._values: dict[str, Any] = dict(self._state)
        self._derived: dict[tuple[str, ...], Tensor] = {}

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
        """Return a constant in the form that operations take.

        Small arrays of integers or strings stay on the host, because shapes, axes and indices must
        be known in a trace. Other constants are tensors, or Variables after `make_variables`.
        """
        found = self._values.get(name)
        if found is None:
            found = self._values[name] = self._made(self[name])
        return found

    def derived(self, key: tuple[str, ...], make: Callable[[], Array]) -> Tensor:
        """Return a tensor that is computed once from constants.

        Args:
            key: Names of the constants, and of the form of the result.
            make: Function that computes the values.
        """
        found = self._derived.get(key)
        if found is None:
            with tracing.init_scope():
                found = self._derived[key] = constant(make())
        return found

    def make_variables(self) -> dict[str, Variable]:
        """Make Variables of the trainable weights: float arrays with at least one axis.

        Existing Variables are kept.
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
