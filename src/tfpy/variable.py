"""``tf.Variable``: a named place whose value can be replaced."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from tfpy import tracing
from tfpy.dtypes import DType
from tfpy.errors import invalid
from tfpy.ir.graph import Aval
from tfpy.name_scope import prefix
from tfpy.operand import Operand
from tfpy.ops import Op, elementwise
from tfpy.tape import active_tapes
from tfpy.tensor import Tensor, _Reference, printed
from tfpy.tensor_shape import TensorShape, known_shape
from tfpy.variable_kinds import VariableAggregation, VariableSynchronization, kinds
from tfpy.variable_updates import UncommonUpdates

_numbers = count(1)


def _refusing(sign: str, method: str) -> Callable[[Any, Any], Any]:
    def refuse(self: Any, value: Any) -> Any:
        raise RuntimeError(
            f"`variable {sign} value` with `tf.Variable`s is not supported. Use "
            f"`variable.{method}` to modify the variable, or `out = variable {sign[:-1]} value` "
            "to get a new output tensor"
        )

    return refuse


def _rows(sparse_delta: Any) -> tuple[Tensor, Tensor]:
    """Index vectors and values of indexed slices.

    Raises:
        TypeError: for something else.
    """
    from tfpy.array import expand_dims
    from tfpy.indexed_slices import IndexedSlices

    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
        )
    return expand_dims(sparse_delta.indices, -1), sparse_delta.values


class Variable(UncommonUpdates, Operand):
    """Holds a tensor of fixed shape and dtype; ops read its value, ``assign`` replaces it.

    Args:
        initial_value: anything that converts to a tensor, or a function without arguments.
        trainable: whether tapes watch it by themselves.
        constraint: kept for optimizers, which apply it to the updated value.
        shape: must fit the initial value's, which it is.
        synchronization, aggregation: kept; ON_READ makes it untrainable.
        validate_shape, caching_device, variable_def, import_scope,
        experimental_enable_variable_lifting: of no effect.

    Raises:
        ValueError: when the initial value is missing or does not fit ``shape``, and for
            synchronization and aggregation that there are not.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0])
        >>> print(v.assign_add([1.0, 1.0]).numpy())
        [2. 3.]
    """

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        from tfpy.convert import convert_to_tensor

        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified")
        trace, scope = tracing.current(), prefix()
        with tracing.init_scope():
            initial = initial_value() if callable(initial_value) else initial_value
            tensor = convert_to_tensor(initial, dtype)
            self.synchronization, self.aggregation, self.trainable = kinds(
                synchronization, aggregation, trainable, name
            )
            self.constraint = constraint
            self.number = next(_numbers)
            self.name = f"{scope}{name or 'Variable'}:0"
            self._aval = tensor.aval
            if shape is not None:
                self.set_shape(shape)
            self.hold(tensor.alias())
        if trace is not None:
            trace.on_variable_made(self)

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
        return known_shape(self._aval.shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Checks that the shape, in which None stands for any size, fits.

        Raises:
            ValueError: when it does not.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"{self.name}: shapes {self.shape} and {shape} are not compatible")

    @property
    def dtype(self) -> DType:
        return self._aval.dtype

    @property
    def device(self) -> str:
        """Name of the backend that holds the value; "host" before the first use."""
        return self.tensor.device

    def is_initialized(self, name: str | None = None) -> Tensor:
        """True: a Variable always has a value."""
        from tfpy.convert import constant

        return constant(True)

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

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replaces the value and returns the Variable, or None without ``read_value``.

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
        return self if read_value else None

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Adds to the value.

        Raises:
            InvalidArgumentError: when the shapes differ.
        """
        return self._update(elementwise.add, delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Subtracts from the value.

        Raises:
            InvalidArgumentError: when the shapes differ.
        """
        return self._update(elementwise.subtract, delta, read_value)

    def __getitem__(self, key: Any) -> Tensor:  # type: ignore[override]
        """Part of the value; ``v[key].assign(value)`` replaces it, as far as it broadcasts."""
        from tfpy import slicing

        part = slicing.getitem(self.value(), key)
        if not slicing.is_mask(key):
            part.assign = functools.partial(self._assign_part, key)
        return part

    def _assign_part(self, key: Any, value: Any, name: str | None = None) -> Variable:
        from tfpy import slicing

        return self.assign(slicing.assigned(self.tensor, key, value))

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

    def scatter_update(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replaces the rows that ``tf.IndexedSlices`` hold; of equal indices the last one stays."""
        return self._scatter("update", *_rows(sparse_delta))

    def scatter_add(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Adds ``tf.IndexedSlices`` to their rows."""
        return self._scatter("add", *_rows(sparse_delta))

    def scatter_sub(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Subtracts ``tf.IndexedSlices`` from their rows."""
        return self._scatter("sub", *_rows(sparse_delta))

    def scatter_max(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Keeps the larger of the rows and ``tf.IndexedSlices``."""
        return self._scatter("max", *_rows(sparse_delta))

    def scatter_min(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Keeps the smaller of the rows and ``tf.IndexedSlices``."""
        return self._scatter("min", *_rows(sparse_delta))

    def scatter_mul(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Multiplies the rows by ``tf.IndexedSlices``."""
        return self.assign(self.tensor * self._factors(sparse_delta))

    def scatter_div(
        self, sparse_delta: Any, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Divides the rows by ``tf.IndexedSlices``."""
        return self.assign(elementwise.real_div(self.tensor, self._factors(sparse_delta)))

    def _factors(self, sparse_delta: Any) -> Tensor:
        """What each row is to be multiplied by; 1 where no index names it."""
        from tfpy.segments import unsorted_segment_prod

        _rows(sparse_delta)
        return unsorted_segment_prod(sparse_delta.values, sparse_delta.indices, self.shape[0])

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """``tf.gather_nd`` of the value."""
        from tfpy.scattering import gather_nd

        return gather_nd(self, indices)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows at ``indices``."""
        from tfpy.slicing import gather

        return gather(self, indices)

    def _update(self, op: Op, delta: Any, read_value: bool) -> Variable | None:
        from tfpy.convert import convert_to_tensor

        change = convert_to_tensor(delta, self.dtype)
        if change.aval.shape != self._aval.shape:
            raise invalid(
                op.name,
                f"Cannot update variable with shape {list(self.shape)} using a Tensor with shape "
                f"{list(change.shape)}, shapes must be equal",
            )
        self.hold(op(self.tensor, change).alias())
        return self if read_value else None

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

    def __copy__(self) -> Variable:
        """The Variable itself: its value has one place."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        """Another Variable of the same value and name."""
        with tracing.init_scope():
            made = Variable(
                self.tensor,
                self.trainable,
                name=self.name.removesuffix(":0"),
                constraint=self.constraint,
            )
        memo[id(self)] = made
        return made

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

    def __repr__(self) -> str:
        what = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        if tracing.active:
            return f"{what}>"
        return f"{what}, numpy={printed(self.tensor, repr)}>"
