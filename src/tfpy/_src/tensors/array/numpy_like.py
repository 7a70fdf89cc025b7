"""The part of `tf.experimental.numpy` that libraries for TensorFlow use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.slicing import where


def finfo(dtype: DTypeLike) -> np.finfo[Any]:
    """Return the numerical limits of a float dtype, as `numpy.finfo` does.

    Args:
        dtype: Float dtype.

    Returns:
        A `numpy.finfo` object with attributes such as `eps`, `max` and `tiny`.

    Raises:
        ValueError: If `dtype` is not a float dtype of NumPy. Bfloat16 is not supported.

    Example:
        >>> import tfpy as tf
        >>> float(tf.experimental.numpy.finfo(tf.float32).eps)
        1.1920928955078125e-07

    See also: `tf.DType`.
    """
    return np.finfo(as_dtype(dtype).as_numpy_dtype)


def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: TensorLike = 0
) -> Tensor:
    """Select each element from the first tensor in `choicelist` for which the condition is True.

    Args:
        condlist: List of boolean tensors, which are broadcast with the choices.
        choicelist: List of tensors to choose from, one for each condition.
        default: Tensor of the elements to select where no condition is True. Default: 0.

    Returns:
        Tensor of the broadcast shape. Its dtype is the one to which NumPy promotes the dtypes of
        the choices and of `default`.

    Raises:
        ValueError: If there are no conditions, or the number of choices differs from the number of
            conditions.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([-2.0, 0.5, 3.0])
        >>> tf.experimental.numpy.select([x < 0, x > 1], [-x, x * 10], x).numpy().tolist()
        [2.0, 0.5, 30.0]

    See also: `tf.where`.
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    found, *choices = (convert_to_tensor(x) for x in (default, *choicelist))
    common = as_dtype(np.result_type(*(x.dtype.as_numpy_dtype for x in (found, *choices))))
    found = cast(found, common)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        found = where(convert_to_tensor(condition), cast(choice, common), found)
    return found
