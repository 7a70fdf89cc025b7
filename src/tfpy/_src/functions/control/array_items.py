"""The elements of an eager `TensorArray`, and their description for control flow in traces."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn, Self

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType, int32
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import either
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.control import list_items
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.static import static_int


class ElementShapes(ABC):
    """The dtype and the shape of a TensorArray's elements."""

    _dtype: DType
    _shape: tuple[int | None, ...] | None
    _infer: bool
    """If True, all elements must have the shape of the first one."""

    @property
    def dtype(self) -> DType:
        """Dtype of the elements."""
        return self._dtype

    @property
    def element_shape(self) -> TensorShape | None:
        """Shape of all elements; None while it is unknown."""
        return None if self._shape is None else TensorShape(self._shape)

    @abstractmethod
    def _written_shape(self) -> tuple[int, ...] | None:
        """Return the shape of the written elements, if they have the same shape."""

    def _known_shape(self) -> tuple[int, ...]:
        shape = self._shape
        if shape is None or None in shape:
            shape = self._written_shape()
        if shape is None:
            raise ValueError(
                f"An element of a TensorArray was never written and its shape is {self._shape}: "
                "write it, or pass element_shape"
            )
        return tuple(n for n in shape if n is not None)

    def _check(self, element: Aval) -> None:
        """Raise an error unless an element may have this shape and dtype."""
        if element.dtype != self._dtype:
            raise InvalidArgumentError(
                None,
                "TensorArrayWrite",
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{element.dtype.name}",
            )
        if not _compatible(self._shape, element.shape):
            raise ValueError(
                f"Incompatible shape for value ({TensorShape(element.shown)}), expected "
                f"({self._shape})"
            )
        if self._infer:
            self._shape = element.shape


def _compatible(pattern: tuple[int | None, ...] | None, shape: tuple[int, ...]) -> bool:
    """Return True if a shape matches a pattern, in which None matches any size."""
    return pattern is None or (
        len(pattern) == len(shape)
        and all(p is None or p == n for p, n in zip(pattern, shape, strict=True))
    )


class ArrayItems(ElementShapes):
    """The elements of a TensorArray and the properties that do not depend on their values."""

    _clear: bool
    """True if an element can be read only once outside of functions."""
    _dynamic: bool
    _items: list[Tensor | None]
    _length: int
    """Number of elements. It may be an open size."""
    _read: set[int]
    """Indices of the elements that were read and cleared."""
    _trace: Any
    """Trace in which the array was made, or None."""
    _whole: Tensor | None
    """Tensor with the elements as rows, if it is known."""

    def _take(self, flow: Tensor, size: Any, element_shape: Any) -> None:
        """Take the elements from a list."""
        if size is not None or element_shape is not None:
            other = "size" if size is not None else "element_shape"
            raise ValueError(
                f"Cannot provide both `flow` and `{other}` arguments at the same time."
            )
        self._clear = False
        self._items, self._whole = list_items.items_of(flow, self._dtype)
        known = list_items.description(flow)
        self._shape = known.shape
        self._length = len(self._items) if known.count is None else known.count

    @property
    def dynamic_size(self) -> bool:
        """True if writing past the end extends the array."""
        return self._dynamic

    @property
    def handle(self) -> None:
        """None, as for TensorFlow's eager arrays. Exists for compatibility with TensorFlow."""
        return None

    def identity(self) -> Self:
        """Return the array itself, for compatibility with TensorFlow.

        Returns:
            This TensorArray.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.float32, size=2)
            >>> array.identity() is array
            True
        """
        return self

    def grad(self, source: str, flow: object = None, name: str | None = None) -> NoReturn:
        """Raise an error, as TensorFlow does in eager execution. Use `tf.GradientTape` instead.

        Args:
            source: Has no effect.
            flow: Has no effect.

        Raises:
            NotImplementedError: Always, because `tf.GradientTape` differentiates through arrays.

        Example:
            >>> import tfpy as tf
            >>> x = tf.Variable(3.0)
            >>> with tf.GradientTape() as tape:
            ...     y = tf.TensorArray(tf.float32, size=1).write(0, x * x).read(0)
            >>> print(tape.gradient(y, x).numpy())
            6.0
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; use tf.GradientTape, which "
            "differentiates through a TensorArray"
        )

    def close(self, name: str | None = None) -> None:
        """Remove all elements and release their memory. The size is 0 afterwards.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.float32, size=2)
            >>> array.close()
            >>> print(array.size().numpy())
            0
        """
        self._items, self._whole = [], None

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of elements.

        Returns:
            Scalar int32 tensor.

        Example:
            >>> import tfpy as tf
            >>> print(tf.TensorArray(tf.float32, size=2).size().numpy())
            2
        """
        count, graph = either(len(self._items), self._length), tracing.active_graph()
        if graph is None:
            return as_tensor(count, int32)
        found: Tensor = graph.record(as_tensor, (count, int32), {}, "TensorArraySizeV3")
        return found

    # Copies, and the description that control flow in traces needs

    @property
    def elements(self) -> list_items.Elements:
        """Description of the elements for a list."""
        return self._described(either(len(self._items), self._length))

    def _described(self, count: int | None) -> list_items.Elements:
        written = self._written_shape()
        shape = self._shape if written is None else written
        return list_items.Elements(count, shape, self._dtype)

    @property
    def length(self) -> int:
        """Number of elements, which is known while a function is traced."""
        return len(self._items)

    def element(self, at: int) -> Tensor | None:
        """Return an element, but do not clear it.

        Args:
            at: Index of the element.

        Returns:
            The element, or None if it was never written.

        Example:
            >>> import tfpy as tf
            >>> tf.TensorArray(tf.int32, size=2).element(1) is None
            True
        """
        return self._items[at]

    def copied(self) -> Self:
        """Return an independent array with the same elements.

        Returns:
            A new TensorArray.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=1).write(0, 4)
            >>> array.copied().write(0, 5).read(0).numpy(), array.read(0).numpy()
            (np.int32(5), np.int32(4))
        """
        other = self.holding(self._items)
        other._length = self._length
        return other

    def holding(self, elements: Sequence[Tensor | None]) -> Self:
        """Return an array with other elements and the properties of this one.

        Args:
            elements: The new elements, with None for elements that are not written.

        Returns:
            A new TensorArray.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=1)
            >>> print(array.holding([tf.constant(4), tf.constant(5)]).stack().numpy())
            [4 5]
        """
        other = copy.copy(self)
        other._items, other._length, other._read = [*elements], len(elements), set()
        other._whole = None
        other._trace = tracing.current()
        return other

    def of_shape(self, shape: Sequence[int]) -> Self:
        """Return an array with the same elements and a known element shape.

        Args:
            shape: Shape of all elements.

        Returns:
            A new TensorArray.

        Example:
            >>> import tfpy as tf
            >>> print(tf.TensorArray(tf.int32, size=1).of_shape([2]).read(0).numpy())
            [0 0]
        """
        other = copy.copy(self)
        other._shape = tuple(shape)
        return other

    # Elements

    def _present(self, at: int) -> Tensor:
        found = self._items[at]
        return zeros(self._known_shape(), self._dtype) if found is None else found

    def _written_shape(self) -> tuple[int, ...] | None:
        """Return the shape of the written elements, if all have the same one."""
        shapes = {item.aval.shape for item in self._items if item is not None}
        return shapes.pop() if len(shapes) == 1 else None

    def _checked(self, value: Any) -> Tensor:
        """Convert a value to an element."""
        element = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        self._check(element.aval)
        return element


def known_size(size: Any) -> int:
    """Return the number of elements of an array.

    Raises:
        ValueError: If the size is None.
        NotTraceableError: If the size depends on a symbolic tensor.
    """
    if size is None:
        raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
    known = getattr(size, "constant", None)  # the value of a constant of a graph
    if known is not None:
        return static_int(known)
    if is_symbolic(size):
        raise NotTraceableError(f"the size of a TensorArray depends on the values of {size}")
    return static_int(size)
