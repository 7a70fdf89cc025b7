"""Decoding of image files."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.library.io.images import decode_image

_CHANNELS = {"RGB": 3, "BGR": 3, "Grayscale": 1}


@operation("ImageDecoder")
def image_decoder(encoded: Array, *, pixel_format: str = "RGB") -> Any:
    """Decode a PNG, JPEG or BMP file to pixels [H, W, C]."""
    if pixel_format not in _CHANNELS:
        raise invalid("ImageDecoder", f"unknown pixel_format {pixel_format!r}")
    data = encoded.astype(np.uint8).tobytes()
    pixels = decode_image(data, _CHANNELS[pixel_format], expand_animations=False)
    return pixels[:, :, ::-1] if pixel_format == "BGR" else pixels
