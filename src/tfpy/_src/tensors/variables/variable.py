"""`tf.Variable`: a mutable tensor."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import WIDER, DType
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core import tape as tapes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.name_scope import prefix
from tfpy._src.core.tensor import Reference, Tensor
from tfpy._src.core.tensor_shape import TensorShape, known_shape
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.variables import creators
from tfpy._src.tensors.variables.assignment import AssignMethods
from tfpy._src.tensors.variables.distribution import (
    VariableAggregation,
    VariableSynchronization,
    kinds,
    scope,
)
from tfpy._src.tensors.variables.python_values import PythonValues
from tfpy._src.tensors.variables.text import text_of

OF_REPLICAS: dict[VariableSynchronization, type[Variable]] = {}
"""Classes that replace Variable in the scope of several replicas. They register themselves."""

OF_GRAPHS: list[type[Variable]] = []  # the class that replaces Variable in graphs

_SYNCHRONIZATION = 9  # position of the argument `synchronization` of `Variable`


class _Creatable(ABCMeta):
    """The class of Variable, which calls the functions of `tf.variable_creator_scope`."""

    __signature__ = property(creators.signature_of)  # for the reference and editors

    if not TYPE_CHECKING:  # type checkers find the arguments of `__init__`

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if cls is not Variable or not creators.local.creators:
                return super().__call__(*args, **kwargs)
            return creators.created(super().__call__, cls, args, kwargs)


class Variable(AssignMethods, PythonValues, metaclass=_Creatable):
    """A mutable tensor with a fixed dtype and, usually, a fixed shape.

    A Variable can be passed to ops like a tensor, and the op reads its current value. The methods
    `assign`, `assign_add` and others replace the value.

    Args:
        initial_value: Initial value, a tensor or a value that can be converted to one, or a
            function without arguments that returns such a value. Required.
        trainable: If True, the Variable is one of the trainable Variables of modules and models,
            and every `tf.GradientTape` watches it automatically. Default: True, or False if
            `synchronization` is `tf.VariableSynchronization.ON_READ`.
        validate_shape, caching_device, variable_def, import_scope: Has no effect.
        name: Name, which is prefixed with the active `tf.name_scope`. Default: `"Variable"`.
        dtype: Dtype of the Variable. Default: the dtype of the initial value.
        constraint: Function that takes the value and returns the value to store in its place, such
            as a non-negative one. Optimizers call it after each update. Default: no constraint.
        synchronization: Time at which the replicas of a `tf.distribute` strategy agree on the
            value, a `tf.VariableSynchronization`.
        aggregation: How the values that replicas assign are combined, a `tf.VariableAggregation`.
        shape: Shape that every value must match. Default: the shape of the initial value. A
            dimension of None matches any size, and `tf.TensorShape(None)` matches any shape. A
            `tf.function` that reads a Variable with such a shape runs eagerly, without compilation.
        experimental_enable_variable_lifting: Has no effect.

    Raises:
        ValueError: If the initial value is missing or does not match `shape`, or if
            `synchronization` or `aggregation` is not valid.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0])
        >>> v.assign_add([1.0, 1.0]).numpy().tolist()
        [2.0, 3.0]
        >>> (v * 2.0).numpy().tolist()
        [4.0, 6.0]

    See also: `tf.GradientTape`, `tf.Module`, `tf.constant`.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Variable:
        if cls is Variable and scope.replicas > 1:
            kind = kwargs.get("synchronization", VariableSynchronization.AUTO)
            kind = args[_SYNCHRONIZATION] if len(args) > _SYNCHRONIZATION else kind
            cls = OF_REPLICAS.get(kind, cls)
        if cls is Variable and tracing.in_graph():
            cls = OF_GRAPHS[0]
        return object.__new__(cls)

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: DTypeLike | None = None,
        import_scope: object = None,
        constraint: Callable[..., TensorLike] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: ShapeLike | None = None,
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
            self.number = creators.next_number(self)
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

    name: str
    """Name of the Variable, with the name scope in which it was created and the suffix `:0`."""

    trainable: bool
    """True if tapes watch the Variable automatically."""

    constraint: Callable[..., TensorLike] | None
    """Function that optimizers apply to each updated value, or None."""

    strategy: Any
    """The `tf.distribute` strategy in whose scope the Variable was created, or None."""

    held: Tensor
    """Current value. Tapes and traces do not record this access."""

    saved_as: int | None = None
    """Number of the dtype in checkpoints if TensorFlow's dtype is wider, and otherwise None."""

    def hold(self, tensor: Tensor) -> None:
        """Store a tensor as the value, immediately or in the trace.

        Args:
            tensor: The new value. It must not be shared with other objects.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable(1.0)
            >>> v.hold(tf.constant(2.0))
            >>> print(v.numpy())
            2.0
        """
        active = tracing.local.active
        if active:
            active[-1].assign(self, tensor)
            return
        tensor.kept = True
        self.held, self._aval = tensor, tensor.aval

    @property
    def aval(self) -> Aval:
        """Shape and dtype of the value. They are constant unless `has_open_shape` is True."""
        return self._aval

    @property
    def shape(self) -> TensorShape:
        """Shape of the Variable. A dimension that may differ between its values is None."""
        if self._open_shape is not None:
            return self._open_shape
        return known_shape(self._aval.shape)

    @property
    def has_open_shape(self) -> bool:
        """True if values of different shapes can be assigned."""
        return self._open_shape is not None

    def get_shape(self) -> TensorShape:
        """Return the shape of the Variable, as `shape` does.

        Returns:
            A `tf.TensorShape`.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([[1.0, 2.0]]).get_shape()
            TensorShape([1, 2])
        """
        return self.shape

    def set_shape(self, shape: ShapeLike) -> None:
        """Check that the shape of the Variable is compatible with an expected shape.

        Args:
            shape: Expected shape. A dimension of None matches any size.

        Raises:
            ValueError: If the shapes are not compatible.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).set_shape([None])  # does not raise an error
        """
        if not self.shape.is_compatible_with(TensorShape(shape)):
            raise ValueError(f"{self.name}: shapes {self.shape} and {shape} are not compatible")

    @property
    def dtype(self) -> DType:
        """Dtype of the elements."""
        return self._aval.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._aval.rank

    @property
    def device(self) -> str:
        """Name of the device that stores the value, in TensorFlow's format."""
        return self.tensor.device

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return True, because a Variable always has a value.

        Returns:
            Boolean scalar.

        Example:
            >>> import tfpy as tf
            >>> print(tf.Variable(1.0).is_initialized().numpy())
            True
        """
        return constant(True)

    @property
    def handle(self) -> Variable:
        """The Variable itself, for libraries that read TensorFlow's resource handle."""
        return self

    @property
    def _unique_id(self) -> str:
        """A unique key, which libraries for TensorFlow read."""
        return f"{self.name.removesuffix(':0')}_{self.number}"

    @property
    def _shared_name(self) -> str:
        return self.name.removesuffix(":0")

    def value(self) -> Tensor:
        """Return the current value as a tensor, through which gradients flow to the Variable.

        Returns:
            Tensor with the shape and dtype of the Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).value().numpy().tolist()
            [1.0, 2.0]
        """
        for tape in tapes.local.active:
            tape.on_read(self)
        return self.tensor

    def read_value(self) -> Tensor:
        """Return the current value, as `value` does.

        Returns:
            Tensor with the shape and dtype of the Variable.

        Example:
            >>> import tfpy as tf
            >>> tf.Variable([1.0, 2.0]).read_value().numpy().tolist()
            [1.0, 2.0]
        """
        return self.value()

    @property
    def tensor(self) -> Tensor:
        """Current value. Tapes do not record this access."""
        trace = tracing.current()
        return self.held if trace is None else trace.read(self)

    def _assigned(self, read_value: bool) -> Variable | None:
        """Return the result of an assignment."""
        if not read_value:
            return None
        return self if tracing.local.active else _Assigned(self)

    @property
    def origin(self) -> Variable:
        """The Variable that holds the value: only results of assignments have another origin."""
        return self

    def ref(self) -> Reference:
        """Return a reference to the Variable that can be a key of a dictionary.

        References to the same Variable are equal. A Variable itself is not hashable.

        Returns:
            Reference whose method `deref()` returns the Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable(1.0)
            >>> names = {v.ref(): "weight"}
            >>> names[v.ref()]
            'weight'
        """
        return Reference(self)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __copy__(self) -> Variable:
        """Return the Variable itself, because its value is stored once."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        """Return a new Variable with the same value and name."""
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
        return text_of(self, self._shown_name)

    def _repr_html_(self) -> str:
        trainable = "trainable" if self.trainable else "not trainable"
        facts = [self._shown_name, f"shape {self.shape}", self.dtype.name, trainable]
        return self.held.shown("tf.Variable", facts)


def hold_all(variables: Sequence[Variable], tensors: Sequence[Tensor]) -> None:
    """Store a value in each Variable, outside traces. This is faster than calls of `hold`."""
    for variable, tensor in zip(variables, tensors, strict=True):
        if variable.held is not tensor:
            tensor.kept = True
            variable.held, variable._aval = tensor, tensor.aval


class _Assigned(Variable):
    """The result of an assignment: the same Variable, with TensorFlow's representation."""

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
