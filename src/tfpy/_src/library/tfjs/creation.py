"""Functions under `tf` that create tensors as TensorFlow.js does."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike
from tfpy._src.tensors.array.reshaping import reshape


def tensor(
    values: TensorLike, shape: ShapeLike | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Create a tensor from numbers, nested sequences or an array.

    Equivalent to `tf.tensor` in TensorFlow.js. Unlike in `tf.constant`, the shape comes before the
    dtype. Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Number, string, nested sequence, array or tensor.
        shape: Shape of the result. Default: the shape of `values`.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of shape `shape` and dtype `dtype`.

    Raises:
        TypeError: If the number of values does not match `shape`.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor([1, 2, 3, 4], [2, 2]).numpy().tolist()
        [[1, 2], [3, 4]]

    See also: `tf.constant`, `tf.scalar`, `tf.tensor1d`.
    """
    return constant(values, dtype, shape)


def scalar(value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Create a scalar tensor.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        value: Number, string or scalar tensor.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of shape `[]`.

    Raises:
        ValueError: If the value is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.scalar(3.5).shape, tf.scalar(3.5).numpy().tolist()
        (TensorShape([]), 3.5)

    See also: `tf.tensor`, `tf.constant`.
    """
    return _of_rank("scalar", 0, value, (), dtype)


def tensor1d(values: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Create a vector.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Sequence or array of rank 1.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of rank 1.

    Raises:
        ValueError: If the values do not have rank 1.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor1d([1, 2, 3]).shape
        TensorShape([3])

    See also: `tf.tensor`, `tf.tensor2d`.
    """
    return _of_rank("tensor1d", 1, values, None, dtype)


def tensor2d(
    values: TensorLike, shape: Sequence[int] | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Create a matrix.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Nested sequence or array of rank 2, or a flat sequence or array if `shape` is
            passed.
        shape: Shape of the result. Default: the shape of `values`.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of rank 2.

    Raises:
        ValueError: If the values or the shape do not have rank 2.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]).numpy().tolist()
        [[1, 2, 3], [4, 5, 6]]

    See also: `tf.tensor`, `tf.tensor3d`.
    """
    return _of_rank("tensor2d", 2, values, shape, dtype)


def tensor3d(
    values: TensorLike, shape: Sequence[int] | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Create a tensor of rank 3.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Nested sequence or array of rank 3, or a flat sequence or array if `shape` is
            passed.
        shape: Shape of the result. Default: the shape of `values`.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of rank 3.

    Raises:
        ValueError: If the values or the shape do not have rank 3.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor3d([1, 2, 3, 4], [1, 2, 2]).numpy().tolist()
        [[[1, 2], [3, 4]]]

    See also: `tf.tensor`, `tf.tensor4d`.
    """
    return _of_rank("tensor3d", 3, values, shape, dtype)


def tensor4d(
    values: TensorLike, shape: Sequence[int] | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Create a tensor of rank 4.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Nested sequence or array of rank 4, or a flat sequence or array if `shape` is
            passed.
        shape: Shape of the result. Default: the shape of `values`.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of rank 4.

    Raises:
        ValueError: If the values or the shape do not have rank 4.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor4d([1, 2, 3, 4], [1, 2, 2, 1]).shape
        TensorShape([1, 2, 2, 1])

    See also: `tf.tensor`, `tf.tensor5d`.
    """
    return _of_rank("tensor4d", 4, values, shape, dtype)


def tensor5d(
    values: TensorLike, shape: Sequence[int] | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Create a tensor of rank 5.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Nested sequence or array of rank 5, or a flat sequence or array if `shape` is
            passed.
        shape: Shape of the result. Default: the shape of `values`.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of rank 5.

    Raises:
        ValueError: If the values or the shape do not have rank 5.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor5d([1, 2, 3, 4], [1, 1, 2, 2, 1]).shape
        TensorShape([1, 1, 2, 2, 1])

    See also: `tf.tensor`, `tf.tensor6d`.
    """
    return _of_rank("tensor5d", 5, values, shape, dtype)


def tensor6d(
    values: TensorLike, shape: Sequence[int] | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Create a tensor of rank 6.

    Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are
    aliases of `tf.int32` and `tf.float32`.

    Args:
        values: Nested sequence or array of rank 6, or a flat sequence or array if `shape` is
            passed.
        shape: Shape of the result. Default: the shape of `values`.
        dtype: Dtype of the result. Default: the dtype of an array or tensor, float32 for Python
            floats, and int32 for Python integers.

    Returns:
        Tensor of rank 6.

    Raises:
        ValueError: If the values or the shape do not have rank 6.

    Example:
        >>> import tfpy as tf
        >>> tf.tensor6d([1, 2, 3, 4], [1, 1, 1, 2, 2, 1]).shape
        TensorShape([1, 1, 1, 2, 2, 1])

    See also: `tf.tensor`, `tf.tensor5d`.
    """
    return _of_rank("tensor6d", 6, values, shape, dtype)


def _of_rank(
    name: str, rank: int, values: TensorLike, shape: Sequence[int] | None, dtype: DTypeLike | None
) -> Tensor:
    """Create a tensor of a rank.

    Raises:
        ValueError: If the values or the shape have another rank.
    """
    made = convert_to_tensor(values, dtype)
    if shape is not None and made.ndim not in (1, len(shape)):
        raise ValueError(
            f"{name}: values must be flat or have the rank of shape {list(shape)}, "
            f"not shape {list(made.aval.shape)}"
        )
    if shape is not None:
        made = reshape(made, shape)
    if made.ndim != rank:
        raise ValueError(f"{name}: values must have rank {rank}, not shape {list(made.aval.shape)}")
    return made
