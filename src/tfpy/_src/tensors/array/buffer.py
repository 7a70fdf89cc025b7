"""``tf.buffer``: an array that can be written to, element by element, before it is a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.tensors.array.static import static_ints


class TensorBuffer:
    """Values on the host that can be set; :meth:`to_tensor` copies them to a tensor.

    Example:
        >>> import tfpy as tf
        >>> buffer = tf.buffer([2, 2])
        >>> buffer.set(3.0, 0, 1)
        >>> print(buffer.to_tensor().numpy())
        [[0. 3.]
         [0. 0.]]
    """

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self._values = values

    @property
    def shape(self) -> TensorShape:
        """The sizes of its dimensions."""
        return TensorShape(self._values.shape)

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return as_dtype(self._values.dtype)

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return self._values.ndim

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self._values.size

    @property
    def values(self) -> np.ndarray[Any, Any]:
        """The elements in a row; writing to it writes to the buffer."""
        return self._values.reshape(-1)

    def set(self, value: Any, *place: int) -> None:
        """Writes the element at ``place``.

        Raises:
            IndexError: when there is no such element.
        """
        self._values[self._checked(place)] = value

    def get(self, *place: int) -> Any:
        """The element at ``place``.

        Raises:
            IndexError: when there is no such element.
        """
        return self._values[self._checked(place)]

    def loc_to_index(self, place: Any) -> int:
        """Where the element at ``place`` stands in :attr:`values`."""
        return int(np.ravel_multi_index(self._checked(tuple(place)), self._values.shape))

    def index_to_loc(self, index: int) -> list[int]:
        """Where the element at ``index`` of :attr:`values` stands in the shape."""
        return [int(i) for i in np.unravel_index(index, self._values.shape)]

    def to_tensor(self) -> Tensor:
        """A tensor of the values as they are now."""
        return constant(self._values.copy())

    def _checked(self, place: tuple[int, ...]) -> tuple[int, ...]:
        inside = len(place) == self.rank and all(
            0 <= i < n for i, n in zip(place, self._values.shape, strict=True)
        )
        if not inside:
            raise IndexError(f"no element {list(place)} in a buffer of shape {list(self.shape)}")
        return place


def buffer(shape: Any, dtype: Any = dtypes.float32, values: Any = None) -> TensorBuffer:
    """A buffer of zeros (False, empty strings), or over ``values``.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        ValueError: when the number of values does not fit ``shape``.

    Example:
        >>> import tfpy as tf
        >>> values = tf.buffer([2, 2])
        >>> values.set(5.0, 0, 1)
        >>> values.to_tensor().numpy().tolist()
        [[0.0, 5.0], [0.0, 0.0]]
    """
    sizes, kind = static_ints(shape), as_dtype(dtype)
    if values is not None:
        return TensorBuffer(np.array(values, kind.as_numpy_dtype).reshape(sizes))
    empty: bytes | int = b"" if kind == dtypes.string else 0
    return TensorBuffer(np.full(sizes, empty, kind.as_numpy_dtype))
