"""`tf.compat.v1.orthogonal_initializer`, and the initializer of the identity matrix."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike
from tfpy._src.library.compat.initializers import Initializer, sizes_of
from tfpy._src.tensors.array.making import eye
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import slice as sliced
from tfpy._src.tensors.linalg.decompositions import qr
from tfpy._src.tensors.linalg.diagonals import diag_part
from tfpy._src.tensors.linalg.products import matrix_transpose
from tfpy._src.tensors.math.arithmetic import sign
from tfpy._src.tensors.random import stateful


class Orthogonal(Initializer):
    """An initializer that returns a matrix with orthogonal rows or columns.

    Args:
        gain: Factor of the matrix. Default: 1.
        seed: Integer that makes a run of the program reproducible, even without
            `tf.random.set_seed`. Default: the values differ between runs.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> q = tf.compat.v1.orthogonal_initializer(seed=1)([2, 2])
        >>> abs(tf.matmul(q, q, transpose_b=True).numpy()).round(3).tolist()
        [[1.0, 0.0], [0.0, 1.0]]

    See also: `tf.linalg.qr`.
    """

    is_float = True

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32
    ) -> None:
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Has no effect.

        Returns:
            Tensor of shape `shape`.

        Raises:
            ValueError: If the shape has fewer than two dimensions.
        """
        sizes = sizes_of(shape)
        if len(sizes) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        flat = (max(rows, columns), min(rows, columns))
        q, r = qr(stateful.normal(flat, dtype=self._kind(dtype), seed=self.seed))
        q = q * sign(diag_part(r))
        return self.gain * reshape(matrix_transpose(q) if rows < columns else q, sizes)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """An initializer that returns the identity matrix.

    Args:
        gain: Factor of the matrix. Default: 1.
        dtype: Float dtype of the values if a call does not specify one. Default: float32.

    Raises:
        ValueError: If `dtype` is not a float dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.initializers.identity()([2, 2]).numpy().tolist()
        [[1.0, 0.0], [0.0, 1.0]]

    See also: `tf.eye`.
    """

    is_float = True

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, partition_info: Any = None
    ) -> Tensor:
        """Return the initial value.

        Args:
            shape: Shape of the tensor.
            dtype: Dtype of the tensor. Default: the dtype of the initializer.
            partition_info: Object with the shape of the whole value as `full_shape`, and the
                position of the part as `var_offset`. Default: the whole value is requested.

        Returns:
            Tensor of shape `shape`.

        Raises:
            ValueError: If the whole value is not a matrix.
        """
        sizes = sizes_of(shape, partition_info)
        if len(sizes) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        matrix = eye(sizes[0], sizes[1], dtype=self._kind(dtype))
        if partition_info is not None:
            matrix = sliced(matrix, partition_info.var_offset, shape)
        return self.gain * matrix

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "dtype": self.dtype.name}


orthogonal_initializer = orthogonal = Orthogonal
identity = Identity
