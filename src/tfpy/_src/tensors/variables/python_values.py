"""What Python itself asks of Variables: numbers, arrays, and in-place operators (refused)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.core.operand import Holder


def _refusing(sign: str, method: str) -> Callable[[Any, Any], Any]:
    def refuse(self: Any, value: Any) -> Any:
        raise RuntimeError(
            f"`variable {sign} value` with `tf.Variable`s is not supported. Use "
            f"`variable.{method}` to modify the variable, or `out = variable {sign[:-1]} value` "
            "to get a new output tensor"
        )

    return refuse


class PythonValues(Holder):
    """Python's own methods of a Variable, and those that return its values to Python."""

    __iadd__ = _refusing("+=", "assign_add(value)")
    __isub__ = _refusing("-=", "assign_sub(value)")
    __imul__ = _refusing("*=", "assign(variable * value)")
    __itruediv__ = _refusing("/=", "assign(variable / value)")
    __ipow__ = _refusing("**=", "assign(variable ** value)")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.tensor.__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __format__(self, spec: str) -> str:
        return format(self.tensor, spec) if spec else str(self)

    def __iter__(self) -> Any:
        return iter(self.value())

    def numpy(self) -> Any:
        """The value as a NumPy array; waits for the device."""
        return self.tensor.numpy()

    @awaitable("x.data()")
    async def data(self) -> Any:
        """The value as a NumPy array, without blocking the page."""
        return await self.tensor.data()

    def data_sync(self) -> Any:
        """TensorFlow.js's name for :meth:`numpy`."""
        return self.numpy()
