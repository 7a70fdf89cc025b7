"""Base classes of the values that ops accept: operands, Variables, composites and records.

`operators.py` defines Python's operators on operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.base.members import Listed, package_members

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op
    from tfpy._src.core.tensor import Tensor


class AbsentAttribute:
    """An attribute that tensors do not have, although arrays of other libraries do.

    Access on a tensor raises an AttributeError that names the function to use instead. So `hasattr`
    is False, and other attributes cost nothing.
    """

    def __init__(self, instead: str) -> None:
        self._instead = instead

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, value: Any, kind: type) -> Any:
        if value is None:
            return self
        raise AttributeError(
            f"'{kind.__name__}' object has no attribute '{self._name}'; use {self._instead}",
            name=self._name,
            obj=value,
        )


Unary = Callable[[Any], "Tensor"]
Binary = Callable[[Any, Any], "Tensor"]


class AnyTensor:
    """Base of the dense tensors that `tf.is_tensor` recognizes, also in other libraries.

    An instance of a class other than `Operand` is converted to a tensor by its method
    `__tf_tensor__(dtype, name)`.
    """

    __slots__ = ()


_PACKAGE_MEMBERS = frozenset(
    (
        "alias", "apply_op", "as_tensor", "aval", "components", "dense_at", "differentiable",
        "followed_by", "has_open_shape", "has_values", "held", "hold", "host_indices",
        "host_shape", "host_view", "identity", "kept", "line", "nested_splits", "number",
        "origin", "per_value", "positions", "saved_as", "shown", "slot_on", "splits",
        "storage", "strategy", "tensor", "unseen", "with_components",
        "with_differentiable", "wrapped",
    )
)  # fmt: skip
"""Members of operands that only tfpy uses."""


class Operand(Listed):
    """A value that ops accept. Dtypes must agree; Python numbers take the dtype of the operand."""

    __slots__ = ()
    _package_members = _PACKAGE_MEMBERS
    __array_priority__ = 100  # NumPy calls the operators of this class for mixed operands

    __add__: ClassVar[Binary]
    __radd__: ClassVar[Binary]
    __sub__: ClassVar[Binary]
    __rsub__: ClassVar[Binary]
    __mul__: ClassVar[Binary]
    __rmul__: ClassVar[Binary]
    __truediv__: ClassVar[Binary]
    __rtruediv__: ClassVar[Binary]
    __floordiv__: ClassVar[Binary]
    __rfloordiv__: ClassVar[Binary]
    __mod__: ClassVar[Binary]
    __rmod__: ClassVar[Binary]
    __pow__: ClassVar[Binary]
    __rpow__: ClassVar[Binary]
    __matmul__: ClassVar[Binary]
    __rmatmul__: ClassVar[Binary]
    __and__: ClassVar[Binary]
    __rand__: ClassVar[Binary]
    __or__: ClassVar[Binary]
    __ror__: ClassVar[Binary]
    __xor__: ClassVar[Binary]
    __rxor__: ClassVar[Binary]
    __lt__: ClassVar[Binary]
    __le__: ClassVar[Binary]
    __gt__: ClassVar[Binary]
    __ge__: ClassVar[Binary]
    __neg__: ClassVar[Unary]
    __abs__: ClassVar[Unary]
    __invert__: ClassVar[Unary]
    __getitem__: ClassVar[Binary]
    __int__: ClassVar[Callable[[Any], int]]
    __eq__: Any
    __ne__: Any
    __hash__ = None  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        """Return the names that programs use."""
        absent = {
            n for c in type(self).__mro__ for n, v in vars(c).items() if type(v) is AbsentAttribute
        }
        return sorted({*object.__dir__(self)} - package_members(type(self)) - absent)


class DenseOperand(Operand, AnyTensor):
    """A dense tensor or a Variable, with errors for what only arrays of other libraries can do."""

    __slots__ = ()

    T = AbsentAttribute("tf.transpose(x)")
    astype = AbsentAttribute("tf.cast(x, dtype)")
    backward = AbsentAttribute("tf.GradientTape and its method gradient")
    clip = AbsentAttribute("tf.clip_by_value(x, low, high)")
    cpu = AbsentAttribute("x.numpy(), or await x.data() in a page")
    detach = AbsentAttribute("tf.stop_gradient(x)")
    flatten = AbsentAttribute("tf.reshape(x, [-1])")
    item = AbsentAttribute("x.numpy().item(), or (await x.data()).item() in a page")
    max = AbsentAttribute("tf.reduce_max(x)")
    mean = AbsentAttribute("tf.reduce_mean(x)")
    min = AbsentAttribute("tf.reduce_min(x)")
    ravel = AbsentAttribute("tf.reshape(x, [-1])")
    reshape = AbsentAttribute("tf.reshape(x, shape)")
    squeeze = AbsentAttribute("tf.squeeze(x)")
    sum = AbsentAttribute("tf.reduce_sum(x)")
    tolist = AbsentAttribute("x.numpy().tolist(), or (await x.data()).tolist() in a page")
    transpose = AbsentAttribute("tf.transpose(x)")

    def __setitem__(self, key: object, value: object) -> None:
        """Raise an error that names the functions to use instead.

        Raises:
            TypeError: Always, as in TensorFlow.
        """
        raise TypeError(
            f"'{type(self).__name__}' object does not support item assignment. Use "
            "x = tf.tensor_scatter_nd_update(x, indices, updates), or v[key].assign(value) of a "
            "tf.Variable v"
        )


class Holder(DenseOperand, ABC):
    """An object that holds a tensor and can replace it: a Variable."""

    __slots__ = ()

    aval: Any

    @property
    @abstractmethod
    def tensor(self) -> Tensor:
        """Current value. Reading it is not recorded by tapes."""

    @abstractmethod
    def value(self) -> Tensor:
        """Return the current value."""


class HostObject:
    """Base of objects that exist only on the host, such as the iterator over a dataset.

    A Graph cannot contain such an object. A function that receives one runs as Python, and the
    functions that it calls are traced.
    """

    __slots__ = ()


class Dispatched:
    """Base of values for which functions register their own implementations (`dispatch.py`)."""

    __slots__ = ()

    def per_value(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """Return a function that maps `function` over the values of composite arguments.

        Args:
            function: Function that computes each value independently.

        Returns:
            A function of composites, or None if `function` itself accepts composites.
        """
        return None


class HostComposite(Dispatched):
    """The arrays of a composite. Functions for composites convert it to the composite."""

    __slots__ = ()

    def as_composite(self) -> Composite:
        """Return the composite with the values of the arrays."""
        raise NotImplementedError

    def apply_op(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Compute an op that has this value among its inputs."""
        return op(*map(with_composites, inputs), **attrs)


def with_composites(value: Any) -> Any:
    """Convert the arrays of a composite, also in a list or tuple, to the composite."""
    if isinstance(value, HostComposite):
        return value.as_composite()
    return type(value)(map(with_composites, value)) if type(value) in (list, tuple) else value


class PythonValue:
    """A value, such as a dataset, that functions can return only when they run in Python."""

    __slots__ = ()


def check_untraced(value: object) -> None:
    """Raise an error for a `PythonValue` that a traced function returns. It then runs in Python.

    Raises:
        NotTraceableError: While a function is traced.
    """
    if isinstance(value, PythonValue) and tracing.local.active:
        raise NotTraceableError(
            f"A {type(value).__name__} cannot be the result of a compiled function or branch, "
            "because it runs in Python."
        )


class Composite(Dispatched):
    """A value that consists of tensors, and is one leaf in nests. Loops and gradients use them."""

    __slots__ = ()

    is_like_tensor: ClassVar[bool] = True
    """True if `tf.is_tensor` recognizes the value."""

    def as_tensor(self) -> Tensor:
        """Convert the value to one tensor.

        Returns:
            Dense tensor of the elements.

        Raises:
            ValueError: If the caller must choose a conversion.
        """
        raise NotImplementedError

    @property
    def differentiable(self) -> Tensor:
        """Tensor of the elements, through which gradients flow."""
        raise NotImplementedError

    def with_differentiable(self, tensor: Any) -> Any:
        """Return a value of the same structure with different elements, such as gradients.

        Args:
            tensor: Elements, of the shape of `differentiable`.

        Returns:
            A value of the same class.
        """
        raise NotImplementedError

    @property
    def gradient_parts(self) -> list[Any] | None:
        """Tensors and Variables of a value without `differentiable`, otherwise None."""
        return None

    @property
    def components(self) -> tuple[Tensor, ...]:
        """Tensors of which the value consists."""
        raise NotImplementedError

    def with_components(self, components: Sequence[Any]) -> Any:
        """Return a value of the same kind with different components.

        Args:
            components: Tensors in the order of `components`.

        Returns:
            A value of the same class.
        """
        raise NotImplementedError


class Wrapper(Composite):
    """A composite of one tensor. Functions are traced for the shape and dtype of this tensor."""

    __slots__ = ()

    @property
    def wrapped(self) -> Tensor:
        """The wrapped tensor."""
        raise NotImplementedError

    @property
    def components(self) -> tuple[Tensor, ...]:
        return (self.wrapped,)


class DenseWrapper(Wrapper):
    """A wrapper that stands for its tensor. Gradients flow through it."""

    __slots__ = ()

    def as_tensor(self) -> Tensor:
        return self.wrapped

    @property
    def differentiable(self) -> Tensor:
        return self.wrapped

    def with_differentiable(self, tensor: Any) -> Any:
        return self.with_components((tensor,))


class FieldRecord:
    """Base of values with named fields, some of which contain tensors: extension types.

    `tf.nest` treats a record as one leaf; `core/records.py` expands it. The names of its methods
    cannot be names of fields.
    """

    __slots__ = ()

    def __parts__(self) -> list[Any]:
        """Return the tensors, composites and records in the fields, in order."""
        raise NotImplementedError

    def __with_parts__(self, parts: Sequence[Any]) -> Any:
        """Return a record with other parts and the same static fields."""
        raise NotImplementedError

    def __facts__(self) -> Hashable:
        """Return a key of the static fields and the structure of the fields."""
        raise NotImplementedError

    def __spec__(self) -> Any:
        """Return the description of the record."""
        raise NotImplementedError


class CompositeOperand(Composite, Operand):
    """A composite that elementwise ops accept directly; they compute on some of its tensors."""

    __slots__ = ()

    def apply_op(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Compute an op that has this value among its inputs.

        Args:
            op: Record of the op.
            inputs: Operands of the op.
            attrs: Attributes of the op.

        Returns:
            The result, usually of the class of this value.

        Raises:
            ValueError: If the op is not defined elementwise.
        """
        raise NotImplementedError

    def as_tensor(self) -> Tensor:
        raise ValueError(
            f"Attempt to convert a {type(self).__name__} to a Tensor. Use to_tensor() or "
            "tf.sparse.to_dense, or a function that supports this type."
        )


# The following are tuples, because most calls read them, and a union would be built each time.

SELF_APPLYING = (CompositeOperand, HostComposite)
"""Classes of operands that compute ops themselves."""

OPERANDS = (Operand, Composite)
"""Classes of values that ops accept directly."""

WITH_TENSORS = (Operand, Composite, FieldRecord)
"""Classes of values that are or contain tensors."""
