"""Shapes and parts of JPEG files, and the frames of WebP files."""

from __future__ import annotations

import io

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid_value
from tfpy._src.base.unpack_limit import Room
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.io import pillow
from tfpy._src.library.io.audio import scalar_bytes
from tfpy._src.tensors.array.static import static_ints

__all__ = ["decode_and_crop_jpeg", "decode_webp", "extract_jpeg_shape"]

_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of JPEG segments that contain the size of the image."""


def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Return the shape of the image in a JPEG file, without decoding the pixels.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        output_type: Dtype of the result, int32 or int64.

    Returns:
        Integer tensor of shape `[3]`: height, width and number of channels.

    Raises:
        tf.errors.InvalidArgumentError: If the file is not a JPEG file.

    Example::

        height, width, channels = tf.image.extract_jpeg_shape(tf.io.read_file("photo.jpg"))

    See also: `tf.io.decode_jpeg`.
    """
    data = scalar_bytes("extract_jpeg_shape", contents)
    return constant(_shape(data), as_dtype(output_type))


def _shape(data: bytes) -> list[int]:
    """Return height, width and channels from the header of the first frame.

    Raises:
        InvalidArgumentError: If the file has no such header.
    """
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 < len(data) and data[at] == 0xFF:
        marker, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in _FRAMES:
            height, width = (int.from_bytes(data[at + i : at + i + 2], "big") for i in (5, 7))
            return [height, width, data[at + 9]]
        at += 1 if marker == 0xFF else 2 + size
    raise invalid_value("extract_jpeg_shape", f"Invalid JPEG data, size {len(data)}")


def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decode a part of a JPEG file, which requires the package Pillow.

    TensorFlow does not interpolate the colors at the edges of the part, so that pixels next to the
    edges can differ.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        crop_window: Integer tensor of shape `[4]`: first row, first column, height and width.
        channels: 1 for grayscale, 3 for RGB. Default: the number of channels in the file.
        ratio: Divisor of the height and width of the image: 1, 2, 4 or 8.
        fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: Has no effect.

    Returns:
        Uint8 tensor of shape `[height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: If the file is damaged, or the part is not in the image.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        eye = tf.io.decode_and_crop_jpeg(tf.io.read_file("photo.jpg"), [100, 80, 32, 32])

    See also: `tf.io.decode_jpeg`, `tf.image.crop_to_bounding_box`.
    """
    op = "decode_and_crop_jpeg"
    window = static_ints(crop_window)
    if len(window) != 4:
        raise invalid_value(op, f"crop_window must have four elements, got {list(window)}")
    row, column, height, width = window
    pixels = pillow.jpeg_pixels(scalar_bytes(op, contents), channels, ratio)
    fits = row + height <= pixels.shape[0] and column + width <= pixels.shape[1]
    if min(row, column) < 0 or min(height, width) < 1 or not fits:
        raise invalid_value(
            op, f"the crop window {list(window)} is not in the image of shape {pixels.shape}"
        )
    return constant(np.ascontiguousarray(pixels[row : row + height, column : column + width]))


def decode_webp(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """Decode a WebP file, which requires the package Pillow.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        channels: 3 for RGB or 4 for RGBA, the number of channels in the file. Default: that number.
        dtype: Dtype of the result. Only uint8 is supported.

    Returns:
        Uint8 tensor of shape `[frames, height, width, channels]`. An animation has four channels.

    Raises:
        tf.errors.InvalidArgumentError: If the file is damaged, or `channels` or `dtype` is not
            supported.
        tf.errors.UnimplementedError: If Pillow is not installed.

    Example::

        (image,) = tf.io.decode_webp(tf.io.read_file("photo.webp"))

    See also: `tf.io.decode_image`, `tf.io.decode_gif`.
    """
    op, data = "decode_webp", scalar_bytes("decode_webp", contents)
    if as_dtype(dtype) != dtypes.uint8:
        raise invalid_value(op, f"dtype must be uint8, got {as_dtype(dtype).name}")
    if channels not in (0, 3, 4):
        raise invalid_value(op, f"WebP only supports 3 or 4 channels, got {channels}")
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise invalid_value(op, f"the contents of {len(data)} bytes are not a WebP file")
    plugin = pillow.module(op, "WebPImagePlugin")
    try:
        image = plugin.WebPImageFile(io.BytesIO(data))
        count = getattr(image, "n_frames", 1)
        found = 4 if count > 1 or image.mode == "RGBA" else 3
        (width, height), limit = image.size, Room(len(data))
        why = limit.refusal(f"{count} images of {width} x {height}", count * width * height * found)
        if why is not None:
            raise invalid_value(op, why)
        if channels not in (0, found):
            raise invalid_value(
                op, f"the file has {found} channels, but channels={channels} was requested"
            )
        frames = []
        for number in range(count):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGBA" if found == 4 else "RGB"), np.uint8))
    except (OSError, SyntaxError) as error:
        raise invalid_value(op, f"Invalid WebP data: {error}") from None
    return constant(np.stack(frames))
