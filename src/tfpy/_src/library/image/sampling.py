"""Images sampled at computed positions: crops of boxes, projective transforms, rotation."""

from __future__ import annotations

import math
from builtins import range as range_
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import OutOfRangeError, invalid
from tfpy._src.compiler.ops import elementwise as ew, indexing, logic
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tape import stop_gradient
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.library.image.batches import at_least
from tfpy._src.tensors.array.making import as_floats, cast
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.autodiff.gradient_tape import GradientTape

__all__ = ["crop_and_resize", "rotate_with_offset", "transform"]


def _pick(image: Tensor, which: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Return `image[which, y, x]` for integer positions, which are first clipped to the image."""
    _, height, width, _ = image.aval.shape
    row = cast(ew.minimum(ew.maximum(y, 0.0), float(height - 1)), dtypes.int32)
    column = cast(ew.minimum(ew.maximum(x, 0.0), float(width - 1)), dtypes.int32)
    flat = reshape(image, [image.aval.shape[0] * height * width, image.aval.shape[3]])
    place = (which * height + row) * width + column
    return indexing.gather(flat, place, axis=0, batch_dims=0)


def _inside(at: Tensor, size: int) -> Tensor:
    """Return True where a position is inside an axis of `size` pixels."""
    return logic.logical_and(at >= 0, at <= float(size - 1))


def _channels(x: Tensor) -> Tensor:
    """Append an axis for the channels."""
    return reshape(x, [*x.aval.shape, 1])


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: ShapeLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Crop boxes from images and resize all crops to the same size.

    Args:
        image: Tensor of shape `[batch, height, width, channels]` with a real dtype.
        boxes: Float tensor of shape `[n, 4]` with the corners of each box as `y1, x1, y2, x2`. The
            coordinates are normalized, so that 0 is the first pixel of an axis and 1 is the last
            pixel.
        box_indices: Int32 tensor of shape `[n]` with the index of the image from which each box is
            cropped.
        crop_size: Height and width of the crops.
        method: Interpolation method, `"bilinear"` (default) or `"nearest"`.
        extrapolation_value: Value of pixels outside of the image. Default: 0.

    Returns:
        Float32 tensor of shape `[n, crop_height, crop_width, channels]`.

    Raises:
        ValueError: If the image has fewer than four dimensions.
        tf.errors.InvalidArgumentError: If the shapes are not compatible, the image or the crops are
            empty, or `method` is unknown.
        tf.errors.OutOfRangeError: If an element of `box_indices` is not the index of an image.
            Inside a `tf.function`, this is only checked if `box_indices` is a constant.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> crops = tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 1.0]], [0], crop_size=[2, 3])
        >>> crops.numpy()[0, :, :, 0].tolist()
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]

    See also: `tf.image.resize`, `tf.image.crop_to_bounding_box`.
    """
    x = at_least("crop_and_resize", image, 4)
    infer.check_dtype("crop_and_resize", x.aval, infer.REAL, "image")
    x = cast(x, dtypes.float32)
    corners = convert_to_tensor(as_floats(boxes), dtypes.float32)
    which = convert_to_tensor(box_indices, dtypes.int32)
    sizes = static_ints(crop_size)
    if (
        corners.ndim != 2
        or corners.aval.shape[1] != 4
        or which.aval.shape != corners.aval.shape[:1]
    ):
        raise invalid(
            "crop_and_resize",
            f"boxes must be [n, 4] and box_indices [n], got {list(corners.aval.shape)} and "
            f"{list(which.aval.shape)}",
        )
    if len(sizes) != 2:
        raise invalid("crop_and_resize", f"crop_size must have 2 elements, got {list(sizes)}")
    if method not in ("bilinear", "nearest"):
        raise invalid("crop_and_resize", f"method must be bilinear or nearest, got {method!r}")
    count = corners.aval.shape[0]
    shape = (count, *(max(n, 0) for n in sizes), x.aval.shape[3])
    if not min(*sizes, *x.aval.shape[1:3]) > 0:
        message = f"image {list(x.aval.shape)} and crop dimensions {list(sizes)} must be positive"
        return failing("crop_and_resize", message, (x, corners), shape, x.dtype)
    if _names_no_image(which, x.aval.shape[0]):
        message = f"box_indices has values outside [0, {x.aval.shape[0]})"
        return failing("crop_and_resize", message, (x, corners), shape, x.dtype, OutOfRangeError)
    y = _along_box(corners[:, 0], corners[:, 2], x.aval.shape[1], sizes[0])
    z = _along_box(corners[:, 1], corners[:, 3], x.aval.shape[2], sizes[1])
    rows = broadcast_to(reshape(y, [count, sizes[0], 1]), [count, *sizes])
    columns = broadcast_to(reshape(z, [count, 1, sizes[1]]), [count, *sizes])
    which = reshape(which, [count, 1, 1])
    inside = logic.logical_and(_inside(rows, x.aval.shape[1]), _inside(columns, x.aval.shape[2]))
    if method == "nearest":
        found = _at_nearest(x, rows, columns, which)
    else:
        found = _between(x, rows, columns, which)
    return logic.select(_channels(inside), found, float(extrapolation_value))


def _between(image: Tensor, rows: Tensor, columns: Tensor, which: Tensor) -> Tensor:
    """Sample images bilinearly."""
    ends = ew.ceil(rows), ew.ceil(columns)
    return _bilinear(lambda y, x: _pick(image, which, y, x), rows, columns, *ends)


def _at_rounded(image: Tensor, rows: Tensor, columns: Tensor, which: Tensor) -> Tensor:
    """Sample the pixels at rounded positions."""
    return _pick(image, which, ew.floor(rows + 0.5), ew.floor(columns + 0.5))


@custom_gradient
def _at_nearest(image: Tensor, rows: Tensor, columns: Tensor, which: Tensor) -> Any:
    """Sample the pixels at rounded positions.

    The positions get the gradient of `"bilinear"`, as in TensorFlow, because their exact gradient
    is 0.
    """

    def grad(g: Tensor) -> tuple[Any, ...]:
        with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch([image, rows, columns])
            pixels = _at_rounded(image, rows, columns, which)
            between = _between(stop_gradient(image), rows, columns, which)
        return (tape.gradient(pixels, image, g), *tape.gradient(between, [rows, columns], g), None)

    return _at_rounded(image, rows, columns, which), grad


def _names_no_image(which: Tensor, count: int) -> bool:
    """Return True if some indices of images are known to be outside of [0, count)."""
    if not which.has_values or not which.dtype.is_integer:
        return False
    numbers = which.host_view()
    return bool(((numbers < 0) | (numbers >= count)).any())


def _along_box(first: Tensor, last: Tensor, size: int, crop: int) -> Tensor:
    """Return the positions of the pixels of crops in the image, of shape `[boxes, crop]`."""
    first, last = reshape(first, [-1, 1]), reshape(last, [-1, 1])
    if crop == 1:
        return (first + last) * (0.5 * (size - 1))
    step = (last - first) * (size - 1) / (crop - 1)
    return ew.add(first * (size - 1), step * cast(range(crop), dtypes.float32))


def _bilinear(
    pick: Callable[[Tensor, Tensor], Tensor], y: Tensor, x: Tensor, bottom: Tensor, end: Tensor
) -> Tensor:
    """Interpolate between the floors of positions, the `bottom` row and the `end` column."""
    top, left = ew.floor(y), ew.floor(x)
    down, right = _channels(y - top), _channels(x - left)
    upper = pick(top, left) * (1 - right) + pick(top, end) * right
    lower = pick(bottom, left) * (1 - right) + pick(bottom, end) * right
    return upper * (1 - down) + lower * down


def _constant(at: Tensor, size: int) -> Tensor:
    """Return positions unchanged; those outside get a constant value."""
    return at


def _nearest(at: Tensor, size: int) -> Tensor:
    """Map positions outside to the nearest pixel."""
    return ew.minimum(ew.maximum(at, 0.0), float(size - 1))


def _reflect(at: Tensor, size: int) -> Tensor:
    """Map positions so that `abcd` is extended to `dcba|abcd|dcba`."""
    period = 2.0 * size
    below = at + period * ew.floor(-at / period)
    below = logic.select(below < -float(size), below + period, -below - 1)
    above = at - period * ew.floor(at / period)
    above = logic.select(above >= float(size), period - above - 1, above)
    inner = logic.select(at > float(size - 1), above, at)
    return _nearest(logic.select(at < 0, below, inner), size)


def _wrap(at: Tensor, size: int) -> Tensor:
    """Map positions so that `abcd` is extended to `abcd|abcd|abcd`."""
    if size <= 1:
        return _nearest(at, size)
    below = at + size * (ew.floor(-at / float(size - 1)) + 1)
    above = at - size * ew.floor(at / float(size - 1))
    inner = logic.select(at > float(size - 1), above, at)
    return _nearest(logic.select(at < 0, below, inner), size)


_FILLS = {"constant": _constant, "nearest": _nearest, "reflect": _reflect, "wrap": _wrap}


def transform(
    image: TensorLike,
    transforms: TensorLike,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    output_shape: ShapeLike | None = None,
) -> Tensor:
    """Apply projective transforms to images.

    Equivalent to `tf.image.transform` in TensorFlow.js, and to the op `ImageProjectiveTransformV3`
    of TensorFlow.

    Args:
        image: Tensor of shape `[batch, height, width, channels]`.
        transforms: Float tensor of shape `[batch, 8]`, or `[1, 8]` to transform all images in the
            same way, with the coefficients `a0, a1, a2, b0, b1, b2, c0, c1`. The output pixel at
            `(x, y)` is read from the input at `((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`,
            where `k = c0 x + c1 y + 1`.
        interpolation: Interpolation method, `"nearest"` (default) or `"bilinear"`.
        fill_mode: Values of pixels outside of the input. `"constant"` (default) uses `fill_value`,
            `"reflect"` mirrors the input at its edges, `"wrap"` repeats the input, and `"nearest"`
            uses the nearest pixel of the edge.
        fill_value: Value of pixels outside of the input if `fill_mode` is `"constant"`.
        output_shape: Height and width of the output. Default: the height and width of `image`.

    Returns:
        Float32 tensor of shape `[batch, out_height, out_width, channels]`.

    Raises:
        ValueError: If `interpolation` or `fill_mode` is unknown, or the image has fewer than four
            dimensions.
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 2, 2, 1])
        >>> right = [[1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]  # output (x, y) takes (x - 1, y)
        >>> tf.image.transform(image, right).numpy()[0, :, :, 0].tolist()
        [[0.0, 1.0], [0.0, 3.0]]

    See also: `tf.image.rotate_with_offset`, `tf.image.crop_and_resize`.
    """
    x = cast(at_least("transform", image, 4), dtypes.float32)
    maps = convert_to_tensor(transforms)
    batch, height, width, channels = x.aval.shape
    if maps.ndim != 2 or maps.aval.shape[1] != 8 or maps.aval.shape[0] not in (1, batch):
        raise invalid(
            "transform", f"transforms must be [{batch} or 1, 8], got {list(maps.aval.shape)}"
        )
    if interpolation not in ("nearest", "bilinear") or fill_mode not in _FILLS:
        raise ValueError(
            f"transform: interpolation {interpolation!r} must be 'nearest' or 'bilinear' and "
            f"fill_mode {fill_mode!r} one of {sorted(_FILLS)}"
        )
    out_h, out_w = (height, width) if output_shape is None else static_ints(output_shape)
    if not height * width:  # every pixel is outside of the input
        return constant(float(fill_value), dtypes.float32, [batch, out_h, out_w, channels])
    a0, a1, a2, b0, b1, b2, c0, c1 = (reshape(maps[:, i], [-1, 1, 1]) for i in range_(8))
    rows = reshape(cast(range(out_h), dtypes.float32), [1, out_h, 1])
    columns = cast(range(out_w), dtypes.float32)
    k = c0 * columns + c1 * rows + 1
    exists = logic.not_equal(k, 0.0)
    k = logic.select(exists, k, 1.0)
    at_x = _FILLS[fill_mode]((a0 * columns + a1 * rows + a2) / k, width)
    at_y = _FILLS[fill_mode]((b0 * columns + b1 * rows + b2) / k, height)
    which = reshape(range(batch), [batch, 1, 1])

    def pick(y: Tensor, z: Tensor) -> Tensor:
        inside = logic.logical_and(_inside(y, height), _inside(z, width))
        return logic.select(_channels(inside), _pick(x, which, y, z), float(fill_value))

    if interpolation == "nearest":
        found = pick(_rounded(at_y), _rounded(at_x))
    else:
        found = _bilinear(pick, at_y, at_x, ew.floor(at_y) + 1, ew.floor(at_x) + 1)
    return logic.select(_channels(exists), found, float(fill_value))


def _rounded(x: Tensor) -> Tensor:
    """Round to the nearest integer, halves away from zero."""
    return ew.sign(x) * ew.floor(ew.abs_(x) + 0.5)


def rotate_with_offset(
    image: TensorLike,
    radians: float,
    fill_value: float | Sequence[float] = 0,
    center: float | Sequence[float] = 0.5,
) -> Tensor:
    """Rotate images counter-clockwise about a center, with nearest-neighbor sampling.

    Equivalent to `tf.image.rotateWithOffset` in TensorFlow.js. TensorFlow does not have this
    function.

    Args:
        image: Float32 tensor of shape `[batch, height, width, channels]`.
        radians: Angle of the rotation in radians.
        fill_value: Value of pixels outside of the input. A number is used for all channels. A
            sequence has a number for each color channel, and the alpha channel is set to 255.
            Default: 0.
        center: Center of the rotation, as a fraction of the width and the height. It is a number
            for both, or a pair `(x, y)`. Default: 0.5, the center of the images.

    Returns:
        Float32 tensor with the shape of `image`.

    Raises:
        ValueError: If the image has fewer than four dimensions.

    Example:
        >>> import tfpy as tf
        >>> image = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
        >>> half = tf.image.rotate_with_offset(image, radians=3.14159265)
        >>> half.numpy()[0, 1:4, 1:4, 0].tolist()
        [[24.0, 23.0, 22.0], [19.0, 18.0, 17.0], [14.0, 13.0, 12.0]]

    See also: `tf.image.rot90`, `tf.image.transform`.
    """
    x = cast(at_least("rotate_with_offset", image, 4), dtypes.float32)
    batch, height, width, depth = x.aval.shape
    across, down = (center, center) if isinstance(center, int | float) else center
    center_x, center_y = width * across, height * down
    sine, cosine = math.sin(radians), math.cos(radians)
    z = cast(range(width), dtypes.float32) - center_x
    y = reshape(cast(range(height), dtypes.float32) - center_y, [height, 1])
    at_x = ew.floor(z * cosine - y * sine + (center_x + 0.5))
    at_y = ew.floor(z * sine + y * cosine + (center_y + 0.5))
    inside = logic.logical_and(_inside(at_y, height), _inside(at_x, width))
    found = _pick(x, reshape(range(batch), [batch, 1, 1]), at_y, at_x)
    if isinstance(fill_value, int | float):
        fill: Any = float(fill_value)
    else:
        fill = constant([255.0 if i == 3 else float(fill_value[i]) for i in range_(depth)])
    return logic.select(_channels(inside), found, fill)
