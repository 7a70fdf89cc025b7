"""`tf.TensorArray`, a list of tensors of one dtype that are read and written by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError, OutOfRangeError
from tfpy._src.base.members import Listed
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import is_open
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.functions.control import list_items, lists
from tfpy._src.functions.control.array_items import ArrayItems, known_size
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array import joining
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.slicing import slice as slice_, take
from tfpy._src.tensors.array.static import static_ints


class TensorArray(Listed, ArrayItems):
    """A list of tensors of one dtype, to collect results in a loop.

    Methods such as `write` return the array with the change. Always use the returned array: outside
    of a `tf.function` it is the same object, but in loops and branches of a `tf.function` only the
    returned array has the change. Gradients flow through writes and reads.

    Args:
        dtype: Dtype of the elements.
        size: Number of elements, an integer or scalar integer tensor. Required unless `flow` is
            passed.
        dynamic_size: If True, writing past the end extends the array. Default: False.
        clear_after_read: If True (the default), each element can be read only once outside of a
            `tf.function`.
        tensor_array_name: Has no effect.
        handle: Has no effect.
        flow: Result of `as_list` of another array, which provides the elements. Default: the
            elements have not been written.
        infer_shape: If True, all elements must have the same shape.
        element_shape: Shape of all elements. A dimension of None matches any size. Default: any.
        colocate_with_first_write_call: Has no effect.

    Raises:
        ValueError: If `size` and `flow` are both missing, or if `flow` is combined with `size` or
            `element_shape`.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.TensorArray(tf.float32, size=2)
        >>> numbers = numbers.write(0, 1.0).write(1, 2.0)
        >>> print(numbers.stack().numpy())
        [1. 2.]

    See also: `tf.while_loop`, `tf.map_fn`, `tf.scan`.
    """

    _package_members = frozenset(
        (
            *("copied", "element", "elements", "handle", "holding", "length", "of_shape"),
            "staged",
        )
    )

    def __init__(
        self,
        dtype: DTypeLike,
        size: IntLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Sequence[int | None] | None = None,
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
        self._whole = None
        if isinstance(flow, TensorArray):
            flow = flow.as_list()
        if list_items.is_list(flow):
            self._take(flow, size, element_shape)
        else:
            self._length = known_size(size)
            self._items = [None] * self._length
        self._read: set[int] = set()
        self._trace = tracing.current()

    @property
    def flow(self) -> Tensor:
        """Elements as a tensor in a `tf.function`; elsewhere a tensor that contains only 0."""
        return constant(0) if tracing.current() is None else self.as_list()

    def staged(self) -> TensorArray:
        """Return the array as a value of the active trace.

        Returns:
            A TensorArray with a list of the Graph as its elements.
        """
        from tfpy._src.functions.control.staged_array import StagedArray  # a subclass

        shapes = {item.aval.shape for item in self._items if item is not None}
        if len(shapes) > 1:
            raise NotTraceableError(f"a TensorArray has different element shapes: {sorted(shapes)}")
        known = self._whole
        return StagedArray(self, lists.make(self._items) if known is None else lists.unstack(known))

    def as_list(self) -> Tensor:
        """Return the elements as one tensor, which can be passed on as `flow` of another array.

        Returns:
            Scalar tensor of dtype variant.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=2).unstack([4, 5])
            >>> print(tf.TensorArray(tf.int32, flow=array.as_list()).read(1).numpy())
            5
        """
        if tracing.current() is not None:
            return self.staged().as_list()
        return list_items.describe(lists.make(self._items), self.elements)

    # Single elements

    def read(self, index: IntLike, name: str | None = None) -> Tensor:
        """Return an element.

        Args:
            index: Index of the element, an integer or scalar integer tensor.

        Returns:
            The element, a tensor. An element that was never written is a tensor of zeros.

        Raises:
            tf.errors.OutOfRangeError: If the index is negative or past the end.
            tf.errors.InvalidArgumentError: If the element is read a second time outside of a
                `tf.function` and `clear_after_read` is True.
            ValueError: If the element was never written and its shape is unknown.

        Example:
            >>> import tfpy as tf
            >>> print(tf.TensorArray(tf.int32, size=2).write(1, 5).read(1).numpy())
            5
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

    def write(self, index: IntLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Write an element.

        Args:
            index: Index of the element, an integer or scalar integer tensor.
            value: New element, a tensor with the dtype and element shape of the array.

        Returns:
            The array with the new element. Use it instead of the original array.

        Raises:
            tf.errors.OutOfRangeError: If the index is negative, or if it is past the end and
                `dynamic_size` is False.
            tf.errors.InvalidArgumentError: If the dtype differs from the dtype of the array.
            ValueError: If the shape does not match the other elements.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=2)
            >>> array = array.write(0, 4).write(1, 5)
            >>> print(array.stack().numpy())
            [4 5]
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

    def _is_elsewhere(self) -> bool:  # in a branch, loop or function that must not change it
        return tracing.local.active[-1:] not in ([], [self._trace])

    # All elements

    def stack(self, name: str | None = None) -> Tensor:
        """Return all elements, stacked along a new first axis.

        Returns:
            Tensor of shape `[size, ...]`.

        Raises:
            ValueError: If an element was never written and its shape is unknown.

        Example:
            >>> import tfpy as tf
            >>> print(tf.TensorArray(tf.int32, size=2).write(0, 4).write(1, 5).stack().numpy())
            [4 5]
        """
        if is_open(self._length):
            return self.staged().stack()
        if not self._items:
            shape = () if self._shape is None else tuple(self._shape)
            return zeros([0, *shape], self._dtype)
        return joining.stack([self._present(i) for i in range(len(self._items))])

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Return some elements, stacked along a new first axis.

        Args:
            indices: Indices of the elements, an integer tensor of shape `[n]`.

        Returns:
            Tensor of shape `[n, ...]`.

        Example:
            >>> import tfpy as tf
            >>> print(tf.TensorArray(tf.int32, size=3).unstack([4, 5, 6]).gather([2, 0]).numpy())
            [6 4]
        """
        if any(map(is_symbolic, indices if isinstance(indices, list | tuple) else [indices])):
            return self.staged().gather(convert_to_tensor(indices))
        return joining.stack([self._present(i) for i in static_ints(indices)])

    def concat(self, name: str | None = None) -> Tensor:
        """Return all elements, concatenated along their first axis.

        Returns:
            Tensor of shape `[n, ...]`, where n is the sum of the elements' first dimensions.

        Raises:
            tf.errors.InvalidArgumentError: If the elements are scalars.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=2, infer_shape=False)
            >>> print(array.write(0, [1, 2]).write(1, [3]).concat().numpy())
            [1 2 3]
        """
        parts = [self._present(i) for i in range(len(self._items))]
        if any(p.ndim == 0 for p in parts):
            raise InvalidArgumentError(
                None, "TensorArrayConcat", "Concat saw a scalar but requires at least vectors."
            )
        return joining.concat(parts, 0)

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Replace all elements with the rows of a tensor.

        Args:
            value: Tensor of shape `[n, ...]`. Row i becomes element i.

        Returns:
            The array with the new elements. Use it instead of the original array.

        Raises:
            ValueError: If `value` is a scalar, or if it has more rows than the array has elements
                and `dynamic_size` is False.

        Example:
            >>> import tfpy as tf
            >>> print(tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]]).read(1).numpy())
            [3 4]
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

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Replace all elements with consecutive parts of a tensor along its first axis.

        Args:
            value: Tensor of shape `[n, ...]`.
            lengths: Numbers of rows of the parts, an integer tensor. Their sum must be `n`.

        Returns:
            The array with the new elements. Use it instead of the original array.

        Raises:
            tf.errors.InvalidArgumentError: If the sum of `lengths` is not `n`.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=2)
            >>> print(array.split([1, 2, 3], [1, 2]).read(1).numpy())
            [2 3]
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

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """Replace some elements with the rows of a tensor.

        Args:
            indices: Indices of the elements to replace, an integer tensor of shape `[n]`.
            value: Tensor of shape `[n, ...]`, with one row for each index.

        Returns:
            The array with the new elements. Use it instead of the original array.

        Example:
            >>> import tfpy as tf
            >>> array = tf.TensorArray(tf.int32, size=3)
            >>> print(array.scatter([2, 0], [7, 8]).stack().numpy())
            [8 0 7]
        """
        tensor = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        array: TensorArray = self
        for at, element in zip(static_ints(indices), joining.rows_of(tensor), strict=True):
            array = array.write(at, element)
        return array
