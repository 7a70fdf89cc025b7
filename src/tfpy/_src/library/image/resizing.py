"""Resizing images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.reference.resample_tables import METHODS, Resampling, table
from tfpy._src.compiler.ops.resample import resize_axis
from tfpy._src.core.dispatch import dispatchable, implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.image.batches import as_batch, batched, from_batch
from tfpy._src.library.image.geometry import crop_to_bounding_box, pad_to_bounding_box
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.slicing import take
from tfpy._src.tensors.array.static import static_int, static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.shaping import stack as ragged_stack

__all__ = [
    "ResizeMethod",
    "resize",
    "resize_bilinear",
    "resize_nearest_neighbor",
    "resize_with_crop_or_pad",
    "resize_with_pad",
]


class ResizeMethod:
    """Names of the methods of :func:`resize`.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 5.0], [1, 2, 1])
        >>> nearest = tf.image.ResizeMethod.NEAREST_NEIGHBOR
        >>> tf.image.resize(image, [1, 4], nearest).numpy().ravel().tolist()
        [1.0, 1.0, 5.0, 5.0]
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


@dispatchable
def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size; float32, except by nearest neighbour, which keeps the dtype.

    Args:
        size: new height and width.
        preserve_aspect_ratio: ``size`` is the largest allowed.
        antialias: averages over more pixels when the new size is smaller.

    Raises:
        ValueError: for an unknown method, another number of sizes, or no image.
        InvalidArgumentError: If a size is not positive or the images have no pixels.

    Example:
        >>> import tfpy as tf
        >>> tf.image.resize(tf.ones([1, 4, 4, 3]), [2, 8]).shape
        TensorShape([1, 2, 8, 3])
    """
    x, single = batched("resize", images)
    sizes = static_ints(size)
    if len(sizes) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if method not in METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    if preserve_aspect_ratio and all(x.aval.shape[1:3]):
        sizes = _fitted((x.aval.shape[1], x.aval.shape[2]), sizes)
    return from_batch(_resized(x, sizes, method, antialias, "half_pixel"), single)


@implements(resize, RaggedTensor)
def _ragged_resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Images of different sizes in one; ragged where they keep their proportions."""
    found = [
        resize(image.to_tensor() if isinstance(image, RaggedTensor) else image, size, method,
               preserve_aspect_ratio, antialias)
        for image in images
    ]  # fmt: skip
    return ragged_stack(found) if preserve_aspect_ratio else stack(found)


def _fitted(old: tuple[int, int], new: tuple[int, ...]) -> tuple[int, ...]:
    """The largest size of the old proportions inside the new one."""
    f32 = np.float32
    scale = min(f32(n) / f32(o) for n, o in zip(new, old, strict=True))
    return tuple(int(np.rint(scale * f32(o))) for o in old)


def _resized(x: Tensor, sizes: tuple[int, ...], method: str, antialias: bool, grid: str) -> Tensor:
    nearest = method == ResizeMethod.NEAREST_NEIGHBOR
    refused = _refused(x.aval.shape, sizes)
    if refused:
        shape = (x.aval.shape[0], *(max(n, 0) for n in sizes), x.aval.shape[3])
        return failing("resize", refused, (x,), shape, x.dtype if nearest else dtypes.float32)
    if not nearest:
        x = cast(x, dtypes.float32)
    for axis in (1, 2):
        antialiased = antialias and not (nearest or method == ResizeMethod.AREA)
        spec = Resampling(method, x.aval.shape[axis], sizes[axis - 1], antialiased, grid)
        identity = method in ("nearest", "bilinear", "area") and spec.size_in == spec.size_out
        if identity:
            continue
        if x.dtype.is_floating:
            x = resize_axis(x, axis, spec)
        else:
            x = take(x, table(spec)[:, 0], axis=axis)
    return x


def _refused(shape: tuple[int, ...], sizes: tuple[int, ...]) -> str:
    """Return why no images of a shape can have another size, or an empty string."""
    if min(sizes) < 1:
        return f"output dimensions must be positive, got {list(sizes)}"
    return "" if all(shape[1:]) else f"input image must be of non-zero size, got {list(shape)}"


def resize_on_grid(
    name: str, images: Any, size: Any, method: str, align_corners: bool, half_pixel_centers: bool
) -> Tensor:
    """Resize images on one of the grids of TensorFlow's graphs, without antialiasing."""
    if align_corners and half_pixel_centers:
        raise ValueError(f"{name}: align_corners and half_pixel_centers cannot both be True")
    x, single = batched(name, images)
    grid = "align_corners" if align_corners else "half_pixel" if half_pixel_centers else "legacy"
    return from_batch(_resized(x, static_ints(size), method, False, grid), single)


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Bilinear resizing with TensorFlow.js's (and TensorFlow 1's) choice of grids.

    Raises:
        ValueError: when both choices are True.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 5.0], [1, 1, 2, 1])
        >>> tf.image.resize_bilinear(image, [1, 4]).numpy().ravel().tolist()
        [1.0, 3.0, 5.0, 5.0]
    """
    return resize_on_grid(
        "resize_bilinear", images, size, "bilinear", align_corners, half_pixel_centers
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Nearest-neighbour resizing with TensorFlow.js's (and TensorFlow 1's) choice of grids.

    Raises:
        ValueError: when both choices are True.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 5.0], [1, 1, 2, 1])
        >>> tf.image.resize_nearest_neighbor(image, [1, 4]).numpy().ravel().tolist()
        [1.0, 1.0, 5.0, 5.0]
    """
    return resize_on_grid(
        "resize_nearest_neighbor", images, size, "nearest", align_corners, half_pixel_centers
    )


def _target(height: Any, width: Any) -> tuple[int, int]:
    """The size that an image is to have."""
    target = static_int(height), static_int(width)
    if min(target) <= 0:
        raise ValueError("target_height and target_width must be > 0")
    return target


def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resized to fit with the same proportions, centred between zeros.

    Raises:
        ValueError: when a target is not positive.

    Example:
        >>> import tfpy as tf
        >>> image = tf.ones([2, 4, 1])
        >>> tf.image.resize_with_pad(image, 4, 4).numpy()[:, :, 0].tolist()
        [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]
    """
    x, single = as_batch("resize_with_pad", image)
    f32 = np.float32
    target, old = _target(target_height, target_width), (x.aval.shape[1], x.aval.shape[2])
    ratio = max(f32(o) / f32(t) for o, t in zip(old, target, strict=True))
    fitted = [f32(o) / ratio for o in old]
    top, left = (max(int(np.floor((t - n) / 2)), 0) for t, n in zip(target, fitted, strict=True))
    resized = resize(x, [int(n) for n in fitted], method, antialias=antialias)
    return from_batch(pad_to_bounding_box(resized, top, left, *target), single)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """Cropped around the centre where too large, between zeros where too small.

    Raises:
        ValueError: when a target is not positive.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(6), [2, 3, 1])
        >>> tf.image.resize_with_crop_or_pad(image, 3, 1).numpy()[:, :, 0].tolist()
        [[1], [4], [0]]
    """
    x, single = as_batch("resize_with_crop_or_pad", image)
    target, old = _target(target_height, target_width), (x.aval.shape[1], x.aval.shape[2])
    more = [t - o for t, o in zip(target, old, strict=True)]
    crop_top, crop_left = (max(-d // 2, 0) for d in more)
    kept_height, kept_width = (min(t, o) for t, o in zip(target, old, strict=True))
    x = crop_to_bounding_box(x, crop_top, crop_left, kept_height, kept_width)
    top, left = (max(d // 2, 0) for d in more)
    x = pad_to_bounding_box(x, top, left, *target)
    return from_batch(x, single)
