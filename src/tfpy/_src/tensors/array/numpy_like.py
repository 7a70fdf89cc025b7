"""``tf.experimental.numpy``: the part that libraries for TensorFlow use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.slicing import where


def finfo(dtype: Any) -> Any:
    """NumPy's facts of a float dtype: ``eps``, ``max`` and the like.

    Raises:
        ValueError: for other dtypes.

    Example:
        >>> import tfpy as tf
        >>> float(tf.experimental.numpy.finfo(tf.float32).eps) == 2.0**-23
        True
    """
    return np.finfo(as_dtype(dtype).as_numpy_dtype)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Tensor:
    """The element of the first choice whose condition holds, at each place.

    Args:
        condlist: bools, which broadcast with the choices.
        choicelist: as many tensors.
        default: for places where none holds.

    Returns:
        Of the dtype that NumPy gives for all choices and the default.

    Raises:
        ValueError: without conditions, or for another number of choices.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant([-2.0, 0.5, 3.0])
        >>> tf.experimental.numpy.select([x < 0, x > 1], [-x, x * 10], x).numpy().tolist()
        [2.0, 0.5, 30.0]
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
