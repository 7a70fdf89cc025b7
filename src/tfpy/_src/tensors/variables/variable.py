"""``tf.Variable``: a named place whose value can be replaced."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import WIDER, DType
from tfpy._src.base.errors import OutOfRangeError, invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops import Op, elementwise
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.name_scope import prefix
from tfpy._src.core.tensor import Reference, Tensor, printed
from tfpy._src.core.tensor_shape import TensorShape, known_shape
from tfpy._src.tensors.array import indexing
from tfpy._src.tensors.variables.distribution import (
    VariableAggregation,
    VariableSynchronization,
    kinds,
    scope,
)
from tfpy._src.tensors.variables.python_values import PythonValues
from tfpy._src.tensors.variables.scatter import ScatterMethods

_numbers = count(1)
_live: WeakValueDictionary[int, Variable] = WeakValueDictionary()  # by number


OF_REPLICAS: dict[VariableSynchronization, type[Variable]] = {}
"""What is made instead in the scope of several replicas; who has such a class enters it."""


def live_variables() -> list[Variable]:
    """All Variables that there are."""
    return list(_live.values())


class Variable(ScatterMethods, PythonValues):
    """Holds a tensor; ops read its value, ``assign`` replaces it by one of its shape and dtype.

    Args:
        initial_value: anything that converts to a tensor, or a function without arguments.
        trainable: whether tapes watch it by themselves.
        constraint: kept for optimizers, which apply it to the updated value.
        shape: what every value must fit: the initial one's shape by default. Where a size (or all
            of it) is None, values of several shapes do, and functions that read it run op by op.
        synchronization, aggregation: how replicas of a strategy see and change it; ON_READ makes
            it untrainable.
        validate_shape, caching_device, variable_def, import_scope: of no effect.
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

    def __new__(cls, *args: Any, **kwargs: Any) -> Variable:
        if cls is Variable and scope.replicas > 1:
            cls = OF_REPLICAS.get(kwargs.get("synchronization", VariableSynchronization.AUTO), cls)
        return object.__new__(cls)

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
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified")
        trace, above = tracing.current(), prefix()
        with tracing.init_scope():
            initial = initial_value() if callable(initial_value) else initial_value
            tensor = convert_to_tensor(initial, dtype)
            self.synchronization, self.aggregation, self.trainable = kinds(
                synchronization, aggregation, trainable, name, tensor.dtype.is_floating
            )
            self.constraint = constraint
            self.strategy = scope.strategy
            self.number = next(_numbers)
            _live[self.number] = self
            self.name = f"{above}{name or 'Variable'}:0"
            self._aval = tensor.aval
            if dtype is None:
                self.saved_as = WIDER.get(str(getattr(initial, "dtype", "")))
            self._open_shape: TensorShape | None = None
            if shape is not None:
                self.set_shape(shape)
                given = TensorShape(shape)
                self._open_shape = None if given.is_fully_defined() else given
            self.hold(scope.initial(tensor))
        if trace is not None:
            trace.on_variable_made(self)

    strategy: Any
    """That in whose scope it was made, if any."""

    held: Tensor
    """The present value, unseen by tapes and traces."""

    saved_as: int | None = None
    """The number of the dtype that checkpoints have of it, where TensorFlow's is wider."""

    def hold(self, tensor: Tensor) -> None:
        """Takes a tensor of the Variable's own as the value, at once or within the trace."""
        active = tracing.local.active
        if active:
            active[-1].assign(self, tensor)
            return
        tensor.kept = True
        self.held, self._aval = tensor, tensor.aval

    @property
    def aval(self) -> Aval:
        """Shape and dtype of the value, which stay unless :attr:`has_open_shape`."""
        return self._aval

    @property
    def shape(self) -> TensorShape:
        """The sizes of its dimensions; None for one that values may differ in."""
        if self._open_shape is not None:
            return self._open_shape
        return known_shape(self._aval.shape)

    @property
    def has_open_shape(self) -> bool:
        """Whether values of several shapes fit it."""
        return self._open_shape is not None

    def get_shape(self) -> TensorShape:
        """:attr:`shape`."""
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
        """The type of its elements."""
        return self._aval.dtype

    @property
    def device(self) -> str:
        """The device that holds the value, as TensorFlow names it."""
        return self.tensor.device

    def is_initialized(self, name: str | None = None) -> Tensor:
        """True: a Variable always has a value."""
        return constant(True)

    @property
    def handle(self) -> Variable:
        """The Variable itself, for libraries that ask for TensorFlow's resource."""
        return self

    @property
    def _unique_id(self) -> str:
        """A key that no other Variable has; what libraries for TensorFlow read."""
        return f"{self.name.removesuffix(':0')}_{self.number}"

    @property
    def _shared_name(self) -> str:
        return self.name.removesuffix(":0")

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return self._aval.rank

    def value(self) -> Tensor:
        """The present value; tapes that watch variables note the reading."""
        for tape in tapes.local.active:
            tape.on_read(self)
        return self.tensor

    def read_value(self) -> Tensor:
        """:meth:`value`."""
        return self.value()

    @property
    def tensor(self) -> Tensor:
        """The present value, unseen by tapes."""
        trace = tracing.current()
        return self.held if trace is None else trace.read(self)

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Any:  # fmt: skip
        """Replaces the value and returns the Variable, or None without ``read_value``.

        Raises:
            ValueError: when shape or dtype differ from the Variable's.
        """
        tensor = value
        if type(value) is not Tensor:
            is_tensor = isinstance(value, Tensor | Variable)
            tensor = convert_to_tensor(value, None if is_tensor else self.dtype)
        self._check_fits(tensor)
        replica = tracing.local.replica
        self.hold((tensor if replica is None else replica.agreed(self, tensor)).alias())
        return self._assigned(read_value)

    def _check_fits(self, tensor: Tensor) -> None:
        if not self._takes(tensor.aval.closed):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': it has shape {self.shape} and "
                f"dtype {self.dtype.name}, the value has {tensor.shape} and {tensor.dtype.name}"
            )

    def _takes(self, aval: Aval) -> bool:
        if self._open_shape is None:
            return aval is self._aval
        return aval.dtype == self.dtype and self._open_shape.is_compatible_with(aval.shape)

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

    def _assigned(self, read_value: bool) -> Variable | None:
        """What an assignment gives."""
        if not read_value:
            return None
        return self if tracing.local.active else _Assigned(self)

    @property
    def origin(self) -> Variable:
        """The Variable that holds the value: itself, unless an assignment gave this one."""
        return self

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 to an integer scalar; gives the value of before.

        Raises:
            OutOfRangeError: when it has reached ``limit``.
            TypeError: for a Variable of floats.
        """
        if not self.dtype.is_integer:
            raise TypeError(f"count_up_to: the Variable must be an integer, not {self.dtype.name}")
        before = self.read_value()
        if int(before.host_view()) >= limit:
            raise OutOfRangeError(None, "CountUpTo", f"count_up_to: reached the limit {limit}")
        self.assign_add(1)
        return before

    def __getitem__(self, key: Any) -> Tensor:
        """Part of the value; ``v[key].assign(value)`` replaces it, as far as it broadcasts."""
        part = indexing.getitem(self.value(), key)
        if not indexing.is_mask(key):
            part.assign = functools.partial(self._assign_part, key)
        return part

    def _assign_part(self, key: Any, value: Any, name: str | None = None) -> Variable:
        changed = indexing.assigned(self.tensor, key, value)
        replica = tracing.local.replica
        return self._changed(changed if replica is None else replica.agreed_part(self, changed))

    def _changed(self, value: Tensor) -> Any:
        self._check_fits(value)
        self.hold(value.alias())
        return self._assigned(read_value=True)

    def _update(self, op: Op, delta: Any, read_value: bool) -> Variable | None:
        change = convert_to_tensor(delta, self.dtype)
        if change.aval.shape != self._aval.shape:
            raise invalid(
                op.name,
                f"Cannot update variable with shape {list(self.shape)} using a Tensor with shape "
                f"{list(change.aval.shape)}, shapes must be equal",
            )
        if (replica := tracing.local.replica) is not None:
            change = replica.agreed_change(self, change)
        self.hold(op(self.tensor, change).alias())
        return self._assigned(read_value)

    def ref(self) -> Any:
        """A hashable reference, equal for the same Variable."""
        return Reference(self)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

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
            made.strategy = self.strategy
        memo[id(self)] = made
        return made

    @property
    def _shown_name(self) -> str:
        return self.name

    def __repr__(self) -> str:
        what = f"<tf.Variable '{self._shown_name}' shape={self.shape} dtype={self.dtype.name}"
        if tracing.local.active:
            return f"{what}>"
        return f"{what}, numpy={printed(self.tensor, repr)}>"

    def _repr_html_(self) -> str:
        trainable = "trainable" if self.trainable else "not trainable"
        facts = [self._shown_name, f"shape {self.shape}", self.dtype.name, trainable]
        return self.held.shown("tf.Variable", facts)


def hold_all(variables: Sequence[Variable], tensors: Sequence[Tensor]) -> None:
    """:meth:`Variable.hold` of each, outside of traces; a training step has many."""
    for variable, tensor in zip(variables, tensors, strict=True):
        if variable.held is not tensor:
            tensor.kept = True
            variable.held, variable._aval = tensor, tensor.aval


class _Assigned(Variable):
    """What an assignment gives: the same Variable, which prints as TensorFlow's does."""

    def __init__(self, origin: Variable) -> None:
        self.__dict__["_origin"] = origin.origin

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_origin"], name)

    @property
    def origin(self) -> Variable:
        found: Variable = self.__dict__["_origin"]
        return found

    @property
    def tensor(self) -> Tensor:
        return self.origin.tensor

    def value(self) -> Tensor:
        return self.origin.value()

    def hold(self, tensor: Tensor) -> None:
        self.origin.hold(tensor)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        return self.origin.__deepcopy__(memo)

    @property
    def _shown_name(self) -> str:
        return "UnreadVariable"
