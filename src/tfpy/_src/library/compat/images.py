"""`tf.compat.v1.image`: resizing on the grids of TensorFlow 1."""

from __future__ import annotations

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, ShapeLike, TensorLike
from tfpy._src.library.image.resizing import (
    fitted,
    resize_on_grid,
    resized_with_pad,
    target_size,
)
from tfpy._src.tensors.array.static import static_ints

_RANKS = (3, 4)


class ResizeMethod:
    """Interpolation methods of `tf.compat.v1.image.resize`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.image.ResizeMethod.NEAREST_NEIGHBOR
        1

    See also: `tf.image.ResizeMethod`.
    """

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


_METHODS = ("bilinear", "nearest", "bicubic", "area")


def resize(
    images: TensorLike,
    size: ShapeLike,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images to a height and width, with the sampling grid of TensorFlow 1.

    `tf.image.resize` has another grid, which keeps the centers of images.

    Args:
        images: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        size: Height and width of the result.
        method: Interpolation method, an attribute of `tf.compat.v1.image.ResizeMethod` or one of
            `"bilinear"` (default), `"nearest"`, `"bicubic"` and `"area"`.
        align_corners: If True, align the centers of the corner pixels of the input with the centers
            of the corner pixels of the output.
        preserve_aspect_ratio: If True, keep the aspect ratio: the images are resized to the largest
            height and width with that ratio that fit within `size`.

    Returns:
        Tensor of shape `[..., new_height, new_width, channels]`. The dtype is float32. The method
        `"nearest"` keeps the dtype, as do images that already have the size.

    Raises:
        ValueError: If `method` is unknown, `size` does not have two elements, or `images` does not
            have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 3.0], [1, 2, 1])
        >>> tf.compat.v1.image.resize(image, size=[1, 4]).numpy()[:, :, 0].tolist()
        [[1.0, 2.0, 3.0, 3.0]]

    See also: `tf.image.resize`, `tf.compat.v1.image.resize_bicubic`.
    """
    x = convert_to_tensor(images)
    shape = x.aval.shape
    if len(shape) not in _RANKS:
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    sizes = static_ints(size)
    if len(sizes) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    chosen = method if isinstance(method, str) else dict(enumerate(_METHODS)).get(method)
    if chosen not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    old = (shape[-3], shape[-2])
    if preserve_aspect_ratio and all(old):
        sizes = fitted(old, sizes)
    if tuple(sizes) == old:
        return x
    return resize_on_grid("resize", x, sizes, str(chosen), align_corners, False)


def resize_images(
    images: TensorLike,
    size: ShapeLike,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images, as `tf.compat.v1.image.resize` does.

    Args:
        images: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        size: Height and width of the result.
        method: Interpolation method. Default: bilinear.
        align_corners: If True, align the corner pixels of the input and the output.
        preserve_aspect_ratio: If True, keep the aspect ratio.

    Returns:
        Tensor of shape `[..., new_height, new_width, channels]`.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 3.0], [1, 2, 1])
        >>> tf.compat.v1.image.resize_images(image, [1, 3], align_corners=True)[:, :, 0]
        <tf.Tensor: shape=(1, 3), dtype=float32, numpy=array([[1., 2., 3.]], dtype=float32)>

    See also: `tf.compat.v1.image.resize`.
    """
    return resize(images, size, method, align_corners, preserve_aspect_ratio, name)


def resize_image_with_pad(
    image: TensorLike,
    target_height: IntLike,
    target_width: IntLike,
    method: int | str = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Resize an image on the grid of TensorFlow 1, and pad it with zeros to a target size.

    The aspect ratio does not change.

    Args:
        image: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.
        target_height: Height of the result.
        target_width: Width of the result.
        method: Interpolation method. Default: bilinear.
        align_corners: If True, align the corner pixels of the input and the output.

    Returns:
        Tensor of shape `[..., target_height, target_width, channels]`, with the image in the
        center.

    Raises:
        ValueError: If `target_height` or `target_width` is not positive, `method` is unknown, or
            the image is empty or does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(8.0), [2, 4, 1])
        >>> padded = tf.compat.v1.image.resize_image_with_pad(image, 2, 2)
        >>> padded.numpy()[:, :, 0].tolist()
        [[0.0, 2.0], [0.0, 0.0]]

    See also: `tf.image.resize_with_pad`.
    """
    return resized_with_pad(
        image,
        target_size(target_height, target_width),
        lambda x, size: resize(x, size, method, align_corners),
    )


def resize_bicubic(
    images: TensorLike,
    size: ShapeLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resize images with bicubic interpolation.

    Args:
        images: Tensor of shape `[batch, height, width, channels]`.
        size: Height and width of the result.
        align_corners: If True, align the centers of the corner pixels of the input with the centers
            of the corner pixels of the output.
        half_pixel_centers: If True, the centers of pixels are at half-integer coordinates.

    Returns:
        Tensor of shape `[batch, new_height, new_width, channels]` and dtype float32.

    Raises:
        ValueError: If both `align_corners` and `half_pixel_centers` are True.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([0.0, 1.0], [1, 1, 2, 1])
        >>> tf.compat.v1.image.resize_bicubic(image, [1, 2])[0, :, :, 0].numpy().tolist()
        [[0.0, 1.0]]

    See also: `tf.compat.v1.image.resize`, `tf.compat.v1.image.resize_area`.
    """
    return resize_on_grid(
        "resize_bicubic", images, size, "bicubic", align_corners, half_pixel_centers
    )


def resize_area(
    images: TensorLike, size: ShapeLike, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """Resize images by averaging over areas.

    Args:
        images: Tensor of shape `[batch, height, width, channels]`.
        size: Height and width of the result.
        align_corners: If True, align the centers of the corner pixels of the input with the centers
            of the corner pixels of the output.

    Returns:
        Tensor of shape `[batch, new_height, new_width, channels]` and dtype float32.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([0.0, 1.0, 2.0, 3.0], [1, 1, 4, 1])
        >>> tf.compat.v1.image.resize_area(image, [1, 2])[0, :, :, 0].numpy().tolist()
        [[0.5, 2.5]]

    See also: `tf.compat.v1.image.resize`.
    """
    return resize_on_grid("resize_area", images, size, "area", align_corners, False)
