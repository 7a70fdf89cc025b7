"""Gradients of images, and measures of their quality and similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import activation, elementwise as ew
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.library.image.batches import at_least, batched, convert_image_dtype
from tfpy._src.tensors.array.joining import concat, pad, stack
from tfpy._src.tensors.array.making import cast, zeros
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.math import reductions
from tfpy._src.tensors.nn.activations import softmax
from tfpy._src.tensors.nn.convolution import depthwise_conv2d
from tfpy._src.tensors.nn.pooling import avg_pool2d

__all__ = [
    "image_gradients",
    "psnr",
    "sobel_edges",
    "ssim",
    "ssim_multiscale",
    "total_variation",
]


def sobel_edges(image: TensorLike) -> Tensor:
    """Compute edge maps of images with Sobel filters.

    Args:
        image: Float tensor of shape `[batch, height, width, channels]`.

    Returns:
        Tensor of shape `[batch, height, width, channels, 2]` with the dtype of `image`. The last
        axis holds the change along the height and the change along the width.

    Raises:
        ValueError: If the image has fewer than four dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> tf.image.sobel_edges(image).numpy()[0, 1, 1].tolist()  # along y and x
        [[24.0, 8.0]]

    See also: `tf.image.image_gradients`.
    """
    x = at_least("sobel_edges", image, 4)
    down = [[-1.0, -2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]]
    both = constant([[[down[i][j], down[j][i]] for j in (0, 1, 2)] for i in (0, 1, 2)], x.dtype)
    depth = x.aval.shape[3]
    filters = broadcast_to(reshape(both, [3, 3, 1, 2]), [3, 3, depth, 2])
    padded = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    edges = depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    return reshape(edges, [*x.aval.shape, 2])


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """Compute the change from each pixel to the one below it and to the one on its right.

    Args:
        image: Tensor of shape `[batch, height, width, channels]`.

    Returns:
        A tuple `(dy, dx)` of tensors with the shape and dtype of `image`. `dy` holds the changes
        along the height, and its last row is 0. `dx` holds the changes along the width, and its
        last column is 0.

    Raises:
        ValueError: If the image does not have four dimensions.
        tf.errors.InvalidArgumentError: If the image has no rows or no columns.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 2.0, 4.0, 8.0], [1, 2, 2, 1])
        >>> dy, dx = tf.image.image_gradients(image)
        >>> dy.numpy()[0, :, :, 0].tolist(), dx.numpy()[0, :, :, 0].tolist()
        ([[3.0, 6.0], [0.0, 0.0]], [[1.0, 0.0], [4.0, 0.0]])

    See also: `tf.image.sobel_edges`.
    """
    x = convert_to_tensor(image)
    if x.ndim != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {x.shape}."
        )
    batch, height, width, depth = x.aval.shape
    dy, dx = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
    dy = concat([dy, zeros([batch, 1, width, depth], x.dtype)], 1)
    dx = concat([dx, zeros([batch, height, 1, depth], x.dtype)], 2)
    return reshape(dy, x.aval.shape), reshape(dx, x.aval.shape)


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """Compute the total variation of images.

    The total variation is the sum of the absolute differences between neighboring pixels. It
    measures how noisy an image is.

    Args:
        images: Tensor of shape `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns:
        Tensor with the dtype of `images`. Its shape is `[]` for a single image and `[batch]` for a
        batch of images.

    Raises:
        ValueError: If `images` does not have 3 or 4 dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.constant([[[1.0], [3.0]], [[1.0], [0.0]]])
        >>> tf.image.total_variation(image).numpy().tolist()
        6.0
    """
    x, single = batched("total_variation", images)
    down, right = ew.abs_(x[:, 1:] - x[:, :-1]), ew.abs_(x[:, :, 1:] - x[:, :, :-1])
    total = reductions.reduce_sum(down, [1, 2, 3]) + reductions.reduce_sum(right, [1, 2, 3])
    return reshape(total, []) if single else total


def _floats(a: TensorLike, b: TensorLike, max_val: FloatLike) -> tuple[Tensor, Tensor, Tensor]:
    """Convert two images and the largest value of a pixel to float32."""
    x, y = at_least("psnr", a, 3), at_least("psnr", b, 3)
    given = (x, y, cast(max_val, x.dtype))
    first, second, largest = (convert_image_dtype(t, dtypes.float32) for t in given)
    return first, second, largest


def psnr(a: TensorLike, b: TensorLike, max_val: FloatLike, name: str | None = None) -> Tensor:
    """Compute the peak signal-to-noise ratio between pairs of images, in decibels.

    Args:
        a: Tensor of shape `[..., height, width, channels]`.
        b: Tensor with the shape of `a`.
        max_val: Difference between the largest and the smallest value that a pixel can have, such
            as 255 for uint8 images.

    Returns:
        Float32 tensor of shape `[...]` with the ratio of each pair.

    Raises:
        ValueError: If `a` or `b` has fewer than three dimensions, or if their last three dimensions
            differ, but can be broadcast.
        tf.errors.InvalidArgumentError: If the shapes cannot be broadcast.

    Example:
        >>> import tfpy as tf
        >>> a, b = tf.zeros([4, 4, 3]), tf.fill([4, 4, 3], 0.1)
        >>> tf.image.psnr(a, b, max_val=1.0).numpy().round(2).tolist()
        20.0

    See also: `tf.image.ssim`.
    """
    x, y, largest = _floats(a, b, max_val)
    error = reductions.reduce_mean(ew.squared_difference(x, y), [-3, -2, -1])
    _check_same(x, y)
    decibel = 10 / math.log(10)
    return ew.subtract(ew.log(largest) * (2 * decibel), ew.log(error) * decibel)


def _likeness(
    x: Tensor, y: Tensor, largest: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Compute the parts of the structural similarity for each window and channel.

    Returns:
        The luminance, and the product of contrast and structure.
    """
    depth = x.aval.shape[-1]
    coordinates = [i - (size - 1) / 2 for i in range(size)]
    gauss = softmax(constant([-0.5 * (a / sigma) ** 2 for a in coordinates]))
    # A Gaussian of two dimensions is a product, so columns and rows are filtered in turn.
    filters = [
        broadcast_to(reshape(gauss, shape), [*shape[:2], depth, 1])
        for shape in ([size, 1, 1, 1], [1, size, 1, 1])
    ]

    def mean(z: Tensor) -> Tensor:
        w = reshape(z, [-1, *z.aval.shape[-3:]])
        for one in filters:
            w = depthwise_conv2d(w, one, [1, 1, 1, 1], "VALID")
        return reshape(w, [*z.aval.shape[:-3], *w.aval.shape[1:]])

    c1, c2 = ew.square(largest * k1), ew.square(largest * k2)
    mean_x, mean_y = mean(x), mean(y)
    product, squares = mean_x * mean_y * 2, ew.square(mean_x) + ew.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    covariance = mean(x * y) * 2 - product
    variances = mean(ew.square(x) + ew.square(y)) - squares
    return luminance, (covariance + c2) / (variances + c2)


def _check_same(x: Tensor, y: Tensor) -> None:
    """Raise ValueError if the last three dimensions differ."""
    if tuple(x.aval.shape[-3:]) != tuple(y.aval.shape[-3:]):
        raise ValueError(f"images of shapes {x.shape} and {y.shape} cannot be compared")


def _check_size(x: Tensor, size: int) -> None:
    """Raise InvalidArgumentError if images are smaller than the filter."""
    if min(x.aval.shape[-3:-1]) < size:
        raise invalid("ssim", f"images {list(x.aval.shape)} are smaller than the filter of {size}")


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: FloatLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Compute the structural similarity (SSIM; Wang et al., 2004) of pairs of images.

    The similarity is 1 for equal images, and less for different images.

    Args:
        img1: Tensor of shape `[..., height, width, channels]`.
        img2: Tensor with the shape of `img1`.
        max_val: Difference between the largest and the smallest value that a pixel can have, such
            as 255 for uint8 images.
        filter_size: Height and width of the Gaussian filter in pixels.
        filter_sigma: Standard deviation of the Gaussian filter.
        k1: Factor in the constant `(k1 * max_val) ** 2`, which stabilizes the luminance term.
        k2: Factor in the constant `(k2 * max_val) ** 2`, which stabilizes the contrast term.
        return_index_map: If True, return the similarity of each window instead of their mean.

    Returns:
        Float32 tensor of shape `[...]` with the similarity of each pair. If `return_index_map` is
        True, the shape is `[..., rows, columns]`, with an element for each position of the filter.

    Raises:
        ValueError: If the last three dimensions of the images differ, or an image has fewer than
            three dimensions.
        tf.errors.InvalidArgumentError: If the images are smaller than the filter.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(144.0), [12, 12, 1]) / 144.0
        >>> tf.image.ssim(image, image, max_val=1.0).numpy().round(3).tolist()
        1.0

    See also: `tf.image.ssim_multiscale`, `tf.image.psnr`.
    """
    x, y, largest = _floats(img1, img2, max_val)
    _check_same(x, y)
    _check_size(x, filter_size)
    luminance, structure = _likeness(x, y, largest, filter_size, filter_sigma, k1, k2)
    axes = [-1] if return_index_map else [-3, -2, -1]
    return reductions.reduce_mean(luminance * structure, axes)


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: FloatLike,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Compute the multi-scale structural similarity (MS-SSIM) of pairs of images.

    The images are compared at more than one scale, and each scale has half the height and width of
    the previous one (Wang et al., 2003).

    Args:
        img1: Tensor of shape `[..., height, width, channels]`.
        img2: Tensor with the shape of `img1`.
        max_val: Difference between the largest and the smallest value that a pixel can have, such
            as 255 for uint8 images.
        power_factors: Exponent of each scale, beginning with the full size. The number of exponents
            determines the number of scales. Default: five scales with the exponents of Wang et al.
        filter_size: Height and width of the Gaussian filter in pixels.
        filter_sigma: Standard deviation of the Gaussian filter.
        k1: Factor in the constant `(k1 * max_val) ** 2`, which stabilizes the luminance term.
        k2: Factor in the constant `(k2 * max_val) ** 2`, which stabilizes the contrast term.

    Returns:
        Float32 tensor of shape `[...]` with the similarity of each pair.

    Raises:
        ValueError: If the last three dimensions of the images differ, or an image has fewer than
            three dimensions.
        tf.errors.InvalidArgumentError: If the images are smaller than the filter at one of the
            scales.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(1024.0), [32, 32, 1]) / 1024.0
        >>> halves = (0.5, 0.5)
        >>> found = tf.image.ssim_multiscale(image, image, max_val=1.0, power_factors=halves)
        >>> found.numpy().round(3).tolist()
        1.0

    See also: `tf.image.ssim`.
    """
    x, y, largest = _floats(img1, img2, max_val)
    _check_same(x, y)
    lead = x.aval.shape[:-3]
    x, y = (reshape(v, [-1, *v.aval.shape[-3:]]) for v in (x, y))
    factors = [float(p) for p in power_factors]
    found = []
    for scale in range(len(factors)):
        if scale:
            x, y = _halved(x), _halved(y)
        _check_size(x, filter_size)
        luminance, structure = _likeness(x, y, largest, filter_size, filter_sigma, k1, k2)
        last = scale == len(factors) - 1
        found.append(
            activation.relu(
                reductions.reduce_mean(luminance * structure if last else structure, [1, 2])
            )
        )
    together = reductions.reduce_prod(ew.power(stack(found, axis=-1), constant(factors)), -1)
    return reshape(reductions.reduce_mean(together, -1), list(lead))


def _halved(x: Tensor) -> Tensor:
    """Halve the height and width of images by averaging."""
    odd = [n % 2 for n in x.aval.shape[1:3]]
    if any(odd):
        x = pad(x, [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]], "SYMMETRIC")
    return avg_pool2d(x, 2, 2, "VALID")
