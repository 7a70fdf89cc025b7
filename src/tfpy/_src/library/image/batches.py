"""Images with and without a batch dimension, and their number types."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.casting import saturate_cast
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, reshape


def as_batch(name: str, image: Any) -> tuple[Tensor, bool]:
    """The image as ``[batch, h, w, c]``, and whether it had no batch.

    Raises:
        ValueError: unless it has 3 or 4 dimensions, and pixels.
    """
    x, single = batched(name, image)
    check_pixels(name, x)
    return x, single


def batched(name: str, image: Any) -> tuple[Tensor, bool]:
    """:func:`as_batch` of images that may have no pixels."""
    x = convert_to_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(f"{name}: 'image' must have either 3 or 4 dimensions, got {x.shape}")
    return (reshape(x, [1, *x.aval.shape]), True) if x.ndim == 3 else (x, False)


def check_pixels(name: str, x: Tensor) -> None:
    """Raises ValueError when one of the last three dimensions is 0."""
    if 0 in x.aval.shape[-3:]:
        raise ValueError(f"{name}: inner 3 dims of 'image.shape' must be > 0, got {x.shape}")


def from_batch(x: Tensor, single: bool) -> Tensor:
    """Undoes :func:`as_batch`."""
    return reshape(x, x.aval.shape[1:]) if single else x


def at_least(name: str, image: Any, rank: int) -> Tensor:
    """The tensor.

    Raises:
        ValueError: when it has fewer dimensions.
    """
    x = convert_to_tensor(image)
    if x.ndim < rank:
        raise ValueError(f"{name}: shape {x.shape} must be at least {rank}-D")
    return x


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Scales pixels between ranges: floats 0 to 1, integers 0 to the dtype's largest.

    Args:
        saturate: clips what does not fit an integer dtype.

    Raises:
        AttributeError: for other dtypes than floats and integers.

    Example:
        >>> import tfpy as tf
        >>> tf.image.convert_image_dtype([[[0.0], [0.5], [1.0]]], tf.uint8).numpy().ravel().tolist()
        [0, 127, 255]
        >>> white = tf.constant([[[255]]], tf.uint8)
        >>> tf.image.convert_image_dtype(white, tf.float32).numpy().tolist()
        [[[1.0]]]
    """
    x, kind = convert_to_tensor(image), as_dtype(dtype)
    for what, given in (("dtype", kind), ("image dtype", x.dtype)):
        if not given.is_floating and not given.is_integer:
            raise AttributeError(
                f"convert_image_dtype: {what} must be either floating point or integer, "
                f"got {given.name}"
            )
    if x.dtype == kind:
        return identity(x)
    if x.dtype.is_integer and kind.is_integer:
        return _between_integers(x, kind, saturate)
    if x.dtype.is_floating and kind.is_floating:
        return cast(x, kind)
    if x.dtype.is_integer:
        return ew.multiply(cast(x, kind), 1.0 / x.dtype.max)
    scaled = x * (kind.max + 0.5)
    return saturate_cast(scaled, kind) if saturate else cast(scaled, kind)


def _between_integers(x: Tensor, kind: DType, saturate: bool) -> Tensor:
    own, other = x.dtype.max, kind.max
    if own > other:
        scaled = ew.floor_div(x, (own + 1) // (other + 1))
        return saturate_cast(scaled, kind) if saturate else cast(scaled, kind)
    wide = saturate_cast(x, kind) if saturate else cast(x, kind)
    return ew.multiply(wide, (other + 1) // (own + 1))


def as_float(image: Tensor) -> Tensor:
    """float32 and float16 images as they are, others as float32, integers scaled to 0..1."""
    kept = image.dtype in (dtypes.float32, dtypes.float16)
    return image if kept else convert_image_dtype(image, dtypes.float32)
