"""The files of ``tf.image``: PNG and BMP are read here, JPEG and GIF by Pillow if it is there."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, png
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.image.batches import convert_image_dtype
from tfpy._src.library.io import gif, pillow
from tfpy._src.library.io.audio import scalar_bytes
from tfpy._src.library.io.files import texts

Array = np.ndarray[Any, Any]
_GREY = (9797, 19234, 3737)
"""What red, green and blue count in a grey, of 32768."""


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a JPEG, PNG, GIF or BMP file.

    Args:
        contents: the file's bytes, a scalar string.
        channels: 0 (None) for those of the file, 1 for grey, 3 for colours, 4 for these and alpha.
        dtype: uint8, or float32 of 0 to 1.
        expand_animations: whether a GIF has all its frames, of [frames, height, width, 3]; else the
            first one.

    Returns:
        [height, width, channels].

    Raises:
        InvalidArgumentError: for another format, damaged files, or channels that it has not.
        UnimplementedError: for JPEG and GIF without Pillow.

    Example:
        >>> import tfpy as tf
        >>> png = tf.io.encode_png(tf.constant([[[1, 2, 3]]], tf.uint8))
        >>> tf.io.decode_image(png).numpy().tolist()
        [[[1, 2, 3]]]
    """
    data = scalar_bytes("decode_image", contents)
    wanted = 0 if channels is None else int(channels)
    kind = as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.float32):
        raise ValueError(f"dtype must be uint8 or float32, got {kind}")
    if wanted not in (0, 1, 3, 4):
        raise invalid("decode_image", f"channels must be in (None, 0, 1, 3, 4), got {channels}")
    found = constant(_decoded(data, wanted, expand_animations))
    return found if kind == dtypes.uint8 else convert_image_dtype(found, kind)


def _decoded(data: bytes, channels: int, animated: bool) -> Array:
    if data.startswith(png.SIGNATURE):
        return _png_pixels(data, channels)
    if data.startswith(b"BM"):
        return _bmp_pixels(data, channels)
    if data.startswith(b"\xff\xd8\xff"):
        return pillow.jpeg_pixels(data, channels)
    if data.startswith((b"GIF87a", b"GIF89a")):
        if channels not in (0, 3):
            raise invalid_value("decode_gif", f"channels must be 0, 3 for GIF, got {channels}")
        return gif.frames(data) if animated else gif.frames(data, 1)[0]
    raise invalid_value(
        "decode_image", "Unknown image file format. One of JPEG, PNG, GIF, BMP required."
    )


def decode_png(
    contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None
) -> Tensor:
    """The pixels of an image: :func:`decode_image`, but the first frame of a GIF.

    Args:
        dtype: uint8; pixels of 16 bits lose the lower half.

    Example:
        >>> import tfpy as tf
        >>> png = tf.io.encode_png(tf.constant([[[1], [255]]], tf.uint8))
        >>> tf.io.decode_png(png).numpy().tolist()
        [[[1], [255]]]
    """
    if as_dtype(dtype) != dtypes.uint8:
        raise invalid("decode_png", f"dtype must be uint8, got {as_dtype(dtype).name}")
    return decode_image(contents, channels, expand_animations=False)


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of an image: :func:`decode_image`, but the first frame of a GIF.

    Args:
        ratio: 1, 2, 4 or 8: makes the image smaller.
        fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: of no effect.

    Raises:
        InvalidArgumentError: for another ``ratio``.
    """
    if ratio not in (1, 2, 4, 8):
        raise invalid("decode_jpeg", f"ratio must be 1, 2, 4, or 8, got {ratio}")
    data = scalar_bytes("decode_jpeg", contents)
    if ratio > 1 and data.startswith(b"\xff\xd8\xff"):
        return constant(pillow.jpeg_pixels(data, channels, ratio))
    return decode_image(contents, channels, expand_animations=False)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file, uint8 of [height, width, channels].

    Raises:
        InvalidArgumentError: for another file, or channels that it has not.

    Example:
        >>> import tfpy as tf
        >>> head = "424d3a00000000000000360000002800000001000000010000000100180000000000"
        >>> pixel = [3, 2, 1, 0]  # blue, green, red, and one to fill the row
        >>> tf.io.decode_bmp(bytes.fromhex(head) + bytes([0] * 20 + pixel)).numpy().tolist()
        [[[1, 2, 3]]]
    """
    data = scalar_bytes("decode_bmp", contents)
    if not data.startswith(b"BM"):
        raise invalid_value("decode_bmp", "Expected BMP format")
    return constant(_bmp_pixels(data, channels))


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames of a GIF file, uint8 of [frames, height, width, 3].

    Raises:
        InvalidArgumentError: for another file.
        UnimplementedError: without Pillow.
    """
    data = scalar_bytes("decode_gif", contents)
    if not data.startswith((b"GIF87a", b"GIF89a")):
        raise invalid_value("decode_gif", "Expected GIF format")
    return constant(gif.frames(data))


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Any:
    r"""The bytes of PNG files of uint8 images: [..., height, width, 1 to 4 channels].

    Args:
        compression: 0 to 9, or -1 for the usual one.

    Raises:
        InvalidArgumentError: for another rank, dtype or number of channels.

    Example:
        >>> import tfpy as tf
        >>> png = tf.io.encode_png(tf.constant([[[1], [255]]], tf.uint8))
        >>> png.numpy()[:4]
        b'\x89PNG'
    """
    x = convert_to_tensor(image)
    if x.dtype != dtypes.uint8:
        raise invalid("encode_png", f"image must have type uint8, got {x.dtype.name}")
    if x.ndim < 3 or not 1 <= x.aval.shape[-1] <= 4 or not x.size:
        raise invalid(
            "encode_png",
            f"image must be [..., height, width, 1 to 4 channels], got {list(x.aval.shape)}",
        )
    if not -1 <= compression <= 9:
        raise invalid("encode_png", f"compression should be between -1 and 9, got {compression}")
    lead = x.aval.shape[:-3]
    images = x.host_view().reshape(-1, *x.aval.shape[-3:])
    return texts([png.written(one, compression) for one in images], lead)


def encode_jpeg(
    image: Any, format: str = "", quality: int = 95, *options: Any, **named: Any
) -> Tensor:
    """The bytes of a JPEG file of a uint8 image of [height, width, 1 or 3], by Pillow.

    Args:
        format: "", "grayscale" or "rgb".
        quality: 0 to 100.
        options, named: TensorFlow's further ones, of no effect.

    Raises:
        InvalidArgumentError: for another shape, dtype or quality.
        UnimplementedError: without Pillow.
    """
    x = convert_to_tensor(image)
    if x.dtype != dtypes.uint8 or x.ndim != 3 or x.aval.shape[2] not in (1, 3):
        raise invalid(
            "encode_jpeg", f"image must be uint8 of [height, width, 1 or 3], got {x.aval}"
        )
    if not 0 <= quality <= 100:
        raise invalid("encode_jpeg", f"quality must be in [0, 100], got {quality}")
    pixels = x.host_view()
    grey = pixels.shape[2] == 1
    if (format, grey) in (("grayscale", False), ("rgb", True)):
        raise invalid("encode_jpeg", f"format {format!r} does not go with {x.aval}")
    out = io.BytesIO()
    made = pillow.module("encode_jpeg", "Image").fromarray(pixels[:, :, 0] if grey else pixels)
    made.save(out, "JPEG", quality=quality)
    return texts([out.getvalue()], ())


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether bytes are those of a JPEG file: a bool scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.io.is_jpeg(bytes([255, 216, 255, 224])).numpy(), tf.io.is_jpeg(b"text").numpy()
        (np.True_, np.False_)
    """
    return constant(scalar_bytes("is_jpeg", contents).startswith(b"\xff\xd8\xff"))


# PNG


def _png_pixels(data: bytes, channels: int) -> Array:
    image = png.read(data, channels)
    pixels = image.pixels
    if image.palette is not None:
        pixels = image.palette[pixels[:, :, 0]]
        if not image.transparent:
            pixels = pixels[:, :, :3]
    else:
        pixels = _with_alpha(image, channels)
    wanted = channels or _own_channels(image)
    if image.palette is None and image.depth < 8:
        pixels = (pixels * (255 // (2**image.depth - 1))).astype(np.uint8)
    found = _converted(pixels, wanted)
    return (found >> 8).astype(np.uint8) if image.depth == 16 else found


def _own_channels(image: png.Image) -> int:
    if image.palette is not None:
        return 4 if image.transparent else 3
    return image.pixels.shape[2]


def _with_alpha(image: png.Image, channels: int) -> Array:
    """The pixels, with alpha where one colour is transparent and alpha is wanted."""
    if image.transparent is None or channels not in (2, 4):
        return image.pixels
    whole = 2**image.depth - 1
    hidden = (image.pixels == image.transparent).all(-1, keepdims=True)
    alpha = np.where(hidden, 0, whole).astype(image.pixels.dtype)
    return np.concatenate([image.pixels, alpha], -1)


def _converted(pixels: Array, channels: int) -> Array:
    """With as many channels: greys and alphas are made where they are wanted."""
    own = pixels.shape[2]
    if own == channels:
        return pixels
    colours, alpha = (pixels[:, :, :-1], pixels[:, :, -1:]) if own in (2, 4) else (pixels, None)
    if channels < 3 and colours.shape[2] == 3:
        half = 0 if pixels.dtype == np.uint8 else 1 << 14
        parts = [
            np.multiply(colours[:, :, i], weight, dtype=np.uint32) for i, weight in enumerate(_GREY)
        ]
        grey = (sum(parts) + half) >> 15
        same = (colours == colours[:, :, :1]).all(-1)
        colours = np.where(same, colours[:, :, 0], grey).astype(pixels.dtype)[:, :, None]
    elif channels >= 3 and colours.shape[2] == 1:
        colours = np.repeat(colours, 3, -1)
    if channels in (2, 4):
        full = (
            np.full_like(colours[:, :, :1], np.iinfo(pixels.dtype).max) if alpha is None else alpha
        )
        return np.concatenate([colours, full], -1)
    return colours


# BMP


def _bmp_pixels(data: bytes, channels: int) -> Array:
    if len(data) < 32:
        raise invalid_value(
            "decode_bmp", f"Incomplete bmp content, requires at least 32 bytes, got {len(data)}"
        )
    start, _, width, height, _, bits = struct.unpack_from("<IIiiHH", data, 10)
    own = bits // 8
    if bits % 8 or own not in (1, 3, 4):
        raise invalid_value("decode_bmp", f"{bits} bits a pixel are not 8, 24 or 32")
    if channels not in (0, own):
        raise invalid_value(
            "decode_bmp",
            f"channels attribute {channels} does not match bits per pixel from file {own}",
        )
    if width <= 0 or not height:
        raise invalid_value("decode_bmp", f"{width} x {height} are no sizes of an image")
    rows, line = abs(height), (own * width + 3) // 4 * 4
    if len(data) < start + rows * line - (line - own * width):
        raise invalid_value("decode_bmp", "Incomplete bmp content")
    padded = data[start : start + rows * line].ljust(rows * line, b"\0")
    lines = np.frombuffer(padded, np.uint8).reshape(rows, line)
    pixels = lines[:, : own * width].reshape(rows, width, own)
    if own >= 3:
        pixels = pixels[:, :, [2, 1, 0, 3][:own]]
    return np.ascontiguousarray(pixels[::-1] if height > 0 else pixels)
