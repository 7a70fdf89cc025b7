"""Damaged images and audio, and images that unpack to much more than their files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy

BOTH = (tfpy, tensorflow)
LIMIT = "TFPY_MAX_UNPACKED_BYTES"


@pytest.fixture
def few_bytes() -> Iterator[None]:
    before = tfpy.env().get(LIMIT)
    tfpy.env().set(LIMIT, 1 << 16)
    yield
    tfpy.env().set(LIMIT, before)


def png(width: int, height: int, depth: int, color: int, interlaced: int = 0) -> bytes:
    """Return a PNG of zeros."""
    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color] * depth
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    lines = zlib.compress(bytes((-(-width * bits // 8) + 1) * height), 9)
    parts = [(b"IHDR", head), (b"PLTE", bytes(6)), (b"tRNS", b"\1\2"), (b"IDAT", lines)]
    if color != 3:
        del parts[1:3]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*parts, (b"IEND", b"")]
    )


def gif(frames: Sequence[bytes], screen: tuple[int, int] = (5, 4)) -> bytes:
    """Return a GIF with a palette of 128 colors."""
    palette = bytes(n % 256 for n in range(384))
    return (
        b"GIF89a" + struct.pack("<HHBBB", *screen, 0x86, 0, 0) + palette + b"".join(frames) + b";"
    )


def frame(
    pixels: Any, place: tuple[int, int] = (0, 0), transparent: int | None = None, keep: int = 0
) -> bytes:
    """Return a frame with codes of 8 bits, in which the code table is cleared after a few codes."""
    control = b""
    if transparent is not None:
        control = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 1 | keep << 2, 0, transparent, 0)
    codes = bytearray()
    for i, value in enumerate(pixels.reshape(-1).tolist()):
        codes += bytes([128, value] if i % 100 == 0 else [value])
    codes.append(129)
    blocks = [bytes([len(b)]) + b for b in (codes[i : i + 255] for i in range(0, len(codes), 255))]
    size = pixels.shape[::-1]
    head = struct.pack("<BHHHHB", 0x2C, *place, *size, 0)
    return control + head + b"\7" + b"".join(blocks) + b"\0"


def jpeg(width: int, height: int) -> bytes:
    data = bytearray(tensorflow.io.encode_jpeg(np.zeros((8, 8, 3), np.uint8)).numpy())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.parametrize(
    "data",
    [
        png(600, 600, 1, 3),  # an eighth of a byte in the file, four bytes in memory
        png(600, 600, 8, 0),
        png(200, 200, 16, 6, interlaced=1),
        png(1, 1 << 17, 1, 0),
        gif([frame(np.zeros((200, 100), np.uint8))] + [frame(np.zeros((1, 1), np.uint8))] * 200),
        jpeg(60000, 60000),
    ],
    ids=["palette", "gray", "interlaced", "narrow", "frames", "jpeg"],
)
def test_images_larger_than_the_limit(data: bytes) -> None:
    """Check that sizes in the header are rejected before the pixels are read."""
    with pytest.raises(tfpy.errors.InvalidArgumentError, match=rf"may unpack to .*{LIMIT}"):
        tfpy.io.decode_image(data)


@pytest.mark.usefixtures("few_bytes")
def test_channels_count_for_the_limit() -> None:
    data = png(200, 200, 8, 0)
    assert tfpy.io.decode_png(data).shape == (200, 200, 1)
    with pytest.raises(tfpy.errors.InvalidArgumentError, match=LIMIT):
        tfpy.io.decode_png(data, channels=4)
    tfpy.env().set(LIMIT, 160_000)
    assert tfpy.io.decode_png(data, channels=4).shape == (200, 200, 4)


@pytest.mark.usefixtures("few_bytes")
def test_large_files_may_unpack_to_more() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3)).astype(np.uint8)
    data = tfpy.io.encode_png(noise)
    assert len(data.numpy()) > 100_000
    np.testing.assert_array_equal(tfpy.io.decode_png(data), noise)


A, B = np.arange(20, dtype=np.uint8).reshape(4, 5), np.full((2, 3), 7, np.uint8)
GIFS = {
    "one": gif([frame(A)]),
    "frames that keep the others": gif([frame(A), frame(B, (1, 2)), frame(B + 1, (4, 3))]),
    "transparent pixels": gif([frame(A, transparent=3), frame(A + 1, transparent=7)]),
    "disposal": gif([frame(A), frame(B, transparent=9, keep=2), frame(A[:1], transparent=2)]),
    "first frame is smaller": gif([frame(B, (1, 1)), frame(A)]),
    "screen is larger": gif([frame(A)], (50, 40)),
    "frame lies outside": gif([frame(A), frame(B, (50, 2))]),
    "ends within a frame": gif([frame(A), frame(B)])[:-8],
    "ends within the first frame": gif([frame(A)])[:-20],
    "no end": gif([frame(A)])[:-1],
    "another block": gif([frame(A), b"\x99", frame(B)]),
    "no frame": gif([]),
    "no palette": b"GIF89a" + bytes(7) + frame(A) + b";",
    "no size": gif([frame(A), frame(np.zeros((0, 3), np.uint8))]),
    "header alone": b"GIF89a",
}


@pytest.mark.parametrize("name", GIFS)
def test_gif(name: str) -> None:
    """Compare composed frames with TensorFlow, and reject the files that TensorFlow rejects."""
    try:
        theirs = tensorflow.io.decode_gif(GIFS[name]).numpy()
    except tensorflow.errors.InvalidArgumentError:
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="Invalid GIF data"):
            tfpy.io.decode_gif(GIFS[name])
        return
    np.testing.assert_array_equal(tfpy.io.decode_gif(GIFS[name]), theirs)
    first = [tf.io.decode_image(GIFS[name], expand_animations=False).numpy() for tf in BOTH]
    np.testing.assert_array_equal(*first)


def test_damaged_gif_needs_no_pillow() -> None:
    for name in ("no frame", "header alone", "ends within the first frame"):
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="Invalid GIF data"):
            tfpy.io.decode_gif(GIFS[name])


def test_sound_whose_rate_does_not_fit() -> None:
    data = bytearray(tfpy.audio.encode_wav([[0.0], [0.5]], 8000).numpy())
    for rate in (0x80000000, 0xFFFFFFFF, 7999):
        data[24:28] = struct.pack("<I", rate)
        for tf in BOTH:
            with pytest.raises(tf.errors.InvalidArgumentError, match="Bad bytes per second"):
                tf.audio.decode_wav(bytes(data))
