"""Functions of `tf.strings`: joining, matching, hashing and parsing."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import text
from tfpy._src.compiler.ops.reference import text as host_text
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Axis, DTypeLike, TensorLike
from tfpy._src.library.strings.conversion import as_strings
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.making import constant as ragged_constant
from tfpy._src.tensors.ragged.shaping import expand_dims


def as_text(value: str | bytes | Tensor) -> str:
    """Return a string that may be bytes or a scalar tensor."""
    found = value.numpy() if isinstance(value, Tensor) else value
    return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else str(found)


def join(
    inputs: Sequence[TensorLike], separator: str | bytes | Tensor = "", name: str | None = None
) -> Tensor:
    """Join the strings of tensors element by element.

    Scalars are joined with every element of the other tensors.

    Args:
        inputs: String tensors, dense or ragged, that are scalars or have the same shape.
        separator: String between the joined strings. Default: an empty string.

    Returns:
        String tensor of the common shape of `inputs`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.join([["a", "b"], ["x", "y"]], separator="-").numpy().tolist()
        [b'a-x', b'b-y']

    See also: `tf.strings.reduce_join`, `tf.strings.split`.
    """
    inputs = list(inputs)
    if not inputs:
        return constant(b"")
    return text.join(*(as_strings(x) for x in inputs), separator=as_text(separator))


def reduce_join(
    inputs: TensorLike,
    axis: Axis = None,
    keepdims: bool = False,
    separator: str | bytes | Tensor = "",
    name: str | None = None,
) -> Tensor:
    """Join the strings of a tensor along axes.

    Args:
        inputs: String tensor, dense or ragged.
        axis: Axis or axes to reduce; negative values count from the end. Default: all axes, in
            row-major order. A dense tensor is joined along the first listed axis first.
        keepdims: If True, keep the reduced axes as dimensions of size 1.
        separator: String between the joined strings. Default: an empty string.

    Returns:
        String tensor without the reduced axes, unless `keepdims` is True.

    Raises:
        tf.errors.InvalidArgumentError: If an axis of a dense tensor is repeated or out of range.
        ValueError: If an axis of a ragged tensor is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.reduce_join([["a", "b"], ["x", "y"]], axis=1, separator="-").numpy().tolist()
        [b'a-b', b'x-y']

    See also: `tf.strings.join`, `tf.strings.unsorted_segment_join`.
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


def _ragged_reduce_join(x: RaggedTensor, axis: Axis, keepdims: bool, separator: str) -> Any:
    """Join the strings of a ragged tensor along axes."""
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
    """Join the strings along one axis."""
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
    """Join the first items of all rows that have one, then the second items, and so on."""
    if rows and isinstance(rows[0], bytes):
        return separator.join(rows)
    width = max(map(builtins.len, rows), default=0)
    return [
        _side_by_side([row[i] for row in rows if builtins.len(row) > i], separator)
        for i in range(width)
    ]


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: int | Tensor,
    separator: str | bytes | Tensor = "",
    name: str | None = None,
) -> Tensor:
    """Join the strings that have the same segment id.

    Args:
        inputs: String tensor.
        segment_ids: Integer tensor with the segment of each element. Its shape must be equal to the
            leading dimensions of `inputs`.
        num_segments: Number of segments.
        separator: String between the joined strings. Default: an empty string.

    Returns:
        String tensor with one element or slice for each segment. The shape is `[num_segments,
        *inputs.shape[segment_ids.ndim:]]`. Segments without elements are empty strings.

    Example:
        >>> import tfpy as tf
        >>> words = ["the", "cat", "sat"]
        >>> tf.strings.unsorted_segment_join(words, [0, 1, 0], 2, separator=" ").numpy().tolist()
        [b'the sat', b'cat']

    See also: `tf.strings.reduce_join`, `tf.math.unsorted_segment_sum`.
    """
    return text.segment_join(
        as_strings(inputs),
        convert_to_tensor(segment_ids),
        segments=int(num_segments),
        separator=as_text(separator),
    )


def regex_full_match(
    input: TensorLike, pattern: str | bytes | Tensor, name: str | None = None
) -> Tensor:
    """Return True for each string that a regular expression matches as a whole.

    Args:
        input: String tensor of any shape.
        pattern: Regular expression in the syntax of RE2.

    Returns:
        Bool tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the pattern is not a valid regular expression.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.regex_full_match(["tensor", "sensor"], "t.*").numpy().tolist()
        [True, False]

    See also: `tf.strings.regex_replace`.
    """
    return text.full_match(as_strings(input), pattern=as_text(pattern))


def regex_replace(
    input: TensorLike,
    pattern: str | bytes | Tensor,
    rewrite: str | bytes | Tensor,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Replace the matches of a regular expression.

    Args:
        input: String tensor of any shape.
        pattern: Regular expression in the syntax of RE2.
        rewrite: Replacement. `\0` is the whole match, and `\1` to `\9` are the groups of the match.
        replace_global: If True, replace all matches. Otherwise, replace the first match only.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the pattern is not a valid regular expression.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.regex_replace(["a1b22"], "[0-9]+", "#").numpy().tolist()
        [b'a#b#']

    See also: `tf.strings.regex_full_match`.
    """
    return text.regex_replace(
        as_strings(input),
        pattern=as_text(pattern),
        rewrite=as_text(rewrite),
        replace_global=bool(replace_global),
    )


def static_regex_replace(
    input: TensorLike,
    pattern: str | bytes | Tensor,
    rewrite: str | bytes | Tensor,
    replace_global: bool = True,
) -> Tensor:
    r"""Replace the matches of a regular expression.

    This is the name of `tf.strings.regex_replace` in TensorFlow.js.

    Args:
        input: String tensor of any shape.
        pattern: Regular expression in the syntax of RE2.
        rewrite: Replacement. `\0` is the whole match, and `\1` to `\9` are the groups of the match.
        replace_global: If True, replace all matches. Otherwise, replace the first match only.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the pattern is not a valid regular expression.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.static_regex_replace(["a1b22"], "[0-9]+", "#").numpy().tolist()
        [b'a#b#']

    See also: `tf.strings.regex_replace`.
    """
    return regex_replace(input, pattern, rewrite, replace_global)


def _buckets(num_buckets: Any) -> int:
    """Return the number of buckets.

    Raises:
        InvalidArgumentError: If it is not in [1, 2**31].
    """
    count = int(num_buckets)
    if not 1 <= count <= 2**31:
        raise invalid("to_hash_bucket", f"num_buckets must be in [1, 2**31], got {count}")
    return count


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Map each string to a bucket number by its hash.

    TensorFlow may change the hash function in future versions, so prefer
    `tf.strings.to_hash_bucket_fast`.

    Args:
        input: String tensor of any shape.
        num_buckets: Number of buckets, at least 1.

    Returns:
        Int32 tensor with the shape of `input` with values in [0, num_buckets).

    Raises:
        tf.errors.InvalidArgumentError: If `num_buckets` is not in [1, 2**31].

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_hash_bucket(["cat", "bird", "cat"], num_buckets=10).numpy().tolist()
        [5, 9, 5]

    See also: `tf.strings.to_hash_bucket_fast`, `tf.strings.to_hash_bucket_strong`.
    """
    return text.hash_bucket(as_strings(input), num_buckets=_buckets(num_buckets))


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """Map each string to a bucket number by its FarmHash fingerprint.

    Args:
        input: String tensor of any shape.
        num_buckets: Number of buckets, at least 1.

    Returns:
        Int32 tensor with the shape of `input` with values in [0, num_buckets).

    Raises:
        tf.errors.InvalidArgumentError: If `num_buckets` is not in [1, 2**31].

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_hash_bucket_fast(["cat", "dog", "cat"], num_buckets=10).numpy().tolist()
        [6, 2, 6]

    See also: `tf.strings.to_hash_bucket`, `tf.strings.to_hash_bucket_strong`.
    """
    return text.hash_bucket_fast(as_strings(input), num_buckets=_buckets(num_buckets))


string_to_hash_bucket_fast = to_hash_bucket_fast


def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """Map each string to a bucket number by its SipHash with a key.

    If the key is secret, attackers cannot craft strings that fall into the same bucket.

    Args:
        input: String tensor of any shape.
        num_buckets: Number of buckets, at least 1.
        key: Key of the hash function, a sequence of two integers.

    Returns:
        Int32 tensor with the shape of `input` with values in [0, num_buckets).

    Raises:
        tf.errors.InvalidArgumentError: If `key` does not have two elements, or `num_buckets` is not
            in [1, 2**31].

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_hash_bucket_strong(["cat", "dog"], 10, key=[1, 2]).numpy().tolist()
        [8, 0]

    See also: `tf.strings.to_hash_bucket_fast`.
    """
    words = tuple(int(k) for k in key)
    if len(words) != 2:
        raise invalid("to_hash_bucket_strong", f"Key must have 2 elements, got {len(words)}")
    return text.hash_bucket_strong(as_strings(input), num_buckets=_buckets(num_buckets), key=words)


def to_number(
    input: TensorLike, out_type: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Parse each string as a number.

    Args:
        input: String tensor of any shape.
        out_type: Dtype of the result, float32 (default), int32 or uint32.

    Returns:
        Tensor with the shape of `input` and the dtype `out_type`.

    Raises:
        tf.errors.InvalidArgumentError: If a string is not a number of dtype `out_type`, or
            `out_type` is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.to_number(["1.5", "-2e3"]).numpy().tolist()
        [1.5, -2000.0]

    See also: `tf.strings.as_string`.
    """
    kind = as_dtype(out_type)
    if kind not in (dtypes.float32, dtypes.int32, dtypes.uint32):
        raise invalid("to_number", f"out_type must be float32 or int32, got {kind.name}")
    return text.to_number(as_strings(input), out_type=kind)
