"""`tf.fingerprint`: 64-bit fingerprints of the rows of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops.reference import hash as host_hash
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import numpy_function
from tfpy._src.functions.tf_function.signature import TensorSpec

Array = np.ndarray[Any, Any]


def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Compute a fingerprint of each row of a tensor.

    Args:
        data: Tensor of shape `[n, ...]`. The fingerprint of numbers depends on their bytes, so an
            int64 tensor has the fingerprints of TensorFlow only if 64-bit dtypes are enabled.
        method: `"farmhash64"`.

    Returns:
        Uint8 tensor of shape `[n, 8]`, the bytes of the fingerprints, the lowest first.

    Raises:
        tf.errors.InvalidArgumentError: If `data` is a scalar, or if `method` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.fingerprint(["cat", "dog"]).shape
        TensorShape([2, 8])

    See also: `tf.strings.to_hash_bucket_fast`.
    """
    x = convert_to_tensor(data)
    if method != "farmhash64":
        raise invalid(
            "fingerprint", f"the method is {method!r}, but only 'farmhash64' is supported"
        )
    if x.ndim == 0:
        raise invalid("fingerprint", "data is a scalar, but a tensor with rows is needed")
    rows, row_size = x.aval.shape[0], int(np.prod(x.aval.shape[1:]))

    def fingerprints(array: Array) -> Array:
        if array.dtype == object:
            hashed = _farmhash([bytes(item) for item in array.reshape(-1)])
            if row_size == 1:
                return hashed.reshape(rows, 8)
            array = hashed.reshape(rows, -1)
        return _farmhash([row.tobytes() for row in array])

    return numpy_function(fingerprints, [x], TensorSpec([rows, 8], dtypes.uint8))


def _farmhash(texts: list[bytes]) -> Array:
    """Return the bytes of the fingerprints, one row each."""
    if not texts:
        return np.zeros([0, 8], np.uint8)
    words = host_hash.farm_fingerprint64(host_hash.Strings(texts))
    return np.ascontiguousarray(words.astype("<u8")).view(np.uint8).reshape(-1, 8)
