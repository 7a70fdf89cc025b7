"""The pixels of PNG and BMP files."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from tfpy._src.base import png
from tfpy._src.base.errors import invalid_value

Array = np.ndarray[Any, Any]
_GREY = (9797, 19234, 3737)
"""Weights of red, green and blue in a gray value, as multiples of 1/32768."""


def _png_pixels(data: bytes, channels: int) -> Array:
    """Decode a PNG file to uint8."""
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
    """Return the number of channels of a PNG file."""
    if image.palette is not None:
        return 4 if image.transparent else 3
    return image.pixels.shape[2]


def _with_alpha(image: png.Image, channels: int) -> Array:
    """Return the pixels, with alpha if one color is transparent and alpha is requested."""
    if image.transparent is None or channels not in (2, 4):
        return image.pixels
    whole = 2**image.depth - 1
    hidden = (image.pixels == image.transparent).all(-1, keepdims=True)
    alpha = np.where(hidden, 0, whole).astype(image.pixels.dtype)
    return np.concatenate([image.pixels, alpha], -1)


def _converted(pixels: Array, channels: int) -> Array:
    """Convert pixels to a number of channels."""
    own = pixels.shape[2]
    if own == channels:
        return pixels
    colors, alpha = (pixels[:, :, :-1], pixels[:, :, -1:]) if own in (2, 4) else (pixels, None)
    if channels < 3 and colors.shape[2] == 3:
        half = 0 if pixels.dtype == np.uint8 else 1 << 14
        parts = [
            np.multiply(colors[:, :, i], weight, dtype=np.uint32) for i, weight in enumerate(_GREY)
        ]
        gray = (sum(parts) + half) >> 15
        same = (colors == colors[:, :, :1]).all(-1)
        colors = np.where(same, colors[:, :, 0], gray).astype(pixels.dtype)[:, :, None]
    elif channels >= 3 and colors.shape[2] == 1:
        colors = np.repeat(colors, 3, -1)
    if channels in (2, 4):
        full = (
            np.full_like(colors[:, :, :1], np.iinfo(pixels.dtype).max) if alpha is None else alpha
        )
        return np.concatenate([colors, full], -1)
    return colors


def _bmp_pixels(data: bytes, channels: int) -> Array:
    """Decode a BMP file."""
    if len(data) < 32:
        raise invalid_value(
            "decode_bmp", f"Incomplete bmp content, requires at least 32 bytes, got {len(data)}"
        )
    start, _, width, height, _, bits = struct.unpack_from("<IIiiHH", data, 10)
    own = bits // 8
    if bits % 8 or own not in (1, 3, 4):
        raise invalid_value("decode_bmp", f"bits per pixel must be 8, 24 or 32, got {bits}")
    if channels not in (0, own):
        raise invalid_value(
            "decode_bmp",
            f"channels attribute {channels} does not match bits per pixel from file {own}",
        )
    if width <= 0 or not height:
        raise invalid_value("decode_bmp", f"{width} x {height} is not a valid image size")
    rows, line = abs(height), (own * width + 3) // 4 * 4
    if len(data) < start + rows * line - (line - own * width):
        raise invalid_value("decode_bmp", "Incomplete bmp content")
    padded = data[start : start + rows * line].ljust(rows * line, b"\0")
    lines = np.frombuffer(padded, np.uint8).reshape(rows, line)
    pixels = lines[:, : own * width].reshape(rows, width, own)
    if own >= 3:
        pixels = pixels[:, :, [2, 1, 0, 3][:own]]
    return np.ascontiguousarray(pixels[::-1] if height > 0 else pixels)
