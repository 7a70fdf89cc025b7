"""Arrays as HTML: few values are shown directly, many values as statistics and images.

The colors are those of the surroundings, for light and dark pages.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import png
from tfpy._src.display import tables
from tfpy._src.display.html import escape

Array = np.ndarray[Any, Any]

MOST = 1 << 24
"""Largest number of elements that is displayed. Larger arrays are not read."""
_FEW = 100
"""Largest number of elements that are shown individually."""
_LETTERS = 6000
"""Largest number of characters of the values, because strings may have any length."""
_BINS, _COLUMNS, _WIDTH, _HEIGHT = 32, 256, 256, 56
_SMALLEST, _LARGEST = 8, 256
"""Limits of the size of an array that is shown as an image. Larger ones are subsampled."""
_SHADES = {1: "gray", 3: "RGB", 4: "RGBA"}
_BLUE = "#5b8def"


def panel(title: str, facts: Sequence[str], *parts: str) -> str:
    """Return a heading with facts, followed by parts in HTML."""
    said = " · ".join(map(escape, facts))
    return (
        '<div style="font-family:ui-monospace,monospace;font-size:13px;line-height:1.45">'
        f"<div><b>{escape(title)}</b> {said}</div>{''.join(parts)}</div>"
    )


def note(text: str) -> str:
    """Return a remark as HTML."""
    return f'<div style="font-style:italic">{escape(text)}</div>'


def html(array: Array) -> str:
    """Return an array's values as HTML."""
    if array.size <= _FEW or array.dtype.kind in "OSU":
        return _values(array)
    if array.dtype.kind == "b":
        return note(f"{np.count_nonzero(array):,} of {array.size:,} are True") + _values(array)
    levels = np.abs(array) if array.dtype.kind == "c" else array
    if levels.dtype not in (np.float32, np.float64) and levels.dtype.kind not in "iu":
        levels = levels.astype(np.float32)
    finite = levels[np.isfinite(levels)]
    facts = _statistics(levels, finite, "|x| " if array.dtype.kind == "c" else "")
    drawn = [_picture(levels, finite)] if _is_picture(array) else []
    if array.ndim == 1:
        drawn.append(_line(levels))
    drawn.append(_histogram(finite))
    beside = "".join(f'<div style="margin:4px 16px 4px 0">{part}</div>' for part in drawn if part)
    values = _values(array) if array.ndim < 3 else ""
    return f'{facts}<div style="display:flex;flex-wrap:wrap">{beside}</div>{values}'


def _values(array: Array) -> str:
    shown = np.array2string(
        array, precision=4, threshold=_FEW, edgeitems=2, max_line_width=100, separator=", "
    )
    style = "margin:4px 0;font:inherit;white-space:pre;overflow-x:auto"
    if len(shown) > _LETTERS:
        shown = f"{shown[:_LETTERS]}…"
    return f'<pre style="{style}">{escape(shown)}</pre>'


def _statistics(levels: Array, finite: Array, of: str) -> str:
    found: dict[str, str] = {}
    if finite.size:
        found = {
            "min": f"{finite.min():.6g}",
            "max": f"{finite.max():.6g}",
            "mean": f"{finite.mean(dtype=np.float64):.6g}",
            "std": f"{finite.std(dtype=np.float64):.6g}",
        }
    found = {of + name: value for name, value in found.items()}
    found["NaN"] = f"{np.count_nonzero(np.isnan(levels)):,}"
    if infinite := np.count_nonzero(np.isinf(levels)):
        found["infinite"] = f"{infinite:,}"
    return tables.html([[*found], [*found.values()]])


# Images


def _svg(parts: Iterator[str], label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(parts)}"
        f'<path d="M0 {_HEIGHT - 0.5}H{_WIDTH}" stroke="currentColor" stroke-opacity="0.5"/></svg>'
    )


def _histogram(finite: Array) -> str:
    if not finite.size:
        return ""
    least, most = float(finite.min()), float(finite.max())
    if not np.isfinite(most - least) or most - least < 1e-12 * max(abs(least), abs(most), 1e-30):
        return ""  # all values are nearly equal
    counts = np.histogram(finite, _BINS, (least, most))[0]
    breadth = _WIDTH / _BINS
    heights = counts / counts.max() * (_HEIGHT - 2)
    bars = (
        f'<rect x="{i * breadth:g}" y="{_HEIGHT - height:.1f}" width="{breadth - 1:g}" '
        f'height="{height:.1f}" fill="{_BLUE}"/>'
        for i, height in enumerate(heights)
        if height
    )
    return _svg(bars, "how often values occur")


def _line(levels: Array) -> str:
    """Plot the values in order; each column of pixels covers the range of its values."""
    each = -(-levels.size // _COLUMNS)
    columns = (levels[i : i + each] for i in range(0, levels.size, each))
    found = [(i, column[np.isfinite(column)]) for i, column in enumerate(columns)]
    ends = [(i, float(column.min()), float(column.max())) for i, column in found if column.size]
    if not ends:
        return ""
    least = min(low for _, low, _ in ends)
    span = max(high for _, _, high in ends) - least or 1.0
    step, scale = _WIDTH / len(found), (_HEIGHT - 4) / span
    places = (
        f"{(i + 0.5) * step:.1f} {_HEIGHT - 2 - (value - least) * scale:.1f}"
        for i, *column in ends
        for value in dict.fromkeys(column)
    )
    path = "L".join(places)
    return _svg(iter([f'<path d="M{path}" fill="none" stroke="{_BLUE}"/>']), "the values in order")


def _is_picture(array: Array) -> bool:
    """Return True if the array has the shape of an image, [height, width, 1, 3 or 4]."""
    shape = array.shape
    return len(shape) == 3 and shape[2] in _SHADES and min(shape[:2]) >= _SMALLEST


def _picture(levels: Array, finite: Array) -> str:
    """Draw pixels from [0, 255] or [0, 1] directly; scale other values from minimum to maximum."""
    if not finite.size:
        return ""
    least, most = float(finite.min()), float(finite.max())
    known: Mapping[str, float] = {"iu": 255.0, "f": 1.0}
    top = next(top for kinds, top in known.items() if levels.dtype.kind in kinds)
    how = f"{_SHADES[levels.shape[2]]} of [0, {top:g}]"
    if least < 0 or most > top:
        how = f"{_SHADES[levels.shape[2]]} from {least:.4g} to {most:.4g}"
    else:
        least, most = 0.0, top
    height, width = levels.shape[:2]
    every = -(-max(height, width) // _LARGEST)
    part = np.nan_to_num(levels[::every, ::every].astype(np.float64), nan=least)
    scaled = (np.clip(part, least, most) - least) / ((most - least) or 1.0)
    data = b64encode(png.written(np.round(scaled * 255).astype(np.uint8), 6)).decode()
    enlarged = max(1, 128 // max(part.shape[:2]))
    return (
        f'<img alt="the values as an image, {how}" title="{how}" '
        f'src="data:image/png;base64,{data}" '
        f'width="{part.shape[1] * enlarged}" height="{part.shape[0] * enlarged}" '
        'style="image-rendering:pixelated"/>'
    )
