"""`tf.compat.as_bytes` and `tf.compat.as_text`: conversions between bytes and str."""

from __future__ import annotations

import os
from typing import Any

from tfpy._src.core.typing import PathLike


def as_bytes(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> bytes:
    """Convert a str or bytearray to bytes.

    Args:
        bytes_or_text: A str, bytes or bytearray.
        encoding: Encoding of the result if a str is passed.

    Returns:
        A bytes object.

    Raises:
        TypeError: If the value is not a str, bytes or bytearray.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_bytes("größe")
        b'gr\\xc3\\xb6\\xc3\\x9fe'

    See also: `tf.compat.as_text`.
    """
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise _wrong(bytes_or_text)


def as_text(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """Convert bytes to a str.

    Args:
        bytes_or_text: A str, which is returned unchanged, or bytes.
        encoding: Encoding of the bytes.

    Returns:
        A str.

    Raises:
        TypeError: If the value is neither a str nor bytes.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_text(b"gr\\xc3\\xb6\\xc3\\x9fe")
        'größe'

    See also: `tf.compat.as_bytes`.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise _wrong(bytes_or_text)


def as_str(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """Convert bytes to a str. Same as `tf.compat.as_text`.

    Args:
        bytes_or_text: A str, which is returned unchanged, or bytes.
        encoding: Encoding of the bytes.

    Returns:
        A str.

    Raises:
        TypeError: If the value is neither a str nor bytes.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_str(b"tensor")
        'tensor'
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Convert any value to a str.

    Args:
        value: Any value. Bytes are decoded; other values are converted with `str(value)`.
        encoding: Encoding of the bytes.

    Returns:
        A str.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.as_str_any(b"tensor"), tf.compat.as_str_any(3)
        ('tensor', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: PathLike) -> Any:
    """Convert a path object to a str.

    Args:
        path: An object such as `pathlib.Path`, or any other value.

    Returns:
        A str for a path object. Any other value is returned unchanged.

    Example:
        >>> from pathlib import PurePosixPath
        >>> import tfpy as tf
        >>> tf.compat.path_to_str(PurePosixPath("models") / "digits.json")
        'models/digits.json'
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def _wrong(value: Any) -> TypeError:
    return TypeError(f"Expected binary or unicode string, got {value!r}")
