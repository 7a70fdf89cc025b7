"""Corrupt files of exported programs."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

CARELESS = (
    *("Cannot read", "is not a function", "not iterable", "RuntimeError", "unreachable"),
    *("call stack", "Invalid array", "Invalid typed array", "allocation failed"),
)
"""Words of errors that show that no check was made."""


def edited(data: bytes, edit: Callable[[Any], None]) -> bytes:
    """Return a file with an edited document."""

    def change(text: str) -> str:
        document = json.loads(text)
        edit(document)
        return json.dumps(document)

    return with_text(data, change)


def text_of(data: bytes) -> str:
    """Return the text of a file's document."""
    header, _ = _parts(data)
    text: str = header["__metadata__"]["tfpy"]
    return text


def with_text(data: bytes, change: Callable[[str], str]) -> bytes:
    """Return a file with another document text."""
    header, rest = _parts(data)
    header["__metadata__"]["tfpy"] = change(header["__metadata__"]["tfpy"])
    return _joined(header, rest)


def _parts(data: bytes) -> tuple[Any, bytes]:
    """Return a file's header and the bytes after the header."""
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _joined(header: Any, rest: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + rest


def mutants(data: bytes, rng: np.random.Generator, count: int) -> Iterator[bytes]:
    """Yield files with truncated parts, changed bytes and wrong values in their documents."""
    header, rest = _parts(data)
    document = header["__metadata__"]["tfpy"]
    yield from (data[:n] for n in (0, 5, 8, 100, len(data) - len(rest), len(data) - 1))
    yield data + b"\0"
    for value in (0, 1, 2**40, 2**63 + 5):
        yield struct.pack("<Q", value) + data[8:]
    for _ in range(count // 4):
        at = int(rng.integers(8, len(data)))
        yield data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]
    for _ in range(count):
        changed = json.loads(document)
        _change(changed, rng)
        whole = json.loads(json.dumps(header))
        if rng.random() < 0.2:
            _change(whole, rng)
        if isinstance(whole.get("__metadata__"), dict):
            whole["__metadata__"]["tfpy"] = json.dumps(changed)
        yield _joined(whole, rest)


def _change(value: Any, rng: np.random.Generator) -> None:
    """Change one entry at a random place of a nest."""
    places = [value]
    while True:
        inner = places[-1]
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        below = inner[key]
        if isinstance(below, dict | list) and below and rng.random() < 0.9:
            places.append(below)
            continue
        wrong: list[Any] = [-1, 0, 1, 2, 7, 2**31, 1e300, None, "", "x", [], {}, True, [0, 0], 0.5]
        if rng.random() < 0.15:
            del inner[key]
        else:
            inner[key] = wrong[int(rng.integers(len(wrong)))]
        return
