"""Formatting of arrays as in TensorFlow's `tf.print` and assertions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_ESCAPED = re.compile(r"""[\x00-\x1f\x7f"'\\]""")
_LETTERS = {"\n": "n", "\r": "r", "\t": "t"}


def _escape(found: re.Match[str]) -> str:
    c = found[0]
    return "\\" + (_LETTERS.get(c) or (c if c.isprintable() else f"{ord(c):03o}"))


def item_text(value: Any) -> str:
    """Return the text of one element."""
    if isinstance(value, bytes):
        return '"' + _ESCAPED.sub(_escape, value.decode("utf-8", "surrogateescape")) + '"'
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if not isinstance(value, float):
        return str(value)
    short = f"{value:.6g}"
    return short if np.float32(short) == np.float32(value) else f"{value:.9g}"


def summary(array: Any, keep: int, indent: int) -> str:
    """Return the text of an array, with the outermost `keep` items at both ends of every axis.

    A negative `keep` shows all items. As in TensorFlow, at most as many items are shown as the
    array has elements, and complex numbers are shown neither with their parts nor with their
    dimensions.
    """
    if array.dtype.kind == "c":
        return _without_texts(array, array.size if keep < 0 else keep)
    return _summary(array, array.size if keep < 0 else min(keep, array.size), indent)


def _without_texts(array: Any, keep: int) -> str:
    """Return a question mark for each of the first `keep` elements of a flat array."""
    shown = " ".join("?" * min(array.size, keep)) + "..." * (array.size > keep)
    return f"[{shown}]" if array.ndim else shown


def _summary(array: Any, keep: int, indent: int) -> str:
    if array.ndim == 0:
        return item_text(array.item()) if keep else "..."
    n = array.shape[0]
    whole = n <= 2 * keep
    picked = range(n) if whole else [*range(keep), *range(n - keep, n)]
    items = [_summary(array[i, ...], keep, indent + 1) for i in picked]
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * indent
    if not whole:
        items.insert(keep, "..." if keep else f"{between}...")
    return f"[{between.join(items)}]"
