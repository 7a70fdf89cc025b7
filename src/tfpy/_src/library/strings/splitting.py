"""Functions of `tf.strings` that take strings apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ops import text
from tfpy._src.compiler.ops.reference import text as host_text
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.strings.conversion import as_strings
from tfpy._src.library.strings.functions import as_text
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.making import from_rows


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """Extract a substring of each string.

    Args:
        input: String tensor of any shape.
        pos: Int32 tensor with the start of each substring, which is broadcast with `input`.
            Negative values count from the end of the string.
        len: Int32 tensor with the shape of `pos` and the maximum length of each substring. A
            substring ends at the end of its string at the latest.
        unit: Unit of `pos` and `len`, `"BYTE"` (default) or `"UTF8_CHAR"` to count characters.

    Returns:
        String tensor of the common shape of `input` and `pos` after broadcasting.

    Raises:
        tf.errors.InvalidArgumentError: If a start is outside of its string, or `pos` and `len` have
            different shapes.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.substr(["tensor", "flow"], pos=1, len=3).numpy().tolist()
        [b'ens', b'low']

    See also: `tf.strings.split`, `tf.strings.bytes_split`.
    """
    at, count = convert_to_tensor(pos, dtypes.int32), convert_to_tensor(len, dtypes.int32)
    return text.substr(as_strings(input), at, count, unit=unit)


def bytes_split(input: TensorLike, name: str | None = None) -> Tensor | RaggedTensor:
    """Split each string into bytes.

    Args:
        input: String tensor, dense or ragged.

    Returns:
        Ragged string tensor with one more axis than `input`, or a vector if `input` is a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.bytes_split(["abc", "de"]).to_list()
        [[b'a', b'b', b'c'], [b'd', b'e']]

    See also: `tf.strings.split`, `tf.strings.unicode_split`.
    """
    return rows_of(input, lambda s: [s[i : i + 1] for i in range(len(s))], dtypes.string)


def split(
    input: TensorLike,
    sep: str | bytes | Tensor | None = None,
    maxsplit: int = -1,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Split each string at a separator.

    Args:
        input: String tensor, dense or ragged.
        sep: Separator. Default: split at runs of whitespace and drop empty strings, as `str.split`
            does.
        maxsplit: Maximum number of splits of each string. Default: no limit.

    Returns:
        Ragged string tensor with one more axis than `input`, or a vector if `input` is a scalar.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.split(["the cat sat", "on it"]).to_list()
        [[b'the', b'cat', b'sat'], [b'on', b'it']]
        >>> tf.strings.split("a,b,c", sep=",").numpy().tolist()
        [b'a', b'b', b'c']

    See also: `tf.strings.join`, `tf.strings.bytes_split`.
    """
    by = None if sep is None else host_text.as_bytes(as_text(sep)) or None

    def parts(s: bytes) -> list[bytes]:
        if maxsplit == 0:
            return [s]
        found = s.split(by, maxsplit)
        return [*found, b""] if by is None and len(found) == maxsplit else found

    return rows_of(input, parts, dtypes.string)


def string_split(
    input: TensorLike, delimiter: str | bytes | Tensor = " ", skip_empty: bool = True
) -> dict[str, Tensor]:
    """Split each string of a vector at each byte that the delimiter contains.

    Equivalent to `tf.string.stringSplit` in TensorFlow.js.

    Args:
        input: String tensor of shape `[n]`.
        delimiter: Bytes at which to split. An empty delimiter splits strings into bytes. Default: a
            space.
        skip_empty: If True, drop empty strings from the result.

    Returns:
        A dict with the components of a sparse tensor. `values` is a string tensor of shape `[m]`.
        `indices` is an int32 tensor of shape `[m, 2]` with the row and the column of each value.
        `shape` is an int32 tensor of shape `[2]` with the number of rows and columns.

    Raises:
        ValueError: If `input` is not a vector.

    Example:
        >>> import tfpy as tf
        >>> parts = tf.strings.string_split(["the cat", "sat"], " ")
        >>> parts["values"].numpy().tolist(), parts["indices"].numpy().tolist()
        ([b'the', b'cat', b'sat'], [[0, 0], [0, 1], [1, 0]])

    See also: `tf.strings.split`.
    """
    x = as_strings(input)
    if x.ndim != 1:
        raise ValueError(f"Input should be Tensor1D but received shape {x.shape}")
    marks = as_text(delimiter).encode()
    rows = []
    for s in x.host_view().tolist():
        if marks:
            for mark in marks[1:]:
                s = s.replace(bytes([mark]), marks[:1])
            parts = s.split(marks[:1])
        else:
            parts = [s[i : i + 1] for i in range(len(s))]
        rows.append([p for p in parts if p or not skip_empty])
    indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = np.empty(len(indices), object)
    values[:] = [rows[i][j] for i, j in indices]
    width = max((len(row) for row in rows), default=0)
    return {
        "indices": constant(np.array(indices, np.int32).reshape(-1, 2)),
        "values": constant(values),
        "shape": constant([len(rows), width]),
    }


def rows_of(input: Any, f: Callable[[bytes], Sequence[Any]], kind: dtypes.DType) -> Any:
    """Apply `f` to each string and collect the results along a new ragged axis.

    The result for a single string is a vector.
    """
    x = as_strings(input)
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(rows_of(x.flat_values, f, kind))
    if x.ndim > 1:
        return rows_of(RaggedTensor.from_tensor(x, ragged_rank=x.ndim - 1), f, kind)
    rows = [f(s) for s in np.atleast_1d(x.host_view()).tolist()]
    ragged = from_rows(rows, kind)
    return ragged if x.ndim else ragged.values
