"""`tf.compat.v1.ragged.constant_value`: ragged arrays of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy._src.base.dtypes import DType
from tfpy._src.tensors.composite.host_values import Array, RaggedTensorValue
from tfpy._src.tensors.ragged.nested_lists import divided


def constant_value(
    pylist: Any,
    dtype: npt.DTypeLike | DType | None = None,
    ragged_rank: int | None = None,
    inner_shape: Sequence[int] | None = None,
    row_splits_dtype: npt.DTypeLike | DType = "int64",
) -> RaggedTensorValue | Array:
    """Create a ragged array from nested lists.

    Args:
        pylist: Nested list or tuple of numbers, Booleans or strings.
        dtype: NumPy dtype of the values. Default: inferred by NumPy.
        ragged_rank: Number of ragged axes. Default: the number of axes of `pylist`, minus the first
            one and those of `inner_shape`.
        inner_shape: Shape of the values below the ragged axes. Default: the shape of these values,
            which is `()` if `ragged_rank` is not given either.
        row_splits_dtype: Integer dtype of the row splits.

    Returns:
        A `tf.compat.v1.ragged.RaggedTensorValue`, or an array if there is no ragged axis.

    Raises:
        ValueError: If the scalars are nested at different depths, or `ragged_rank` or `inner_shape`
            does not match `pylist`.
        TypeError: If `pylist` is a ragged tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).to_list()
        [[1, 2], [3]]

    See also: `tf.ragged.constant`.
    """
    parts = divided(pylist, ragged_rank, inner_shape)
    array = np.array(parts.values, None if dtype is None else _of_numpy(dtype))
    value: RaggedTensorValue | Array = array if parts.shape is None else array.reshape(parts.shape)
    for lengths in reversed(parts.lengths):
        splits = np.cumsum([0, *lengths], dtype=_of_numpy(row_splits_dtype))
        value = RaggedTensorValue(value, splits)
    return value


def _of_numpy(dtype: npt.DTypeLike | DType) -> Any:
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype
