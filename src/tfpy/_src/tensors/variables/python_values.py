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

    initializer: Any = None
    """Operation that assigns the initial value. None outside of graphs of TensorFlow 1."""

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

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the value as a NumPy array.

        The call waits until the pending computations of the value have finished. In a page, `data`
        does the same without blocking the page.

        Returns:
            NumPy array with the shape and dtype of the Variable. For a scalar Variable, a NumPy
            scalar such as `np.float32(1.0)`.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).numpy().tolist()
            [1.0, 2.0]

        See also: `tf.Variable.data`.
        """
        return self.tensor.numpy()

    @awaitable("x.data()")
    async def data(self) -> np.ndarray[Any, Any]:
        """Read the value asynchronously, so that the page is not blocked during computations.

        Returns:
            An awaitable that resolves to a NumPy array with the shape and dtype of the Variable.

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

    def data_sync(self) -> np.ndarray[Any, Any]:
        """Return the value as a NumPy array, as `numpy` does.

        Equivalent to `dataSync` in TensorFlow.js.

        Returns:
            NumPy array with the shape and dtype of the Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).data_sync().tolist()
            [1.0, 2.0]

        See also: `tf.Variable.numpy`, `tf.Variable.data`.
        """
        return self.numpy()
