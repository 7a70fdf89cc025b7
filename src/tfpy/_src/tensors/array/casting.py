"""Casts that clip to the range of the new dtype, and casts that keep the bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import casting as primitives, elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.array.complex_numbers import complex, imag, real
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, reshape


@per_value
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Cast a tensor to a different dtype and clip its values to the range of that dtype.

    A cast from a complex to a real dtype discards the imaginary parts.

    Args:
        value: Numeric tensor.
        dtype: Numeric dtype of the result.

    Returns:
        Tensor with the shape of `value` and the dtype `dtype`.

    Raises:
        TypeError: If `dtype` or the dtype of `value` is bool or string.

    Example:
        >>> import tfpy as tf
        >>> tf.saturate_cast([-7.0, 12.0, 300.0], tf.uint8).numpy().tolist()
        [0, 12, 255]

    See also: `tf.cast`, `tf.bitcast`.
    """
    x, kind = convert_to_tensor(value), as_dtype(dtype)
    for given in (x.dtype, kind):
        if not (given.is_floating or given.is_integer or given.is_complex):
            raise TypeError(f"saturate_cast: {given} does not have a smallest and largest number")
    if x.dtype.is_complex and not kind.is_complex:
        x = real(x)
    if not x.dtype.is_complex and not kind.is_complex:
        low, high = _limits(x.dtype, kind)
        if low is not None:
            x = ew.maximum(x, low)
        if high is not None:
            x = ew.minimum(x, high)
    return cast(x, kind)


def _limits(source: DType, target: DType) -> tuple[Any, Any]:
    """Return the limits to which values of `source` are clipped before the cast to `target`.

    A limit is None if no value of `source` exceeds it.
    """
    low = None if float(target.min) < float(source.min) else _inside(source, target.min)
    high = None if float(target.max) > float(source.max) else _inside(source, target.max)
    return low, high


def _inside(source: DType, end: Any) -> Any:
    """Return the number of `source` nearest to a limit that does not exceed the limit."""
    number = source.as_numpy_dtype(end)
    if abs(int(number)) > abs(int(end)):  # rounded beyond the limit
        number = np.nextafter(number, source.as_numpy_dtype(0))
    return number.item()


@per_value
def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """Reinterpret the bits of a tensor as a different dtype.

    If `type` has fewer bytes than the dtype of `input`, the result has an additional last
    dimension. If it has more bytes, the last dimension of `input` is removed.

    Args:
        input: Numeric tensor.
        type: Numeric dtype of the result.

    Returns:
        Tensor of dtype `type`. It has the shape of `input` if both dtypes have the same number of
        bytes.

    Raises:
        tf.errors.InvalidArgumentError: If `type` or the dtype of `input` is bool or string.
        tf.errors.InvalidArgumentError: If `type` has more bytes, and the last dimension of `input`
            does not form exactly one element of `type`.

    Example:
        >>> import tfpy as tf
        >>> bits = tf.bitcast([1.0, 2.0], tf.int32)
        >>> [hex(n) for n in bits.numpy().tolist()]
        ['0x3f800000', '0x40000000']

    See also: `tf.cast`, `tf.saturate_cast`.
    """
    x, kind = convert_to_tensor(input), as_dtype(type)
    for dtype in (x.dtype, kind):
        if not dtype.is_numeric:
            raise invalid("bitcast", f"{dtype.name} is not in the list of allowed values")
    if x.dtype == kind:
        return identity(x)
    if x.dtype.is_complex:
        parts = bitcast(stack([real(x), imag(x)], -1), kind)
        split = parts.ndim > x.ndim + 1  # each part was split into smaller elements
        return reshape(parts, [*x.aval.shape, -1]) if split else parts
    if kind.is_complex:
        parts = bitcast(x, kind.real_dtype)
        if not parts.ndim or parts.aval.shape[-1] != 2:
            raise invalid("bitcast", f"Cannot bitcast from {kind.name} to {x.dtype.name}")
        return complex(parts[..., 0], parts[..., 1])
    bits: Tensor = primitives.bitcast(x, dtype=kind)
    return bits
