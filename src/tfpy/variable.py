"""``tf.Variable``: a named place whose value can be replaced."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from tfpy import tracing
from tfpy.dtypes import DType
from tfpy.errors import invalid
from tfpy.ir.graph import Aval
from tfpy.operand import Operand
from tfpy.ops import Op, elementwise
from tfpy.tape import active_tapes
from tfpy.tensor import Tensor, _Reference, printed
from tfpy.tensor_shape import TensorShape

_numbers = count(1)


class Variable(Operand):
    """Holds a tensor of fixed shape and dtype; ops read its value, ``assign`` replaces it.

    Args:
        initial_value: anything that converts to a tensor, or a function without arguments.
        trainable: whether tapes watch it by themselves.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0])
        >>> print(v.assign_add([1.0, 1.0]).numpy())
        [2. 3.]
    """

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        validate_shape: bool = True,
        name: str | None = None,
        dtype: Any = None,
        shape: Any = None,
    ) -> None:
        from tfpy.convert import convert_to_tensor

        trace = tracing.current()
        with tracing.init_scope():
            initial = initial_value() if callable(initial_value) else initial_value
            tensor = convert_to_tensor(initial, dtype)
            self.trainable = trainable
            self.number = next(_numbers)
            self.name = f"{name or 'Variable'}:0"
            self._aval = tensor.aval
            self.hold(tensor.alias())
        if trace is not None:
            trace.on_variable_made(self)
        del validate_shape, shape

    def hold(self, tensor: Tensor) -> None:
        """Takes a tensor of the Variable's own as the value, at once or within the trace."""
        trace = tracing.current()
        if trace is not None:
            trace.assign(self, tensor)
            return
        tensor.kept = True
        self._value = tensor

    @property
    def aval(self) -> Aval:
        return self._aval

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._aval.shape)

    @property
    def dtype(self) -> DType:
        return self._aval.dtype

    @property
    def ndim(self) -> int:
        return self._aval.rank

    def value(self) -> Tensor:
        """The present value; tapes that watch variables note the reading."""
        if self.trainable:
            for tape in active_tapes:
                tape.on_read(self)
        return self.tensor

    def read_value(self) -> Tensor:
        return self.value()

    @property
    def tensor(self) -> Tensor:
        """The present value, unseen by tapes."""
        trace = tracing.current()
        return self._value if trace is None else trace.read(self)

    def assign(self, value: Any, use_locking: bool = False, read_value: bool = True) -> Variable:
        """Replaces the value and returns the Variable.

        Raises:
            ValueError: when shape or dtype differ from the Variable's.
        """
        from tfpy.convert import convert_to_tensor

        is_tensor = isinstance(value, Tensor | Variable)
        tensor = convert_to_tensor(value, None if is_tensor else self.dtype)
        if tensor.aval != self._aval:
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': it has shape {self.shape} and "
                f"dtype {self.dtype.name}, the value has {tensor.shape} and {tensor.dtype.name}"
            )
        self.hold(tensor.alias())
        return self

    def assign_add(
        self, delta: Any, use_locking: bool = False, read_value: bool = True
    ) -> Variable:
        """Adds to the value.

        Raises:
            InvalidArgumentError: when the shapes differ.
        """
        return self._update(elementwise.add, delta)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, read_value: bool = True
    ) -> Variable:
        """Subtracts from the value.

        Raises:
            InvalidArgumentError: when the shapes differ.
        """
        return self._update(elementwise.subtract, delta)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Replaces what ``indices`` [..., depth] name (``tf.tensor_scatter_nd_update``)."""
        return self._scatter("update", indices, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Adds to what ``indices`` [..., depth] name."""
        return self._scatter("add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Subtracts from what ``indices`` [..., depth] name."""
        return self._scatter("sub", indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Keeps the larger of what ``indices`` [..., depth] name and the updates."""
        return self._scatter("max", indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Keeps the smaller of what ``indices`` [..., depth] name and the updates."""
        return self._scatter("min", indices, updates)

    def _scatter(self, kind: str, indices: Any, updates: Any) -> Variable:
        from tfpy import scattering

        scatter = {
            "update": scattering.tensor_scatter_nd_update,
            "add": scattering.tensor_scatter_nd_add,
            "sub": scattering.tensor_scatter_nd_sub,
            "max": scattering.tensor_scatter_nd_max,
            "min": scattering.tensor_scatter_nd_min,
        }[kind]
        return self.assign(scatter(self.tensor, indices, updates))

    def _update(self, op: Op, delta: Any) -> Variable:
        from tfpy.convert import as_tensors

        value, change = as_tensors(op, (self.tensor, delta))
        if change.aval.shape != self._aval.shape:
            raise invalid(
                op.name,
                f"Cannot update variable with shape {list(self.shape)} using a Tensor with shape "
                f"{list(change.shape)}, shapes must be equal",
            )
        self.hold(op(value, change).alias())
        return self

    def numpy(self) -> Any:
        """The value as a NumPy array; waits for the device."""
        return self.tensor.numpy()

    async def data(self) -> Any:
        """The value as a NumPy array, without blocking the page."""
        return await self.tensor.data()

    def data_sync(self) -> Any:
        return self.tensor.numpy()

    def ref(self) -> Any:
        return _Reference(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.tensor.__array__(dtype, copy)

    def __len__(self) -> int:
        return len(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __format__(self, spec: str) -> str:
        return format(self.tensor, spec) if spec else str(self)

    def __iter__(self) -> Any:
        return iter(self.value())

    def __repr__(self) -> str:
        what = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        if tracing.active:
            return f"{what}>"
        return f"{what}, numpy={printed(self.tensor, repr)}>"
