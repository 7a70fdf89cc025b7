"""``tf.compat``'s functions for bytes and text."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from api.same import same

VALUES = ("ä", b"\xc3\xa4", bytearray(b"x"), pathlib.PurePosixPath("a/b"), 3, None)


@same
def test_texts(tf: Any) -> Any:
    found: list[Any] = []
    for name in ("as_bytes", "as_str", "as_str_any", "as_text", "path_to_str"):
        for value in VALUES:
            try:
                result = getattr(tf.compat, name)(value)
            except TypeError:
                result = TypeError
            found.append([name, type(result).__name__, str(result)])
    return found


@same
def test_encodings(tf: Any) -> Any:
    with pytest.raises(UnicodeDecodeError):
        tf.compat.as_text(b"\xff")
    return tf.compat.as_bytes("ä", "latin-1"), tf.compat.as_text(b"\xe4", encoding="latin-1")
