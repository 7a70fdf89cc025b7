"""Files as string tensors, base64, and raw bytes as numbers."""

from __future__ import annotations

import base64 as codec
import binascii
import os
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_dtype, invalid_value
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, PathLike, TensorLike
from tfpy._src.functions.control.effects import effect, on_host
from tfpy._src.library.io.gfile import translated

Array = np.ndarray[Any, Any]


def texts(items: list[bytes], shape: tuple[int, ...]) -> Tensor:
    """Return bytes as a string tensor of a shape."""
    array = np.empty(len(items), object)
    array[:] = items
    return constant(array.reshape(shape))


def _path(value: TensorLike | PathLike) -> Tensor:
    """Convert a path to a scalar string tensor."""
    path = convert_to_tensor(os.fspath(value) if isinstance(value, os.PathLike) else value)
    if path.dtype != dtypes.string:
        raise invalid_dtype("io", f"filename must be a string, got {path.dtype.name}")
    if path.ndim:
        raise invalid("io", f"filename must be a scalar, got shape {list(path.aval.shape)}")
    return path


def read_file(filename: TensorLike | PathLike, name: str | None = None) -> Tensor:
    """Read a file as a string tensor.

    In a `tf.function`, the file is read at each call.

    Args:
        filename: Path of the file, or a scalar string tensor with the path.

    Returns:
        Scalar string tensor with the bytes of the file.

    Raises:
        tf.errors.NotFoundError: If the file does not exist.
        tf.errors.InvalidArgumentError: If `filename` is not a scalar string.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.read_file("note.txt").numpy()
        b'hello'

    See also: `tf.io.write_file`, `tf.io.decode_image`.
    """

    def read(path: Tensor) -> list[Tensor]:
        where = path.host_view().item()
        with translated(where), open(where, "rb") as file:
            return [texts([file.read()], ())]

    return on_host(read, [_path(filename)], [Aval((), dtypes.string)])[0]


def write_file(
    filename: TensorLike | PathLike, contents: TensorLike, name: str | None = None
) -> None:
    """Write a string to a file, which is created or overwritten.

    Folders of the path that do not exist are created. In a `tf.function`, the file is written at
    each call.

    Args:
        filename: Path of the file, or a scalar string tensor with the path.
        contents: Scalar string tensor, str or bytes to write.

    Raises:
        tf.errors.InvalidArgumentError: If `filename` or `contents` is not a scalar string.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("folder/note.txt", "hello")
        >>> tf.io.read_file("folder/note.txt").numpy()
        b'hello'

    See also: `tf.io.read_file`.
    """
    path, data = _path(filename), convert_to_tensor(contents)
    if data.dtype != dtypes.string:
        raise invalid_dtype("write_file", f"contents must be a string, got {data.dtype.name}")
    if data.ndim:
        raise invalid("write_file", f"contents must be a scalar, got {list(data.aval.shape)}")
    if not effect(_write, path, data):
        _write(path, data)


def _write(path: Tensor, data: Tensor) -> None:
    """Write a file now."""
    where = path.host_view().item()
    with translated(where):
        if folder := os.path.dirname(where):
            os.makedirs(folder, exist_ok=True)
        replace_file(where, data.host_view().item())


def _strings(value: TensorLike) -> Tensor:
    """Convert a value to a string tensor.

    Raises:
        TypeError: If the values are not strings.
    """
    return convert_to_tensor(value, dtypes.string)


@per_value
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Encode strings in web-safe base64, which uses `-` and `_` instead of `+` and `/`.

    Args:
        input: String tensor of any shape.
        pad: If True, append `=` characters, so that the length of a result is a multiple of 4.

    Returns:
        String tensor of the shape of `input`.

    Raises:
        TypeError: If the values are not strings.

    Example:
        >>> import tfpy as tf
        >>> tf.io.encode_base64("hello").numpy(), tf.io.encode_base64("hello", pad=True).numpy()
        (b'aGVsbG8', b'aGVsbG8=')

    See also: `tf.io.decode_base64`.
    """
    x = _strings(input)

    def encode(t: Tensor) -> list[Tensor]:
        found = [codec.urlsafe_b64encode(s) for s in t.host_view().reshape(-1).tolist()]
        return [texts(found if pad else [s.rstrip(b"=") for s in found], t.aval.shape)]

    return on_host(encode, [x], [x.aval])[0]


@per_value
def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Decode strings in web-safe base64, which uses `-` and `_` instead of `+` and `/`.

    Args:
        input: String tensor of any shape. Padding with `=` is optional.

    Returns:
        String tensor of the shape of `input`.

    Raises:
        TypeError: If the values are not strings.
        tf.errors.InvalidArgumentError: If a string is not valid base64.

    Example:
        >>> import tfpy as tf
        >>> tf.io.decode_base64("aGVsbG8").numpy()
        b'hello'

    See also: `tf.io.encode_base64`.
    """
    x = _strings(input)

    def decode(t: Tensor) -> list[Tensor]:
        return [texts([_decoded(s) for s in t.host_view().reshape(-1).tolist()], t.aval.shape)]

    return on_host(decode, [x], [x.aval])[0]


def _decoded(text: bytes) -> bytes:
    """Decode one string."""
    bare = text.rstrip(b"=")
    padding = len(text) - len(bare)
    fits = padding <= 2 and (not padding or len(text) % 4 == 0)
    try:
        if not fits or b"+" in text or b"/" in text:
            raise binascii.Error
        padded = bare + b"=" * (-len(bare) % 4)
        return codec.b64decode(padded, altchars=b"-_", validate=True)
    except binascii.Error:
        raise invalid_value("decode_base64", f"Invalid base64: {text!r}") from None


def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Convert the bytes of strings to numbers.

    Args:
        input_bytes: String tensor of any shape. All strings must have the same length unless
            `fixed_length` is passed.
        out_type: Dtype of the numbers.
        little_endian: If True, the first byte of a number is the least significant one. If False,
            the first byte is the most significant one.
        fixed_length: Number of bytes to read from each string, a positive multiple of the number of
            bytes of an element. Shorter strings are padded with zeros. Default: the length of the
            strings.

    Returns:
        Tensor of shape `[*input_bytes.shape, n]` and dtype `out_type`, with n numbers for each
        string.

    Raises:
        tf.errors.InvalidArgumentError: If the strings have different lengths, or a length is not a
            multiple of the number of bytes of an element.

    Example:
        >>> import tfpy as tf
        >>> tf.io.decode_raw(bytes([1, 0, 2, 0]), tf.uint16).numpy().tolist()
        [1, 2]

    See also: `tf.io.read_file`, `tf.bitcast`.
    """
    x, kind = _strings(input_bytes), as_dtype(out_type)
    items = x.host_view().reshape(-1).tolist()
    if fixed_length is not None:
        length = int(fixed_length)
        if length <= 0 or length % kind.size:
            raise invalid(
                "decode_raw",
                f"fixed_length ({length}) must be a multiple of the size of out_type "
                f"({kind.size}), and greater than zero",
            )
        items = [s[:length].ljust(length, b"\0") for s in items]
    size = len(items[0]) if items else 0
    for i, item in enumerate(items):
        if len(item) != size:
            raise invalid_value(
                "decode_raw",
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{i} has size {size} != {len(item)}",
            )
    if size % kind.size:
        raise invalid_value(
            "decode_raw",
            f"Input to DecodeRaw has length {size} that is not a multiple of {kind.size}, the size "
            f"of {kind.name}",
        )
    array = _numbers(b"".join(items), kind, little_endian)
    return constant(array.reshape(*x.aval.shape, size // kind.size))


def _numbers(data: bytes, kind: DType, little_endian: bool) -> Array:
    """Return bytes as numbers in the native byte order."""
    stored = np.dtype(kind.as_numpy_dtype).newbyteorder("<" if little_endian else ">")
    return np.frombuffer(data, stored).astype(kind.as_numpy_dtype)
