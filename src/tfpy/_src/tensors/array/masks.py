"""Masks of sequence lengths (`tf.sequence_mask`)."""

from __future__ import annotations

import math

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import indexing, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.static import static_int, static_number


def sequence_mask(
    lengths: TensorLike,
    maxlen: IntLike | None = None,
    dtype: DTypeLike = dtypes.bool,
    name: str | None = None,
) -> Tensor:
    """Create a mask of the valid positions of sequences with the given lengths.

    Element `[..., i]` of the mask is True if `i < lengths[...]`.

    Without `maxlen`, the size of the result depends on the values of `lengths`. They are read back
    to Python, so the call waits for pending computations. A `tf.function` in which `lengths` is not
    constant runs eagerly, without compilation.

    Args:
        lengths: Integer tensor of shape `[...]` with the length of each sequence.
        maxlen: Size of the new last dimension. Default: the largest length.
        dtype: Dtype of the result. Default: bool. Unless the environment variable `TFPY_ENABLE_X64`
            is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and `tf.float32`.

    Returns:
        Tensor of shape `[..., maxlen]`.

    Raises:
        ValueError: If `maxlen` is not a scalar.
        tf.errors.InvalidArgumentError: If `maxlen` is negative.

    Example:
        >>> import tfpy as tf
        >>> tf.sequence_mask([1, 3, 0], maxlen=3).numpy().astype(int).tolist()
        [[1, 0, 0], [1, 1, 1], [0, 0, 0]]

    See also: `tf.boolean_mask`, `tf.where`.
    """
    x = convert_to_tensor(lengths)
    if maxlen is None:
        host = x.host_view()
        size = max(0, int(host.max())) if host.size else 0
    else:
        if convert_to_tensor(maxlen).ndim:
            raise ValueError(f"sequence_mask: `maxlen` must be scalar, received {maxlen!r}")
        number = static_number(maxlen)
        size = math.ceil(number) if isinstance(number, float) else static_int(maxlen)
        if size < 0:
            raise invalid("sequence_mask", f"maxlen must not be negative, got {size}")
        x = cast(x, dtypes.int32)
    places = indexing.range_(start=0, delta=1, count=size, dtype=x.dtype)
    return cast(logic.less(places, expand_dims(x, -1)), dtype)
