"""JPEG images and the compressed pixels of GIF images, decoded with Pillow.

Pillow's plugins are called without `Image.open`, which would try every format that Pillow supports.
"""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np

from tfpy._src.base.errors import UnimplementedError, invalid_value
from tfpy._src.base.missing_packages import remedy
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array

_DAMAGED = (OSError, SyntaxError, ValueError)
"""Errors that Pillow raises for damaged files."""
_MODES = {1: "L", 3: "RGB"}


def module(op: str, name: str) -> Any:
    """Import a module of Pillow.

    Raises:
        UnimplementedError: If Pillow is not installed.
    """
    try:
        return importlib.import_module(f"PIL.{name}")
    except ImportError:
        raise UnimplementedError(
            None,
            op,
            f"{op}: JPEG and GIF require the package Pillow, which is not installed. "
            f"{remedy('pillow')}",
        ) from None


def jpeg_pixels(data: bytes, channels: int, ratio: int = 1) -> Array:
    """Decode a JPEG file.

    Args:
        data: Bytes of the file.
        channels: 1 or 3; 0 for the number of channels of the file.
        ratio: Divisor of width and height: 1, 2, 4 or 8.

    Returns:
        Array of uint8 of shape [height, width, channels].

    Raises:
        InvalidArgumentError: If the file is damaged or too large.
        UnimplementedError: If Pillow is not installed.
    """
    if channels not in (0, 1, 3):
        raise invalid_value("decode_jpeg", f"channels must be 0, 1 or 3 for JPEG, got {channels}")
    plugin = module("decode_image", "JpegImagePlugin")
    try:
        image = plugin.JpegImageFile(io.BytesIO(data))
        if ratio > 1:
            image.draft(image.mode, [-(-n // ratio) for n in image.size])
        wanted = channels or (1 if image.mode == "L" else 3)
        width, height = image.size
        why = Room(len(data)).refusal(f"an image of {width} x {height}", width * height * wanted)
        if why is not None:
            raise invalid_value("decode_jpeg", why)
        pixels = np.asarray(image.convert(_MODES[wanted]), np.uint8)
    except _DAMAGED as error:
        raise invalid_value("decode_jpeg", f"Invalid JPEG data: {error}") from None
    return pixels.reshape(height, width, wanted)


def gif_indices(data: bytes, width: int, height: int) -> Array | None:
    """Decompress the pixels of a GIF file with one frame and no colors.

    Returns:
        Array of uint8 of shape [height, width], or None if the compressed data is damaged.

    Raises:
        UnimplementedError: If Pillow is not installed.
    """
    plugin = module("decode_gif", "GifImagePlugin")
    try:
        image = plugin.GifImageFile(io.BytesIO(data))
        return np.asarray(image, np.uint8).reshape(height, width)
    except _DAMAGED:
        return None
