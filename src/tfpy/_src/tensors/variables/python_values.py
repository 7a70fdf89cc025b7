"""Python's protocols for Variables: numbers, arrays, and in-place operators, which raise errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.core.operand import Holder


def _refusing(sign: str, method: str) -> Callable[[Any, Any], Any]:
    """Return an in-place operator that raises an error."""

    def refuse(self: Any, value: Any) -> Any:
        raise RuntimeError(
            f"`variable {sign} value` with `tf.Variable`s is not supported. Use "
            f"`variable.{method}` to modify the variable, or `out = variable {sign[:-1]} value` "
            "to get a new output tensor"
        )

    return refuse


class PythonValues(Holder):
    """Python's special methods of a Variable, and methods that return its value to Python."""

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
        """Return the value as a NumPy array, and wait for the device.

        Returns:
            NumPy array, or a NumPy scalar.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).numpy().tolist()
            [1.0, 2.0]

        See also: `tf.Variable.data`.
        """
        return self.tensor.numpy()

    @awaitable("x.data()")
    async def data(self) -> Any:
        """Return the value as a NumPy array, without blocking the page.

        Returns:
            Awaitable of a NumPy array, or of a NumPy scalar.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> async def read(variable):
            ...     return await variable.data()
            >>> asyncio.run(read(tf.Variable([1.0, 2.0]))).tolist()
            [1.0, 2.0]

        See also: `tf.Variable.numpy`.
        """
        return await self.tensor.data()

    def data_sync(self) -> Any:
        """Return the value as a NumPy array. This is TensorFlow.js's name for `numpy`.

        Returns:
            NumPy array, or a NumPy scalar.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).data_sync().tolist()
            [1.0, 2.0]

        See also: `tf.Variable.numpy`, `tf.Variable.data`.
        """
        return self.numpy()
