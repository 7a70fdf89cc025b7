"""Valid images of each format, and their readers."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as reference

import tfpy as tf

from .damage import Files
from .trying import Door


def _image() -> Files:
    picture = np.arange(20 * 9 * 3, dtype=np.uint8).reshape(20, 9, 3)
    return {"image": tf.io.encode_png(tf.constant(picture)).numpy()}


def _picture(write: Callable[[Any], Any]) -> Callable[[], Files]:
    image = np.arange(20 * 9 * 3, dtype=np.uint8).reshape(20, 9, 3)
    return lambda: {"image": write(image).numpy()}


def _palette() -> Files:
    """Return a PNG of 2 bits with a palette."""
    head = (9).to_bytes(4, "big") + (5).to_bytes(4, "big") + bytes([2, 3, 0, 0, 0])
    lines = zlib.compress(bytes([0, 27, 27, 192] * 5))
    chunks = [(b"IHDR", head), (b"PLTE", bytes(range(12))), (b"tRNS", b"\1\2"), (b"IDAT", lines)]
    parts = [
        len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, data in [*chunks, (b"IEND", b"")]
    ]
    return {"image": b"\x89PNG\r\n\x1a\n" + b"".join(parts)}


def _gif() -> Files:
    """Return a GIF of two frames, 16 colors, a transparent color and codes of 5 bits."""
    pixels = [n % 16 for n in range(12)]
    bits = "".join(f"{code:05b}"[::-1] for code in [16, *pixels, 17])
    codes = bytes(int(bits[i : i + 8].ljust(8, "0")[::-1], 2) for i in range(0, len(bits), 8))
    frame = b"!\xf9\4\1\0\0\3\0," + bytes([0, 0, 0, 0, 4, 0, 3, 0, 0, 4, len(codes)]) + codes
    frames = (frame + b"\0") * 2
    return {"image": b"GIF89a\4\0\3\0\xb3\0\0" + bytes(range(48)) + frames + b";"}


def _bmp() -> Files:
    head = bytes.fromhex("424d5a0000000000000036000000280000000300000003000000010018000000000024")
    return {"image": head.ljust(54, b"\0") + bytes(range(36))}


def _decoded(files: Files) -> None:
    tf.io.decode_image(files.get("image", b""))


DOORS: dict[str, Door] = {
    "png": (_image, _decoded),
    "png with a palette": (_palette, _decoded),
    "bmp": (_bmp, _decoded),
    "gif": (_gif, _decoded),
    "jpeg": (_picture(reference.io.encode_jpeg), _decoded),
}
