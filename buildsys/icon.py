"""The icon of all pages, docs/site/static/icon.svg, and the favicon.ico that is made from it.

Browsers request favicon.ico for pages that name no icon, such as the first pages of users.
"""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

from .cache import entry, file_hash
from .paths import ROOT

SOURCE = ROOT / "docs" / "site" / "static" / "icon.svg"
"""A rounded square with strokes of one color across and down."""
STROKE = re.compile(r"M(\d+) (\d+)([hv])(\d+)")
SIZE = 32
FINE = 4
"""Number of sample points per pixel in each direction, for smooth edges."""

Color = tuple[int, int, int]
Box = tuple[float, float, float, float]


def ensure() -> dict[str, Path]:
    """Return the files of the icon by their names in the site."""
    inputs = {"recipe": file_hash(Path(__file__)), "source": file_hash(SOURCE)}

    def make(into: Path) -> None:
        (into / "favicon.ico").write_bytes(_ico(_png(_pixels(SOURCE.read_text()))))

    made = entry("icon", inputs, "icon", make)
    return {"icon.svg": SOURCE, "favicon.ico": made / "favicon.ico"}


def _pixels(svg: str) -> bytes:
    """Return ``SIZE`` rows and columns of RGBA."""
    root = ElementTree.fromstring(svg)
    square, path = root.find("{*}rect"), root.find("{*}path")
    assert square is not None
    assert path is not None
    side, round_ = float(square.attrib["width"]), float(square.attrib["rx"])
    ground, drawn = _color(square.attrib["fill"]), _color(path.attrib["stroke"])
    width = float(path.attrib["stroke-width"]) / 2
    strokes = [
        (float(x), float(y), float(x) + float(n) * (way == "h"), float(y) + float(n) * (way == "v"))
        for x, y, way, n in STROKE.findall(path.attrib["d"])
    ]
    inner = (round_, round_, side - round_, side - round_)
    rows = bytearray()
    places = [side * (k + 0.5) / (SIZE * FINE) for k in range(SIZE * FINE)]
    for row in range(SIZE):
        for column in range(SIZE):
            points = [
                (x, y)
                for y in places[row * FINE : (row + 1) * FINE]
                for x in places[column * FINE : (column + 1) * FINE]
            ]
            on = [point for point in points if _is_near(point, inner, round_)]
            white = sum(any(_is_near(p, s, width) for s in strokes) for p in on) / max(len(on), 1)
            mixed = (round(g + white * (d - g)) for g, d in zip(ground, drawn, strict=True))
            rows += bytes([*mixed, 255 * len(on) // len(points)])
    return bytes(rows)


def _is_near(point: tuple[float, float], box: Box, distance: float) -> bool:
    (x, y), (left, top, right, bottom) = point, box
    across, down = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
    return across * across + down * down <= distance * distance


def _color(text: str) -> Color:
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def _png(rgba: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(b"\0" + rgba[i : i + 4 * SIZE] for i in range(0, len(rgba), 4 * SIZE))
    head = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    chunks = (b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*named) for named in chunks)


def _ico(png: bytes) -> bytes:
    """Return an icon file with one image."""
    head = struct.pack("<HHH", 0, 1, 1)
    return head + struct.pack("<BBBBHHII", SIZE, SIZE, 0, 0, 1, 32, len(png), 22) + png
