"""Frames of GIF files (https://www.w3.org/Graphics/GIF/spec-gif89a.txt), composed as in TensorFlow.

This module parses the blocks, so that the sizes of all frames are known before memory is allocated.
As in TensorFlow, frames before a damaged frame are kept, every frame has the size of the largest
one, a transparent pixel keeps its value from the previous frame, and disposal methods are ignored.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tfpy._src.base.errors import InvalidArgumentError, invalid_value
from tfpy._src.base.unpack_limit import Room
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.library.io import pillow

_EXTENSION, _IMAGE, _END = 0x21, 0x2C, 0x3B
_GRAPHIC_CONTROL = 0xF9
_HAS_COLORS, _INTERLACED = 0x80, 0x40
_OPAQUE = -1
_MOST_CODE_BITS = 8


class _Damaged(Exception):
    """An error for a file that ends early or has an invalid block."""


class _Frame(NamedTuple):
    """A frame as stored in the file.

    Attributes:
        left: First column of the frame.
        top: First row of the frame.
        width: Width of the frame.
        height: Height of the frame.
        colors: Array of uint8 of shape [colors, 3], or None if the file has no colors for the
            frame.
        transparent: Index of the transparent color, or -1.
        interlaced: Interlace flag of the frame's descriptor.
        data: Compressed pixels: the number of bits of the first code, and sub-blocks.
    """

    left: int
    top: int
    width: int
    height: int
    colors: Array | None
    transparent: int
    interlaced: int
    data: bytes


@dataclass
class _Reader:
    """A reader of the parts of a file, in order."""

    data: bytes
    at: int = 0
    frames: list[_Frame] = field(default_factory=list)

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        found = self.data[self.at : self.at + size]
        if len(found) < size:
            raise _Damaged("the file ends within a block")
        self.at += size
        return found

    def colors(self, flags: int) -> Array | None:
        """Read a color table if the flags of the preceding block announce one."""
        if not flags & _HAS_COLORS:
            return None
        count = 2 << (flags & 7)
        return np.frombuffer(self.take(3 * count), np.uint8).reshape(count, 3)

    def sub_blocks(self) -> list[bytes]:
        """Read sub-blocks up to the empty one."""
        found = []
        while size := self.take(1)[0]:
            found.append(self.take(size))
        return found

    def read(self) -> None:
        """Read all frames.

        Raises:
            _Damaged: If the file is damaged. `frames` contains the frames before the damage.
        """
        self.take(6)
        _, _, flags, _, _ = struct.unpack("<HHBBB", self.take(7))
        shared = self.colors(flags)
        transparent: int | None = None
        while (kind := self.take(1)[0]) != _END:
            if kind == _EXTENSION:
                label = self.take(1)[0]
                blocks = self.sub_blocks()
                if label == _GRAPHIC_CONTROL and transparent is None:
                    transparent = _transparent(blocks)
            elif kind == _IMAGE:
                self._frame(shared, _OPAQUE if transparent is None else transparent)
                transparent = None
            else:
                raise _Damaged(f"unknown block type {kind}")

    def _frame(self, shared: Array | None, transparent: int) -> None:
        """Read one frame."""
        left, top, width, height, flags = struct.unpack("<HHHHB", self.take(9))
        own = self.colors(flags)
        if not width or not height:
            raise _Damaged(f"a frame has an invalid size of {width} x {height}")
        start = self.at
        bits = self.take(1)[0]
        self.sub_blocks()
        if bits > _MOST_CODE_BITS:
            raise _Damaged(f"a frame has an invalid code size of {bits} bits")
        colors = shared if own is None else own
        data = self.data[start : self.at]
        interlaced = flags & _INTERLACED
        frame = _Frame(left, top, width, height, colors, transparent, interlaced, data)
        self.frames.append(frame)


def _transparent(blocks: list[bytes]) -> int:
    """Return the transparent color of a graphic control extension."""
    control = blocks[0] if blocks else b""
    return control[3] if len(control) == 4 and control[0] & 1 else _OPAQUE


def frames(data: bytes, most: int | None = None) -> Array:
    """Decode the frames of a GIF file.

    Args:
        data: Bytes of the file.
        most: Largest number of frames to decode. Default: all.

    Returns:
        Array of uint8 of shape [frames, height, width, 3].

    Raises:
        InvalidArgumentError: If the file has no complete frame, or requires too much memory.
        UnimplementedError: If Pillow is not installed.
    """
    reader = _Reader(data)
    why = "it has no frame"
    try:
        reader.read()
    except _Damaged as error:
        why = str(error)
    found = reader.frames[:most]
    if not found:
        raise _invalid(why)
    height = max(frame.height for frame in reader.frames)
    width = max(frame.width for frame in reader.frames)
    what = f"a GIF of {len(found)} frames of {width} x {height}"
    areas = sum(frame.width * frame.height for frame in found)
    too_large = Room(len(data)).refusal(what, 3 * len(found) * width * height + areas)
    if too_large is not None:
        raise invalid_value("decode_gif", too_large)
    indices = _indices(found)
    if not indices:
        raise _invalid("the pixels of the first frame are damaged")
    if len(indices) < len(found):
        found = found[: len(indices)]
        height, width = max(f.height for f in found), max(f.width for f in found)
    return _composed(found, indices, height, width)


def _indices(found: list[_Frame]) -> list[Array]:
    """Return the color indices of the pixels of each frame, up to the first damaged frame."""
    indices: list[Array] = []
    for frame in found:
        size = struct.pack("<HH", frame.width, frame.height)
        head = b"GIF89a" + size + bytes(3) + b"," + bytes(4) + size + bytes([frame.interlaced])
        pixels = pillow.gif_indices(head + frame.data + b";", frame.width, frame.height)
        if pixels is None:
            break
        indices.append(pixels)
    return indices


def _composed(found: list[_Frame], indices: list[Array], height: int, width: int) -> Array:
    """Draw each frame on top of the previous one."""
    out = np.zeros((len(found), height, width, 3), np.uint8)
    for number, (frame, pixels) in enumerate(zip(found, indices, strict=True)):
        if number:
            out[number] = out[number - 1]
        if frame.colors is None:
            raise _invalid(f"missing color map for frame {number}")
        shown = pixels[: max(height - frame.top, 0), : max(width - frame.left, 0)]
        drawn = shown != frame.transparent
        used = shown[drawn]
        if used.size and used.max() >= len(frame.colors):
            raise _invalid(
                f"found color index {used.max()} outside of color map range {len(frame.colors)}"
            )
        rows, columns = shown.shape
        target = out[number, frame.top : frame.top + rows, frame.left : frame.left + columns]
        target[drawn] = frame.colors[used]
    return out


def _invalid(why: str) -> InvalidArgumentError:
    """Return the error for a damaged file."""
    return invalid_value("decode_gif", f"Invalid GIF data: {why}")
