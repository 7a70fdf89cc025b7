"""``tf.TensorArray``: a list of tensors of one dtype, read and written by number."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype, int32
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError, OutOfRangeError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import either, is_open
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import list_items, lists
from tfpy._src.functions.control.element_shapes import ElementShapes
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array import joining
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.slicing import slice as slice_, take
from tfpy._src.tensors.array.static import static_int, static_ints


class TensorArray(ElementShapes):
    """A list of tensors of one dtype (``tf.TensorArray``).

    Args:
        dtype: of the elements.
        size: the number of elements; required without ``flow``.
        dynamic_size: whether writing past the end makes it longer.
        clear_after_read: whether an element can be read only once (the default).
        infer_shape: whether all elements must have the first one's shape.
        element_shape: the shape of all elements.
        flow: A tensor of dtype variant, which a compiled function returned for its TensorArray:
            gives the elements.
        tensor_array_name, handle, colocate_with_first_write_call, name: of no effect.

    Raises:
        ValueError: without ``size`` and ``flow``, or with ``flow`` and ``size`` or
            ``element_shape``.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.TensorArray(tf.float32, size=2)
        >>> numbers = numbers.write(0, 1.0).write(1, 2.0)
        >>> print(numbers.stack().numpy())
        [1. 2.]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype)
        self._dynamic = bool(dynamic_size)
        self._clear = clear_after_read is None or bool(clear_after_read)
        self._infer = infer_shape
        self._shape: tuple[int | None, ...] | None = (
            None if element_shape is None else tuple(element_shape)
        )
        self._items: list[Tensor | None]
        self._whole: Tensor | None = None
        """The tensor whose rows the elements are, if that is known."""
        if isinstance(flow, TensorArray):
            flow = flow.as_list()
        if list_items.is_list(flow):
            self._take(flow, size, element_shape)
        else:
            self._length = _known_size(size)
            self._items = [None] * self._length
        self._read: set[int] = set()
        self._trace = tracing.current()

    def _take(self, flow: Tensor, size: Any, element_shape: Any) -> None:
        """Take the elements of a list."""
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

    # What it is

    @property
    def dynamic_size(self) -> bool:
        """Whether writing behind the last element makes it longer."""
        return self._dynamic

    @property
    def handle(self) -> None:
        """TensorFlow's resource; eager arrays have none there either."""
        return None

    @property
    def flow(self) -> Tensor:
        """The elements as a list while a function is traced; 0 otherwise, without a meaning."""
        return constant(0) if tracing.current() is None else self.as_list()

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return as_tensor(either(len(self._items), self._length), int32)

    def identity(self) -> TensorArray:
        """The array itself: an eager one changes in place, as TensorFlow's."""
        return self

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> NoReturn:
        """Not there, as in TensorFlow.

        Raises:
            NotImplementedError: always; tapes differentiate through the array.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; tapes differentiate through "
            "a TensorArray by themselves"
        )

    def close(self, name: str | None = None) -> None:
        """Forgets the elements."""
        self._items, self._whole = [], None

    def staged(self) -> TensorArray:
        """The array as a value of the trace being taken."""
        from tfpy._src.functions.control.staged_array import StagedArray  # a subclass of this one

        shapes = {item.aval.shape for item in self._items if item is not None}
        if len(shapes) > 1:
            raise NotTraceableError(f"a TensorArray has elements of the shapes {sorted(shapes)}")
        known = self._whole
        return StagedArray(self, lists.make(self._items) if known is None else lists.unstack(known))

    def as_list(self) -> Tensor:
        """Return the elements as a tensor of dtype variant, which compiled functions return."""
        if tracing.current() is not None:
            return self.staged().as_list()
        return list_items.describe(lists.make(self._items), self.elements)

    @property
    def elements(self) -> list_items.Elements:
        """Description of the elements for a list of them."""
        return self._described(either(len(self._items), self._length))

    def _described(self, count: int | None) -> list_items.Elements:
        written = self._written_shape()
        shape = self._shape if written is None else written
        return list_items.Elements(count, shape, self._dtype)

    # As a value, which others may share: what lists in graphs are

    @property
    def length(self) -> int:
        """The number of elements, known while a function is traced."""
        return len(self._items)

    def element(self, at: int) -> Tensor | None:
        """An element, if it was written."""
        return self._items[at]

    def copied(self) -> TensorArray:
        """An array of the same elements that changes by itself."""
        other = self.holding(self._items)
        other._length = self._length
        return other

    def holding(self, elements: Sequence[Tensor | None]) -> TensorArray:
        """An array like this one that has other elements."""
        other = copy.copy(self)
        other._items, other._length, other._read = [*elements], len(elements), set()
        other._whole = None
        other._trace = tracing.current()
        return other

    def of_shape(self, shape: Sequence[int]) -> TensorArray:
        """The array, of which the shape of all elements is known."""
        other = copy.copy(self)
        other._shape = tuple(shape)
        return other

    # One element

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element; zeros where none was written and the shape is known.

        Raises:
            OutOfRangeError: for an index past the end or below 0.
            InvalidArgumentError: the second time, unless ``clear_after_read=False``; not within
                a ``tf.function``.
            ValueError: where none was written and the shape is unknown.
        """
        if is_symbolic(index):
            return self.staged().read(index) if self._whole is None else take(self._whole, index)
        at = int(index)
        if not 0 <= at < len(self._items):
            raise OutOfRangeError(
                None,
                "TensorArrayRead",
                f"Tried to read from index {at} but array size is: {len(self._items)}",
            )
        if at in self._read:
            raise InvalidArgumentError(
                None,
                "TensorArrayRead",
                f"Could not read index {at} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)",
            )
        element = self._present(at)
        in_function = tracing.local.active or tracing.local.places
        if self._clear and not in_function:
            self._items[at] = self._whole = None
            self._read.add(at)
        return element

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Replaces the element, and gives the array.

        Raises:
            OutOfRangeError: for an index past the end (unless ``dynamic_size``) or below 0.
            InvalidArgumentError: for another dtype.
            ValueError: for another shape.
        """
        if is_symbolic(index) or self._is_elsewhere():
            return self.staged().write(index, value)
        at = int(index)
        if at < 0:
            raise OutOfRangeError(
                None,
                "TensorArrayWrite",
                f"Writing to negative indices (index {at}) is not allowed.",
            )
        if at >= len(self._items) and not self._dynamic:
            raise OutOfRangeError(
                None,
                "TensorArrayWrite",
                f"Tried to write to index {at} but array is not resizeable and size is: "
                f"{len(self._items)}",
            )
        element = self._checked(value)
        self._items += [None] * (at + 1 - len(self._items))
        self._items[at] = element
        self._whole = None
        self._read.discard(at)
        return self

    def _is_elsewhere(self) -> bool:
        """Whether a branch, loop or function is traced in which it was not made.

        It must not change there.
        """
        return tracing.local.active[-1:] not in ([], [self._trace])

    def _present(self, at: int) -> Tensor:
        found = self._items[at]
        return zeros(self._known_shape(), self._dtype) if found is None else found

    def _written_shape(self) -> tuple[int, ...] | None:
        """The shape of those elements that were written, when that is one."""
        shapes = {item.aval.shape for item in self._items if item is not None}
        return shapes.pop() if len(shapes) == 1 else None

    def _checked(self, value: Any) -> Tensor:
        """The value as an element."""
        element = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        self._check(element.aval)
        return element

    # All elements

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, along a new first axis.

        Raises:
            ValueError: where an element is missing and the shape is unknown.
        """
        if is_open(self._length):
            return self.staged().stack()
        if not self._items:
            shape = () if self._shape is None else tuple(self._shape)
            return zeros([0, *shape], self._dtype)
        return joining.stack([self._present(i) for i in range(len(self._items))])

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Some elements as one tensor."""
        if is_symbolic(indices):
            return self.staged().gather(indices)
        return joining.stack([self._present(i) for i in static_ints(indices)])

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis.

        Raises:
            InvalidArgumentError: for scalars.
        """
        parts = [self._present(i) for i in range(len(self._items))]
        if any(p.ndim == 0 for p in parts):
            raise InvalidArgumentError(
                None, "TensorArrayConcat", "Concat saw a scalar but requires at least vectors."
            )
        return joining.concat(parts, 0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The slices of a tensor along its first axis become the elements.

        Raises:
            ValueError: when there are more than the array's size, or for a scalar.
        """
        tensor = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        if tensor.ndim == 0:
            raise ValueError("TensorArray.unstack: the value must have at least one dimension")
        if self._is_elsewhere():
            return self.copied().unstack(tensor)
        self._replace(joining.rows_of(tensor))
        if tracing.local.active:
            self._check(Aval(tensor.aval.shape[1:], tensor.dtype))
        self._whole = tensor if self._items else None
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Parts of a tensor along its first axis become the elements.

        Raises:
            InvalidArgumentError: when the lengths do not add up to the first dimension.
        """
        tensor = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        if self._is_elsewhere():
            return self.copied().split(tensor, lengths)
        sizes = static_ints(lengths)
        if sum(sizes) != tensor.aval.shape[0]:
            raise InvalidArgumentError(
                None,
                "TensorArraySplit",
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sum(sizes)} and value's shape is: {list(tensor.aval.shape)}",
            )
        begins = np.cumsum([0, *sizes])
        rest = tensor.ndim - 1
        return self._replace(
            [
                slice_(tensor, [int(b), *[0] * rest], [n, *[-1] * rest])
                for b, n in zip(begins, sizes, strict=False)
            ],
            of_one_shape=False,
        )

    def _replace(self, elements: Sequence[Tensor], of_one_shape: bool = True) -> TensorArray:
        if len(elements) > len(self._items) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(elements)} tensors into a TensorArray of static size "
                f"{len(self._items)}"
            )
        infer, self._infer = self._infer, self._infer and of_one_shape
        self._whole = None
        self._items = [self._checked(e) for e in elements]
        self._infer = infer
        self._read.clear()
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The slices of a tensor along its first axis become the elements of these numbers."""
        tensor = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        array: TensorArray = self
        for at, element in zip(static_ints(indices), joining.rows_of(tensor), strict=True):
            array = array.write(at, element)
        return array


def _known_size(size: Any) -> int:
    """Return the number of elements of an array.

    Raises:
        ValueError: Without one.
        NotTraceableError: If it is the value of a tensor that is not known yet.
    """
    if size is None:
        raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
    if is_symbolic(size):
        raise NotTraceableError(f"a TensorArray's size is the value of the tensor {size}")
    return static_int(size)
