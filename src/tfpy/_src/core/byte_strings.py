"""``tf.compat.as_bytes`` and ``as_text``: Python's two kinds of text."""

from __future__ import annotations

import os
from typing import Any


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Bytes of a str, bytes or bytearray.

    Raises:
        TypeError: for anything else.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_bytes("größe")
        b'gr\\xc3\\xb6\\xc3\\x9fe'
    """
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise _wrong(bytes_or_text)


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """The str of a str or bytes.

    Raises:
        TypeError: for anything else.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_text(b"gr\\xc3\\xb6\\xc3\\x9fe")
        'größe'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise _wrong(bytes_or_text)


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """:func:`as_text`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_str(b"tensor")
        'tensor'
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """The str of bytes, or of any other value by ``str``.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_str_any(b"tensor"), tf.compat.as_str_any(3)
        ('tensor', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """The str of a path object; other values as they are.

    Example:
        >>> from pathlib import PurePosixPath
        >>> import tfpy as tf
        >>> tf.compat.path_to_str(PurePosixPath("models") / "digits.json")
        'models/digits.json'
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def _wrong(value: Any) -> TypeError:
    return TypeError(f"Expected binary or unicode string, got {value!r}")
