"""TensorArrays in a trace, which keep their elements in a list of the Graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.dtypes import int32
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.sizes import as_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import lists
from tfpy._src.functions.control.list_items import Elements, describe
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array import joining
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_ints


class StagedArray(TensorArray):
    """A TensorArray with elements that are only known when the compiled function runs.

    Args:
        like: TensorArray with the same dtype, size and element shape.
        values: The list.
    """

    def __init__(self, like: TensorArray, values: Tensor) -> None:
        self._dtype, self._dynamic, self._infer = like._dtype, like._dynamic, like._infer
        self._clear, self._shape, self._length = False, like._shape, like._length
        self._one_shape = like._written_shape()
        self.values = values

    def with_values(self, values: Tensor) -> StagedArray:
        """Return a TensorArray like this one with the elements of another list."""
        return StagedArray(self, values)

    def staged(self) -> StagedArray:
        return self

    def _aval(self) -> Aval:
        return Aval(self._known_shape(), self._dtype)

    def _size(self) -> int:
        if self._dynamic:
            raise NotTraceableError(
                "The size of a TensorArray with dynamic_size=True is not known while tf.function "
                "traces: specify its size, and omit dynamic_size"
            )
        return self._length

    def size(self, name: str | None = None) -> Tensor:
        return as_tensor(self._size(), int32)

    def as_list(self) -> Tensor:
        return describe(self.values, self.elements)

    @property
    def elements(self) -> Elements:
        return self._described(None if self._dynamic else self._length)

    @property
    def length(self) -> int:
        return self._length

    def element(self, at: int) -> Tensor | None:
        return None if self._shape is None else self.read(at)

    def copied(self) -> StagedArray:
        return self

    def holding(self, elements: Sequence[Tensor | None]) -> StagedArray:
        other = self.with_values(lists.make(elements))
        other._length = len(elements)
        return other

    def close(self, name: str | None = None) -> None:
        """Do nothing: compiled functions free the values that they do not need."""

    def _written_shape(self) -> tuple[int, ...] | None:
        return self._one_shape

    def _check(self, element: Aval) -> None:
        super()._check(element)
        if self._one_shape not in (None, element.shape):
            raise NotTraceableError(
                f"A TensorArray has elements of different shapes: {self._one_shape} and "
                f"{element.shown}"
            )
        self._one_shape = element.shape

    def read(self, index: Any, name: str | None = None) -> Tensor:
        return lists.get(self.values, convert_to_tensor(index), self._aval())

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return a new array with one element replaced; this array is unchanged."""
        element = self._checked(value)
        limit = None if self._dynamic else self._length
        return self.with_values(lists.set_(self.values, convert_to_tensor(index), element, limit))

    def stack(self, name: str | None = None) -> Tensor:
        return lists.stack(self.values, self._size(), self._aval())

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        if is_symbolic(indices):
            return take(self.stack(), indices)
        return joining.stack([self.read(i) for i in static_ints(indices)])

    def concat(self, name: str | None = None) -> Tensor:
        stacked = self.stack()
        return reshape(stacked, [-1, *stacked.aval.shape[2:]])

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        tensor = convert_to_tensor(value, None if is_operand(value) else self._dtype)
        self._check(Aval(tensor.aval.shape[1:], tensor.dtype))
        return self.with_values(lists.unstack(tensor))

    def _replace(self, elements: Any, of_one_shape: bool = True) -> TensorArray:
        return self.with_values(lists.make([self._checked(e) for e in elements]))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        array: TensorArray = self
        rows = joining.rows_of(convert_to_tensor(value))
        for at, element in zip(static_ints(indices), rows, strict=True):
            array = array.write(at, element)
        return array
