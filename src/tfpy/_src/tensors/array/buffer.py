"""`tf.buffer`: a mutable array in main memory that can be converted to a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.static import static_ints


class TensorBuffer:
    """A mutable array in main memory that can be converted to a tensor.

    Use `tf.buffer` to create a buffer, and `to_tensor` to copy its values to a tensor.

    Args:
        values: NumPy array of the values. It is not copied.

    Example:
        >>> import tfpy as tf
        >>> buffer = tf.buffer([2, 2])
        >>> buffer.set(3.0, 0, 1)
        >>> print(buffer.to_tensor().numpy())
        [[0. 3.]
         [0. 0.]]

    See also: `tf.buffer`.
    """

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self._values = values

    @property
    def shape(self) -> TensorShape:
        """Shape of the buffer."""
        return TensorShape(self._values.shape)

    @property
    def dtype(self) -> DType:
        """Dtype of the elements."""
        return as_dtype(self._values.dtype)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return self._values.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._values.size

    @property
    def values(self) -> np.ndarray[Any, Any]:
        """NumPy vector of the elements in row-major order. Writing to it changes the buffer."""
        return self._values.reshape(-1)

    def set(self, value: complex | str | bytes, *place: int) -> None:
        """Write a value to one element.

        Args:
            value: New value of the element.
            place: Index of the element, one integer for each axis.

        Raises:
            IndexError: If `place` is not the index of an element. Negative indices are not
                supported.

        Example:
            >>> import tfpy as tf
            >>> buffer = tf.buffer([2, 2])
            >>> buffer.set(3.0, 0, 1)
            >>> buffer.values.tolist()
            [0.0, 3.0, 0.0, 0.0]

        See also: `tf.buffer`.
        """
        self._values[self._checked(place)] = value

    def get(self, *place: int) -> np.number[Any] | np.bool_ | str | bytes:
        """Return one element.

        Args:
            place: Index of the element, one integer for each axis.

        Returns:
            NumPy scalar with the dtype of the buffer. A buffer of strings returns the value that
            was written.

        Raises:
            IndexError: If `place` is not the index of an element. Negative indices are not
                supported.

        Example:
            >>> import tfpy as tf
            >>> buffer = tf.buffer([2, 2], "int32", values=[1, 2, 3, 4])
            >>> int(buffer.get(1, 0))
            3
        """
        return self._values[self._checked(place)]

    def loc_to_index(self, place: Sequence[int]) -> int:
        """Convert the index of an element into its position in `values`.

        Args:
            place: Index of the element, one integer for each axis.

        Returns:
            Position of the element in row-major order.

        Raises:
            IndexError: If `place` is not the index of an element. Negative indices are not
                supported.

        Example:
            >>> import tfpy as tf
            >>> tf.buffer([2, 3]).loc_to_index([1, 0])
            3
        """
        return int(np.ravel_multi_index(self._checked(tuple(place)), self._values.shape))

    def index_to_loc(self, index: int) -> list[int]:
        """Convert a position in `values` into the index of the element.

        Args:
            index: Position of the element in row-major order.

        Returns:
            Index of the element, a list with one integer for each axis.

        Raises:
            ValueError: If `index` is not a position in `values`.

        Example:
            >>> import tfpy as tf
            >>> tf.buffer([2, 3]).index_to_loc(3)
            [1, 0]
        """
        return [int(i) for i in np.unravel_index(index, self._values.shape)]

    def to_tensor(self) -> Tensor:
        """Return a tensor with a copy of the current values.

        Returns:
            Tensor with the shape and dtype of the buffer.

        Example:
            >>> import tfpy as tf
            >>> tf.buffer([2], values=[1.0, 2.0]).to_tensor().numpy().tolist()
            [1.0, 2.0]
        """
        return constant(self._values.copy())

    def _checked(self, place: tuple[int, ...]) -> tuple[int, ...]:
        inside = len(place) == self.rank and all(
            0 <= i < n for i, n in zip(place, self._values.shape, strict=True)
        )
        if not inside:
            raise IndexError(
                f"A buffer of shape {list(self.shape)} does not have an element {list(place)}"
            )
        return place


def buffer(
    shape: ShapeLike, dtype: DTypeLike = dtypes.float32, values: TensorLike | None = None
) -> TensorBuffer:
    """Create a mutable array in main memory, filled with zeros or the given values.

    Args:
        shape: Shape of the buffer.
        dtype: Dtype of the elements. Default: float32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.
        values: Initial values, which are copied and reshaped to `shape`. Default: zeros, False for
            bool, and empty strings for string.

    Returns:
        A `tf.TensorBuffer` of the given shape and dtype.

    Raises:
        ValueError: If the number of values does not match `shape`.

    Example:
        >>> import tfpy as tf
        >>> values = tf.buffer([2, 2])
        >>> values.set(5.0, 0, 1)
        >>> values.to_tensor().numpy().tolist()
        [[0.0, 5.0], [0.0, 0.0]]

    See also: `tf.Variable`, `tf.constant`.
    """
    sizes, kind = static_ints(shape), as_dtype(dtype)
    if values is not None:
        return TensorBuffer(np.array(values, kind.as_numpy_dtype).reshape(sizes))
    empty: bytes | int = b"" if kind == dtypes.string else 0
    return TensorBuffer(np.full(sizes, empty, kind.as_numpy_dtype))
