"""``tf.strings``: joining, splitting, matching, hashing and numbers."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import text
from tfpy._src.compiler.ops.reference import text as host_text
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.making import constant as ragged_constant, from_rows
from tfpy._src.tensors.ragged.shaping import expand_dims


def as_strings(value: Any) -> Any:
    """A string tensor, or the ragged tensor itself.

    Raises:
        TypeError: for values that are no strings.
    """
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value, dtypes.string)


def as_text(value: Any) -> str:
    """A text that is given as such, as bytes or as a scalar tensor."""
    found = value.numpy() if isinstance(value, Tensor) else value
    return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else str(found)


def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """The strings at each position of a list of tensors, joined; scalars go with every position.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.join([["a", "b"], ["x", "y"]], separator="-").numpy().tolist()
        [b'a-x', b'b-y']
    """
    inputs = list(inputs)
    if not inputs:
        return constant(b"")
    return text.join(*(as_strings(x) for x in inputs), separator=as_text(separator))


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Strings along axes (all by default), the last one of ``axis`` varying slowest, joined.

    Args:
        keepdims: whether reduced axes stay, of size 1.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.reduce_join([["a", "b"], ["x", "y"]], axis=1, separator="-").numpy().tolist()
        [b'a-b', b'x-y']
    """
    x = as_strings(inputs)
    if isinstance(x, RaggedTensor):
        return _ragged_reduce_join(x, axis, keepdims, as_text(separator))
    axes = tuple(reversed(range(x.ndim))) if axis is None else static_ints(axis)
    host_text.check_axes(axes, x.ndim)
    at = tuple(a % x.ndim for a in axes)
    if len({*at}) < len(at):
        raise invalid("reduce_join", f"Duplicate reduction dimension in axis {list(axes)}")
    joined = text.reduce_join(x, axes=at, separator=as_text(separator))
    if not keepdims:
        return joined
    return reshape(joined, [1 if i in at else n for i, n in enumerate(x.aval.shape)])


def _ragged_reduce_join(x: RaggedTensor, axis: Any, keepdims: bool, separator: str) -> Any:
    if axis is None:
        joined = reduce_join(x.flat_values, separator=separator)
        return reshape(joined, [1] * x.ndim) if keepdims else joined
    axes = static_ints(axis)
    if outside := [a for a in axes if not -x.ndim <= a < x.ndim]:
        raise ValueError(f"axis={outside[0]} out of bounds: expected {-x.ndim}<=axis<{x.ndim}")
    for at in sorted({a % x.ndim for a in axes}, reverse=True):
        x = _join_axis(x, at, separator)
        if keepdims:
            x = expand_dims(x, at)
    return x


def _join_axis(x: Any, axis: int, separator: str) -> Any:
    if not isinstance(x, RaggedTensor):
        return reduce_join(x, axis, False, separator)
    if axis > 1:
        return x.with_values(_join_axis(x.values, axis - 1, separator))
    if axis and not isinstance(x.values, RaggedTensor):
        return unsorted_segment_join(x.values, x.value_rowids(), int(x.nrows()), separator)
    by, rows = host_text.as_bytes(separator), x.to_list()
    joined = [_side_by_side(row, by) for row in rows] if axis else _side_by_side(rows, by)
    return ragged_constant(joined, dtypes.string, ragged_rank=max(x.ndim - 2, 0))


def _side_by_side(rows: Any, separator: bytes) -> Any:
    """The first items of all rows that have one joined, the second ones, and so on."""
    if rows and isinstance(rows[0], bytes):
        return separator.join(rows)
    width = max(map(builtins.len, rows), default=0)
    return [
        _side_by_side([row[i] for row in rows if builtins.len(row) > i], separator)
        for i in range(width)
    ]


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Strings whose segment is the same, joined; the empty string for segments without any.

    Example:
        >>> import tfpy as tf
        >>> words = ["the", "cat", "sat"]
        >>> tf.strings.unsorted_segment_join(words, [0, 1, 0], 2, separator=" ").numpy().tolist()
        [b'the sat', b'cat']
    """
    return text.segment_join(
        as_strings(inputs),
        convert_to_tensor(segment_ids),
        segments=int(num_segments),
        separator=as_text(separator),
    )


def regex_full_match(input: Any, pattern: str, name: str | None = None) -> Any:
    """Whether the regular expression (RE2's syntax) matches the whole string.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.regex_full_match(["tensor", "sensor"], "t.*").numpy().tolist()
        [True, False]
    """
    return text.full_match(as_strings(input), pattern=as_text(pattern))


def regex_replace(
    input: Any, pattern: str, rewrite: str, replace_global: bool = True, name: str | None = None
) -> Any:
    r"""Strings with the matches of ``pattern`` replaced; ``\1`` to ``\9`` stand for groups.

    Raises:
        InvalidArgumentError: when the pattern is no regular expression.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.regex_replace(["a1b22"], "[0-9]+", "#").numpy().tolist()
        [b'a#b#']
    """
    return text.regex_replace(
        as_strings(input),
        pattern=as_text(pattern),
        rewrite=as_text(rewrite),
        replace_global=bool(replace_global),
    )


def static_regex_replace(
    input: Any, pattern: str, rewrite: str, replace_global: bool = True
) -> Any:
    """TensorFlow.js's name for :func:`regex_replace`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.static_regex_replace(["a1b22"], "[0-9]+", "#").numpy().tolist()
        [b'a#b#']
    """
    return regex_replace(input, pattern, rewrite, replace_global)


def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """``len`` bytes, or characters with unit "UTF8_CHAR", from ``pos`` (from the end if negative).

    Raises:
        InvalidArgumentError: for positions outside of a string.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.substr(["tensor", "flow"], pos=1, len=3).numpy().tolist()
        [b'ens', b'low']
    """
    at, count = convert_to_tensor(pos, dtypes.int32), convert_to_tensor(len, dtypes.int32)
    return text.substr(as_strings(input), at, count, unit=unit)


def _buckets(num_buckets: Any) -> int:
    count = int(num_buckets)
    if not 1 <= count <= 2**31:
        raise invalid("to_hash_bucket", f"num_buckets must be in [1, 2**31], got {count}")
    return count


def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Each string's hash modulo ``num_buckets``; int32.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_hash_bucket(["cat", "bird", "cat"], num_buckets=10).numpy().tolist()
        [5, 9, 5]
    """
    return text.hash_bucket(as_strings(input), num_buckets=_buckets(num_buckets))


def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Each string's FarmHash fingerprint modulo ``num_buckets``; int32.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_hash_bucket_fast(["cat", "dog", "cat"], num_buckets=10).numpy().tolist()
        [6, 2, 6]
    """
    return text.hash_bucket_fast(as_strings(input), num_buckets=_buckets(num_buckets))


string_to_hash_bucket_fast = to_hash_bucket_fast


def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Any:
    """Each string's SipHash under a key of two integers, modulo ``num_buckets``; int32.

    Raises:
        InvalidArgumentError: when the key has not two elements.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_hash_bucket_strong(["cat", "dog"], 10, key=[1, 2]).numpy().tolist()
        [8, 0]
    """
    words = tuple(int(k) for k in key)
    if len(words) != 2:
        raise invalid("to_hash_bucket_strong", f"Key must have 2 elements, got {len(words)}")
    return text.hash_bucket_strong(as_strings(input), num_buckets=_buckets(num_buckets), key=words)


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Any:
    """The number that each string writes.

    Raises:
        InvalidArgumentError: for strings that are no number of ``out_type``.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_number(["1.5", "-2e3"]).numpy().tolist()
        [1.5, -2000.0]
    """
    kind = as_dtype(out_type)
    if kind not in (dtypes.float32, dtypes.int32, dtypes.uint32):
        raise invalid("to_number", f"out_type must be float32 or int32, got {kind.name}")
    return text.to_number(as_strings(input), out_type=kind)


# Taking apart


def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of each string along a new ragged axis.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.bytes_split(["abc", "de"]).to_list()
        [[b'a', b'b', b'c'], [b'd', b'e']]
    """
    return rows_of(input, lambda s: [s[i : i + 1] for i in range(len(s))], dtypes.string)


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts between separators (runs of white space by default) along a new ragged axis.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.split(["the cat sat", "on it"]).to_list()
        [[b'the', b'cat', b'sat'], [b'on', b'it']]
        >>> tf.strings.split("a,b,c", sep=",").numpy().tolist()
        [b'a', b'b', b'c']
    """
    by = None if sep is None else host_text.as_bytes(as_text(sep)) or None

    def parts(s: bytes) -> list[bytes]:
        if maxsplit == 0:
            return [s]
        found = s.split(by, maxsplit)
        return [*found, b""] if by is None and len(found) == maxsplit else found

    return rows_of(input, parts, dtypes.string)


def string_split(input: Any, delimiter: Any = " ", skip_empty: bool = True) -> dict[str, Tensor]:
    """TensorFlow.js's ``stringSplit``: a vector of strings split at any byte of ``delimiter``.

    Returns:
        ``indices`` [n, 2], ``values`` [n] and ``shape`` [2] of the sparse result.

    Raises:
        ValueError: for something else than a vector.

    Example:
        >>> import tfpy as tf
        >>> parts = tf.strings.string_split(["the cat", "sat"], " ")
        >>> parts["values"].numpy().tolist(), parts["indices"].numpy().tolist()
        ([b'the', b'cat', b'sat'], [[0, 0], [0, 1], [1, 0]])
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
    """``f`` of each string along a new ragged axis; a plain vector for one string."""
    x = as_strings(input)
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(rows_of(x.flat_values, f, kind))
    if x.ndim > 1:
        return rows_of(RaggedTensor.from_tensor(x, ragged_rank=x.ndim - 1), f, kind)
    rows = [f(s) for s in np.atleast_1d(x.host_view()).tolist()]
    ragged = from_rows(rows, kind)
    return ragged if x.ndim else ragged.values
