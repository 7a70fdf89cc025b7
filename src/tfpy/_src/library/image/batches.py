"""Batch dimensions and dtypes of images."""

from __future__ import annotations

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.tensors.array.casting import saturate_cast
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import identity, reshape


def as_batch(name: str, image: TensorLike) -> tuple[Tensor, bool]:
    """Convert an image to `[batch, height, width, channels]`.

    Returns:
        The tensor, and True if it had no batch dimension.

    Raises:
        ValueError: If the image does not have 3 or 4 dimensions, or has no pixels.
    """
    x, single = batched(name, image)
    check_pixels(name, x)
    return x, single


def batched(name: str, image: TensorLike) -> tuple[Tensor, bool]:
    """Convert an image like `as_batch`, but allow images without pixels."""
    x = convert_to_tensor(image)
    if x.ndim not in (3, 4):
        raise ValueError(f"{name}: 'image' must have either 3 or 4 dimensions, got {x.shape}")
    return (reshape(x, [1, *x.aval.shape]), True) if x.ndim == 3 else (x, False)


def check_pixels(name: str, x: Tensor) -> None:
    """Raise ValueError if one of the last three dimensions is 0."""
    if 0 in x.aval.shape[-3:]:
        raise ValueError(f"{name}: inner 3 dims of 'image.shape' must be > 0, got {x.shape}")


def from_batch(x: Tensor, single: bool) -> Tensor:
    """Undo `as_batch`."""
    return reshape(x, x.aval.shape[1:]) if single else x


def at_least(name: str, image: TensorLike, rank: int) -> Tensor:
    """Convert an image to a tensor of at least `rank` dimensions.

    Raises:
        ValueError: If the tensor has fewer dimensions.
    """
    x = convert_to_tensor(image)
    if x.ndim < rank:
        raise ValueError(f"{name}: shape {x.shape} must be at least {rank}-D")
    return x


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Convert an image to a dtype and scale its values to the range of the dtype.

    The values of a float image are between 0 and 1, and the values of an integer image are between
    0 and the largest value of its dtype.

    Args:
        image: Tensor of any shape with a float or integer dtype.
        dtype: Float or integer dtype of the result.
        saturate: If True, clip values that are outside of the range of an integer dtype. Otherwise,
            such values overflow.

    Returns:
        Tensor with the shape of `image` and the dtype `dtype`.

    Raises:
        AttributeError: If `dtype` or the dtype of `image` is neither a float nor an integer dtype.

    Example:
        >>> import tfpy as tf
        >>> tf.image.convert_image_dtype([[[0.0], [0.5], [1.0]]], tf.uint8).numpy().ravel().tolist()
        [0, 127, 255]
        >>> white = tf.constant([[[255]]], tf.uint8)
        >>> tf.image.convert_image_dtype(white, tf.float32).numpy().tolist()
        [[[1.0]]]

    See also: `tf.cast`, `tf.saturate_cast`.
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
    """Scale values of one integer dtype to the range of another one."""
    own, other = x.dtype.max, kind.max
    if own > other:
        scaled = ew.floor_div(x, (own + 1) // (other + 1))
        return saturate_cast(scaled, kind) if saturate else cast(scaled, kind)
    wide = saturate_cast(x, kind) if saturate else cast(x, kind)
    return ew.multiply(wide, (other + 1) // (own + 1))


def as_float(image: Tensor) -> Tensor:
    """Convert an image to float32, unless it is float32 or float16; integers become 0 to 1."""
    kept = image.dtype in (dtypes.float32, dtypes.float16)
    return image if kept else convert_image_dtype(image, dtypes.float32)
