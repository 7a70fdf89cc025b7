"""Functions that resize images."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.reference.resample_tables import METHODS, Resampling, table
from tfpy._src.compiler.ops.resample import resize_axis
from tfpy._src.core.dispatch import dispatchable, implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, ShapeLike, TensorLike
from tfpy._src.library.image.batches import as_batch, batched, from_batch
from tfpy._src.library.image.geometry import crop_to_bounding_box, pad_to_bounding_box
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast, zeros
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
    """The names of the interpolation methods of `tf.image.resize`.

    Attributes:
        BILINEAR: Linear interpolation between neighboring pixels.
        NEAREST_NEIGHBOR: The value of the nearest pixel.
        BICUBIC: Cubic interpolation (Keys, 1981).
        AREA: The mean of the pixels of an area.
        LANCZOS3: A Lanczos filter with a radius of 3 pixels.
        LANCZOS5: A Lanczos filter with a radius of 5 pixels.
        GAUSSIAN: A Gaussian filter.
        MITCHELLCUBIC: Cubic interpolation (Mitchell and Netravali, 1988).

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
    images: TensorLike,
    size: ShapeLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images to a height and width.

    Args:
        images: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
            Images of different sizes can be passed as a ragged tensor.
        size: Height and width of the result.
        method: Interpolation method, one of `"bilinear"` (default), `"nearest"`, `"bicubic"`,
            `"area"`, `"lanczos3"`, `"lanczos5"`, `"gaussian"` and `"mitchellcubic"`.
        preserve_aspect_ratio: If True, keep the aspect ratio of each image: it is resized to the
            largest height and width with that ratio that fit within `size`.
        antialias: If True, average over more pixels when images become smaller. This has no effect
            for the methods `"nearest"` and `"area"`.

    Returns:
        Tensor of shape `[..., new_height, new_width, channels]`. The dtype is float32, except that
        the method `"nearest"` keeps the dtype of `images`. If `images` is ragged and
        `preserve_aspect_ratio` is True, the result is a ragged tensor.

    Raises:
        ValueError: If `method` is unknown, `size` does not have two elements, or `images` does not
            have 3 or 4 dimensions.
        tf.errors.InvalidArgumentError: If the new height or width is not positive, or the images
            are empty.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 3.0], [1, 2, 1])
        >>> tf.image.resize(image, size=[1, 4]).numpy()[:, :, 0].tolist()
        [[1.0, 1.5, 2.5, 3.0]]

    See also: `tf.image.resize_with_pad`, `tf.image.resize_with_crop_or_pad`,
    `tf.image.crop_and_resize`.
    """
    x, single = batched("resize", images)
    sizes = static_ints(size)
    if len(sizes) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if method not in METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    if preserve_aspect_ratio and all(x.aval.shape[1:3]):
        sizes = fitted((x.aval.shape[1], x.aval.shape[2]), sizes)
    return from_batch(_resized(x, sizes, method, antialias, "half_pixel"), single)


@implements(resize, RaggedTensor)
def _ragged_resize(
    images: RaggedTensor,
    size: ShapeLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Resize images of different sizes.

    The result is ragged if the images keep their proportions.
    """
    if images.shape.rank != 4:
        raise ValueError(f"resize: the rank must be 4 for ragged images, got shape {images.shape}")
    if not images.shape[0]:
        channels = images.flat_values.aval.shape[-1] if images.ragged_rank < 3 else 0
        return zeros([0, *static_ints(size), channels])
    found = [
        resize(image.to_tensor() if isinstance(image, RaggedTensor) else image, size, method,
               preserve_aspect_ratio, antialias)
        for image in images
    ]  # fmt: skip
    return ragged_stack(found) if preserve_aspect_ratio else stack(found)


def fitted(old: tuple[int, int], new: tuple[int, ...]) -> tuple[int, ...]:
    """Return the largest size with the old proportions that fits into the new size."""
    f32 = np.float32
    scale = min(f32(n) / f32(o) for n, o in zip(new, old, strict=True))
    return tuple(int(np.rint(scale * f32(o))) for o in old)


def _resized(x: Tensor, sizes: tuple[int, ...], method: str, antialias: bool, grid: str) -> Tensor:
    """Resize a batch of images along both axes."""
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
    """Return why images of a shape cannot be resized, or an empty string."""
    if min(sizes) < 1:
        return f"output dimensions must be positive, got {list(sizes)}"
    return "" if all(shape[1:]) else f"input image must be of non-zero size, got {list(shape)}"


def resize_on_grid(
    name: str,
    images: TensorLike,
    size: ShapeLike,
    method: str,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Tensor:
    """Resize images on one of the sampling grids of TensorFlow's graphs, without antialiasing."""
    if align_corners and half_pixel_centers:
        raise ValueError(f"{name}: align_corners and half_pixel_centers cannot both be True")
    x, single = batched(name, images)
    grid = "align_corners" if align_corners else "half_pixel" if half_pixel_centers else "legacy"
    return from_batch(_resized(x, static_ints(size), method, False, grid), single)


def resize_bilinear(
    images: TensorLike,
    size: ShapeLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images by bilinear interpolation, with the options of TensorFlow.js.

    Unlike `tf.image.resize`, which always uses half-pixel centers, this function aligns the first
    pixels of the input and the result by default, as TensorFlow.js and TensorFlow 1 do.

    Args:
        images: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        size: Height and width of the result.
        align_corners: If True, align the centers of the corner pixels of the input with the centers
            of the corner pixels of the result.
        half_pixel_centers: If True, the center of pixel `i` is at the position `i + 0.5`, as in
            `tf.image.resize`.

    Returns:
        Float32 tensor of shape `[..., new_height, new_width, channels]`.

    Raises:
        ValueError: If both `align_corners` and `half_pixel_centers` are True, or `images` does not
            have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 5.0], [1, 1, 2, 1])
        >>> tf.image.resize_bilinear(image, [1, 4]).numpy().ravel().tolist()
        [1.0, 3.0, 5.0, 5.0]

    See also: `tf.image.resize`, `tf.image.resize_nearest_neighbor`.
    """
    return resize_on_grid(
        "resize_bilinear", images, size, "bilinear", align_corners, half_pixel_centers
    )


def resize_nearest_neighbor(
    images: TensorLike,
    size: ShapeLike,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images by nearest-neighbor sampling, with the options of TensorFlow.js.

    Unlike `tf.image.resize`, which always uses half-pixel centers, this function aligns the first
    pixels of the input and the result by default, as TensorFlow.js and TensorFlow 1 do.

    Args:
        images: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        size: Height and width of the result.
        align_corners: If True, align the centers of the corner pixels of the input with the centers
            of the corner pixels of the result.
        half_pixel_centers: If True, the center of pixel `i` is at the position `i + 0.5`, as in
            `tf.image.resize`.

    Returns:
        Tensor of shape `[..., new_height, new_width, channels]` with the dtype of `images`.

    Raises:
        ValueError: If both `align_corners` and `half_pixel_centers` are True, or `images` does not
            have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 5.0], [1, 1, 2, 1])
        >>> tf.image.resize_nearest_neighbor(image, [1, 4]).numpy().ravel().tolist()
        [1.0, 1.0, 5.0, 5.0]

    See also: `tf.image.resize`, `tf.image.resize_bilinear`.
    """
    return resize_on_grid(
        "resize_nearest_neighbor", images, size, "nearest", align_corners, half_pixel_centers
    )


def target_size(height: IntLike, width: IntLike) -> tuple[int, int]:
    """Return the height and width of a result as integers."""
    target = static_int(height), static_int(width)
    if min(target) <= 0:
        raise ValueError("target_height and target_width must be > 0")
    return target


def resize_with_pad(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resize an image without changing its aspect ratio, and pad it with zeros to a target size.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        target_height: Height of the result.
        target_width: Width of the result.
        method: Interpolation method, one of `"bilinear"` (default), `"nearest"`, `"bicubic"`,
            `"area"`, `"lanczos3"`, `"lanczos5"`, `"gaussian"` and `"mitchellcubic"`.
        antialias: If True, average over more pixels when images become smaller. This has no effect
            for the methods `"nearest"` and `"area"`.

    Returns:
        Tensor of shape `[..., target_height, target_width, channels]`, with the image in the
        center. The dtype is float32, except that the method `"nearest"` keeps the dtype of `image`.

    Raises:
        ValueError: If `target_height` or `target_width` is not positive, `method` is unknown, or
            the image is empty or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.ones([2, 4, 1])
        >>> tf.image.resize_with_pad(image, 4, 4).numpy()[:, :, 0].tolist()
        [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]

    See also: `tf.image.resize`, `tf.image.resize_with_crop_or_pad`.
    """

    def resized(x: Tensor, size: list[int]) -> Tensor:
        return resize(x, size, method, antialias=antialias)

    return resized_with_pad(image, target_size(target_height, target_width), resized)


def resized_with_pad(
    image: TensorLike, target: tuple[int, int], resized: Callable[[Tensor, list[int]], Tensor]
) -> Tensor:
    """Resize an image without changing its aspect ratio, and pad it with zeros.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        target: Height and width of the result.
        resized: Function that resizes a batch of images to a height and width.
    """
    x, single = as_batch("resize_with_pad", image)
    f32 = np.float32
    old = (x.aval.shape[1], x.aval.shape[2])
    ratio = max(f32(o) / f32(t) for o, t in zip(old, target, strict=True))
    fitted = [f32(o) / ratio for o in old]
    top, left = (max(int(np.floor((t - n) / 2)), 0) for t, n in zip(target, fitted, strict=True))
    inner = resized(x, [int(n) for n in fitted])
    return from_batch(pad_to_bounding_box(inner, top, left, *target), single)


def resize_with_crop_or_pad(
    image: TensorLike, target_height: IntLike, target_width: IntLike
) -> Tensor:
    """Crop an image to a target size around its center, or pad it with zeros.

    The height and the width are treated separately, so one can be cropped while the other is
    padded.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        target_height: Height of the result.
        target_width: Width of the result.

    Returns:
        Tensor of shape `[..., target_height, target_width, channels]` with the dtype of `image`.

    Raises:
        ValueError: If `target_height` or `target_width` is not positive, or if the image is empty
            or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(6), [2, 3, 1])
        >>> tf.image.resize_with_crop_or_pad(image, 3, 1).numpy()[:, :, 0].tolist()
        [[1], [4], [0]]

    See also: `tf.image.resize_with_pad`, `tf.image.pad_to_bounding_box`.
    """
    x, single = as_batch("resize_with_crop_or_pad", image)
    target, old = target_size(target_height, target_width), (x.aval.shape[1], x.aval.shape[2])
    more = [t - o for t, o in zip(target, old, strict=True)]
    crop_top, crop_left = (max(-d // 2, 0) for d in more)
    kept_height, kept_width = (min(t, o) for t, o in zip(target, old, strict=True))
    x = crop_to_bounding_box(x, crop_top, crop_left, kept_height, kept_width)
    top, left = (max(d // 2, 0) for d in more)
    x = pad_to_bounding_box(x, top, left, *target)
    return from_batch(x, single)
