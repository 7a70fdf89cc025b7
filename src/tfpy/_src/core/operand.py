"""What ops take: operands with Python's operators (``operators.py`` defines them), composites."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op
    from tfpy._src.core.tensor import Tensor

Unary = Callable[[Any], "Tensor"]
Binary = Callable[[Any, Any], "Tensor"]


class AnyTensor:
    """Base of what counts as a dense tensor (``tf.is_operand``): libraries have such classes, too.

    What is no :class:`Operand` gives its tensor by ``__tf_tensor__(dtype, name)``.
    """

    __slots__ = ()


class Operand:
    """A value that ops take. Dtypes must agree; Python numbers take the operand's."""

    __slots__ = ()
    __array_priority__ = 100  # NumPy leaves mixed operators to us

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
    __eq__: Any
    __ne__: Any
    __hash__ = None  # type: ignore[assignment]


class Holder(Operand, AnyTensor, ABC):
    """A place that holds a tensor: a Variable."""

    __slots__ = ()

    aval: Any

    @property
    @abstractmethod
    def tensor(self) -> Tensor:
        """The present value, unseen by tapes."""

    @abstractmethod
    def value(self) -> Tensor:
        """The present value."""


class HostObject:
    """Base of what lives on the host alone, such as the iterator over a dataset.

    No Graph can hold it: a function that takes one runs as Python, and what that calls is traced.
    """

    __slots__ = ()


class Dispatched:
    """Base of values that functions have implementations of their own for (``dispatch.py``)."""

    __slots__ = ()

    def per_value(self, function: Callable[..., Any]) -> Callable[..., Any] | None:
        """A function that maps ``function``, which computes each value alone, over the values of
        the composites among its arguments; None where ``function`` itself is to take them."""
        return None


class Composite(Dispatched):
    """A value made of several tensors: a leaf of nests, of which loops and gradients take parts."""

    __slots__ = ()

    def as_tensor(self) -> Tensor:
        """The tensor that converting the value gives.

        Raises:
            ValueError: where the caller must say how.
        """
        raise NotImplementedError

    @property
    def differentiable(self) -> Tensor:
        """The tensor that gradients flow through."""
        raise NotImplementedError

    def with_differentiable(self, tensor: Any) -> Any:
        """The same structure over other elements (such as gradients)."""
        raise NotImplementedError

    @property
    def components(self) -> tuple[Tensor, ...]:
        """The tensors that it is made of."""
        raise NotImplementedError

    def with_components(self, components: Sequence[Any]) -> Any:
        """A value of the same kind, made of others."""
        raise NotImplementedError


class Wrapper(Composite):
    """A composite of one tensor: what a function is traced for is that tensor's shape and dtype."""

    __slots__ = ()

    @property
    def wrapped(self) -> Tensor:
        """The tensor."""
        raise NotImplementedError

    @property
    def components(self) -> tuple[Tensor, ...]:
        return (self.wrapped,)


class CompositeOperand(Composite, Operand):
    """A composite that ops on elements take as it is; they compute on some of its tensors."""

    __slots__ = ()

    def apply_op(self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The result of an op of which this is an input.

        Raises:
            ValueError: when the op is not defined element by element.
        """
        raise NotImplementedError

    def as_tensor(self) -> Tensor:
        raise ValueError(
            f"Attempt to convert a {type(self).__name__} to a Tensor: use to_tensor() or "
            "tf.sparse.to_dense, or a function that takes it as it is"
        )
