"""The dtype and the shape of the elements of a `TensorArray`."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor_shape import TensorShape


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
