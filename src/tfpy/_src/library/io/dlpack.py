"""`tf.experimental.dlpack`: tensors that are exchanged with other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError, invalid_value
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor

_CPU = (1, 0)


class _Capsule:
    """A capsule that NumPy reads."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: object) -> object:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def to_dlpack(tf_tensor: Tensor) -> object:
    """Return a DLPack capsule of a tensor, which other libraries read.

    The capsule contains a copy of the values in the memory of Python.

    Args:
        tf_tensor: Tensor with numbers or booleans.

    Returns:
        A DLPack capsule.

    Raises:
        tf.errors.InvalidArgumentError: If the argument is not a tensor, or has the dtype string.

    Example:
        >>> import tfpy as tf
        >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
        >>> tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
        [1.0, 2.0]

    See also: `tf.experimental.dlpack.from_dlpack`.
    """
    if not isinstance(tf_tensor, Tensor):
        raise InvalidArgumentError(
            None, None, "The argument to `to_dlpack` must be a TF tensor, not Python object"
        )
    try:
        return np.array(tf_tensor.numpy()).__dlpack__()
    except (BufferError, TypeError) as error:
        raise invalid_value("to_dlpack", f"{tf_tensor.dtype.name}: {error}") from None


def from_dlpack(dlcapsule: object) -> Tensor:
    """Return a tensor with the values of a DLPack capsule.

    Args:
        dlcapsule: DLPack capsule of an array in the memory of Python. It can be read once.

    Returns:
        Tensor with the values.

    Raises:
        TypeError: If the argument is not a capsule.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> tf.experimental.dlpack.from_dlpack(np.ones(2).__dlpack__()).numpy().tolist()
        [1.0, 1.0]

    See also: `tf.experimental.dlpack.to_dlpack`.
    """
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack expects a DLPack capsule, got {dlcapsule!r}")
    capsule: Any = _Capsule(dlcapsule)
    return constant(np.array(np.from_dlpack(capsule)))
