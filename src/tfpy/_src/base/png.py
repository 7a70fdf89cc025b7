"""Reading and writing of PNG images (https://www.w3.org/TR/png-3/).

Pillow is not used: it reads 16-bit colors as 8 bits, and pages should not have to load it for PNG.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.base.unpack_limit import Room

Array = np.ndarray[Any, Any]
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Number of channels by color type: gray, RGB, palette index, gray with alpha, RGB with alpha."""
_PALETTE = 3
_CHANNELS_OF_COLORS = 4
"""Number of channels of palette colors, which have alpha."""
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2))  # fmt: skip
"""First column and row of each pass, and the steps between its columns and rows."""


@dataclass
class Image:
    """The contents of a PNG file.

    `pixels` is a uint8 or uint16 array of shape [height, width, channels]. For a palette it
    contains the indices of colors.
    """

    pixels: Array
    color: int
    depth: int
    palette: Array | None = None
    transparent: Any = None


@dataclass
class _Header:
    width: int
    height: int
    depth: int
    color: int
    interlaced: int
    palette: bytes = b""
    transparent: bytes = b""
    data: list[bytes] = field(default_factory=list)

    @property
    def channels(self) -> int:
        return _CHANNELS[self.color]


def _refused(why: str) -> Exception:
    return invalid_value("decode_png", f"Invalid PNG data: {why}")


def read(data: bytes, channels: int = 0) -> Image:
    """Decode a file.

    Args:
        data: The file.
        channels: Number of channels that the caller makes of the pixels; 0 for the file's number.

    Raises:
        InvalidArgumentError: If the file is corrupt or too large (`tfpy._src.base.unpack_limit`).
    """
    head = _parsed(data)
    size = sum(_pass_size(head, *area) for area in _passes(head))
    own = _CHANNELS_OF_COLORS if head.color == _PALETTE else head.channels
    sample = 2 if head.depth == 16 else 1
    needed = max(size, head.width * head.height * max(own, channels) * sample)
    too_large = Room(len(data)).refusal(f"an image of {head.width} x {head.height}", needed)
    if too_large is not None:
        raise _refused(too_large)
    inflate = zlib.decompressobj()
    try:
        raw = inflate.decompress(b"".join(head.data), size)
    except zlib.error as error:
        raise _refused(str(error)) from None
    if len(raw) < size:
        raise _refused("there are fewer pixels than the header specifies")
    shape = (head.height, head.width, head.channels)
    pixels = np.zeros(shape, np.uint16 if head.depth == 16 else np.uint8)
    at = 0
    for x, y, across, down in _passes(head):
        rows = len(range(y, head.height, down))
        columns = len(range(x, head.width, across))
        count = _pass_size(head, x, y, across, down)
        if count:
            lines = np.frombuffer(raw, np.uint8, count, at).reshape(rows, -1)
            pixels[y::down, x::across] = _samples(_unfiltered(lines, head), columns, head)
        at += count
    return Image(pixels, head.color, head.depth, _palette(head), _transparent(head))


def _parsed(data: bytes) -> _Header:
    head: _Header | None = None
    for kind, body in _chunks(data):
        if kind == b"IHDR":
            head = _header(body)
        elif head is None:
            raise _refused("the header is not the first chunk")
        elif kind == b"PLTE":
            head.palette = body
        elif kind == b"tRNS":
            head.transparent = body
        elif kind == b"IDAT":
            head.data.append(body)
    if head is None or not head.data:
        raise _refused("there are no pixels")
    return head


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        end = at + 12 + size
        if end > len(data):
            raise _refused(f"chunk {kind!r} is truncated")
        (wanted,) = struct.unpack_from(">I", data, end - 4)
        if zlib.crc32(kind + body) != wanted:
            raise _refused(f"chunk {kind!r} has a wrong checksum")
        if kind == b"IEND":
            return
        yield kind, body
        at = end


def _header(body: bytes) -> _Header:
    if len(body) != 13:
        raise _refused("the header does not have 13 bytes")
    width, height, depth, color, packing, filtering, interlaced = struct.unpack(">IIBBBBB", body)
    known = color in _DEPTHS and depth in _DEPTHS[color]
    if not known or packing or filtering or interlaced > 1 or not width or not height:
        raise _refused("the header contains unsupported values")
    return _Header(width, height, depth, color, interlaced)


def _passes(head: _Header) -> tuple[tuple[int, int, int, int], ...]:
    return _ADAM7 if head.interlaced else ((0, 0, 1, 1),)


def _pass_size(head: _Header, x: int, y: int, across: int, down: int) -> int:
    columns, rows = len(range(x, head.width, across)), len(range(y, head.height, down))
    return rows * (1 + -(-columns * head.channels * head.depth // 8)) if columns else 0


def _unfiltered(lines: Array, head: _Header) -> Array:
    """Return the bytes of lines without filters. The first byte of a line is its filter."""
    step = max(1, head.channels * head.depth // 8)
    out = np.zeros((len(lines) + 1, lines.shape[1] - 1), np.uint8)
    for i, line in enumerate(lines):
        _unfilter(int(line[0]), line[1:], out[i], out[i + 1], step)
    return out[1:]


def _unfilter(kind: int, line: Array, above: Array, out: Array, step: int) -> None:
    if kind == 0:
        out[:] = line
    elif kind == 1:
        for k in range(step):
            out[k::step] = np.add.accumulate(line[k::step], dtype=np.uint8)
    elif kind == 2:
        np.add(line, above, out=out)
    elif kind in (3, 4):
        out[:] = np.frombuffer(_sequential(kind, line.tolist(), above.tolist(), step), np.uint8)
    else:
        raise _refused(f"unknown filter {kind}")


def _sequential(kind: int, line: list[int], above: list[int], step: int) -> bytes:
    """Undo the Average or Paeth filter of a line."""
    found = [0] * step
    for i, value in enumerate(line):
        left, up = found[i], above[i]
        if kind == 3:
            found.append((value + (left + up) // 2) & 255)
            continue
        corner = above[i - step] if i >= step else 0
        by_left, by_up = abs(up - corner), abs(left - corner)
        by_corner = abs(left + up - 2 * corner)
        if by_left <= by_up and by_left <= by_corner:
            near = left
        else:
            near = up if by_up <= by_corner else corner
        found.append((value + near) & 255)
    return bytes(found[step:])


def _samples(lines: Array, columns: int, head: _Header) -> Array:
    """Return the samples of lines: [rows, columns, channels]."""
    if head.depth == 16:
        numbers: Array = lines.view(">u2")
    elif head.depth == 8:
        numbers = lines
    else:
        bits = np.unpackbits(lines, axis=1).reshape(len(lines), -1, head.depth)
        numbers = bits @ (1 << np.arange(head.depth)[::-1]).astype(np.uint8)
    count = columns * head.channels
    return numbers[:, :count].reshape(len(lines), columns, head.channels)


def _palette(head: _Header) -> Array | None:
    if head.color != _PALETTE:
        return None
    size = len(head.palette)
    if not size or size % 3 or size > 768:
        raise _refused("the palette is corrupt")
    colors = np.zeros((256, 4), np.uint8)
    colors[: size // 3, :3] = np.frombuffer(head.palette, np.uint8).reshape(-1, 3)
    colors[:, 3] = 255
    alpha = head.transparent[:256]
    colors[: len(alpha), 3] = np.frombuffer(alpha, np.uint8)
    return colors


def _transparent(head: _Header) -> Any:
    """Return the transparent color; for a palette, True if there are transparent colors."""
    if head.color == _PALETTE:
        return bool(head.transparent) or None
    if not head.transparent or head.color in (4, 6):
        return None
    if len(head.transparent) != 2 * head.channels:
        raise _refused("the transparent color is corrupt")
    return np.frombuffer(head.transparent, ">u2").astype(np.uint16)


def written(pixels: Array, level: int) -> bytes:
    """Return a PNG file of uint8 or uint16 pixels of shape [height, width, 1 to 4 channels].

    Args:
        level: Compression level, 0 to 9, or -1 for the default.
    """
    height, width, channels = pixels.shape
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    depth = 8 * pixels.dtype.itemsize
    stored = pixels.astype(">u2") if depth == 16 else pixels
    lines = np.zeros((height, 1 + width * channels * depth // 8), np.uint8)
    lines[:, 1:] = np.ascontiguousarray(stored).view(np.uint8).reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), level)
    parts = ((b"IHDR", head), (b"IDAT", body), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
