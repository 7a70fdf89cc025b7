"""N-grams of strings: `tf.strings.ngrams` and TensorFlow.js's `stringNGrams`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops.reference.text import as_bytes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, TensorLike
from tfpy._src.library.strings.functions import as_text
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.making import from_rows

_Words = list[bytes]


def _bytes(value: Any) -> bytes:
    """Return a string as bytes."""
    return as_bytes(as_text(value))


def _of_row(
    row: _Words,
    widths: Sequence[int],
    separator: bytes,
    pads: tuple[bytes, bytes] | None,
    padding: int | None,
    keep_short: bool,
) -> _Words:
    """Return the n-grams of one row, for each width in turn."""
    out: _Words = []
    for width in widths:
        margin = 0 if pads is None else width - 1 if padding is None else min(padding, width - 1)
        left, right = pads or (b"", b"")
        words = [left] * margin + row + [right] * margin
        out += [separator.join(words[i : i + width]) for i in range(len(words) - width + 1)]
    if keep_short and not out and row:
        margin = 0 if pads is None else max(widths) - 1 if padding is None else padding
        left, right = pads or (b"", b"")
        out.append(separator.join([left] * margin + row + [right] * margin))
    return out


def ngrams(
    data: TensorLike,
    ngram_width: IntLike | Sequence[int],
    separator: str | bytes | Tensor = " ",
    pad_values: str | bytes | Sequence[str | bytes] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Create n-grams by joining consecutive strings along the last axis.

    Args:
        data: String tensor, dense or ragged, with at least one axis.
        ngram_width: Number of strings in each n-gram, or a sequence of such numbers. Each row first
            contains the n-grams of the first width, then the n-grams of the next width.
        separator: String between the joined strings. Default: a space.
        pad_values: String to add at both ends of every row, or a pair of strings for the start and
            the end. Default: no padding.
        padding_width: Number of strings to add at each end, at most the width minus 1. Default: the
            width minus 1.
        preserve_short_sequences: If True, a row that is too short for every width becomes a single
            n-gram. Otherwise, it has no n-grams.

    Returns:
        String tensor with the rank of `data`. It is ragged if `data` is ragged.

    Raises:
        ValueError: If a width or `padding_width` is less than 1, `padding_width` is passed without
            `pad_values`, or `data` is a scalar.
        TypeError: If `pad_values` is neither a string nor a pair of strings.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.ngrams(["the", "cat", "sat"], ngram_width=2).numpy().tolist()
        [b'the cat', b'cat sat']

    See also: `tf.strings.reduce_join`.
    """
    widths = static_ints(ngram_width)
    if any(w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    pads = _pads(pad_values)
    if isinstance(data, RaggedTensor):
        x: Any = data
    else:
        x = convert_to_tensor(data, dtypes.string)
        if x.ndim == 0:
            raise ValueError("Data must have rank>0, but it is a scalar")
        if not x.aval.shape[-1]:  # empty rows get no padding, as in TensorFlow
            return x
        if x.ndim > 1:
            x = RaggedTensor.from_tensor(x, ragged_rank=x.ndim - 1)
        else:
            x = RaggedTensor.from_row_splits(x, [0, x.size])
    inner = x
    while isinstance(inner.values, RaggedTensor):
        inner = inner.values
    rows = [
        _of_row(row, widths, _bytes(separator), pads, padding_width, preserve_short_sequences)
        for row in inner.to_list()
    ]
    result = _replaced(x, from_rows(rows, dtypes.string))
    if isinstance(data, RaggedTensor):
        return result
    return result.values if convert_to_tensor(data).ndim == 1 else result.to_tensor()


def _pads(values: Any) -> tuple[bytes, bytes] | None:
    """Return the padding for both ends as bytes.

    Raises:
        TypeError: If the values are not strings.
    """
    if values is None:
        return None
    pair = values if isinstance(values, list | tuple) else (values, values)
    if len(pair) != 2 or not all(isinstance(p, str | bytes) for p in pair):
        raise TypeError(f"pad_values must be a string, tuple of strings, or None. Got {values!r}")
    return _bytes(pair[0]), _bytes(pair[1])


def _replaced(x: RaggedTensor, innermost: RaggedTensor) -> RaggedTensor:
    """Replace the innermost rows of a ragged tensor."""
    if not isinstance(x.values, RaggedTensor):
        return innermost
    return x.with_values(_replaced(x.values, innermost))


def string_n_grams(
    data: TensorLike,
    data_splits: TensorLike,
    separator: str,
    n_gram_widths: Sequence[int],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> dict[str, Tensor]:
    """Create n-grams by joining consecutive strings within rows.

    Equivalent to `tf.string.stringNGrams` in TensorFlow.js.

    Args:
        data: String tensor of shape `[n]` with the strings of all rows.
        data_splits: Int32 tensor of shape `[rows + 1]` with the index in `data` at which each row
            starts, followed by the number of strings.
        separator: String between the joined strings.
        n_gram_widths: Numbers of strings in an n-gram.
        left_pad: String to add at the start of every row.
        right_pad: String to add at the end of every row.
        pad_width: Number of strings to add at each end of a row. A negative number means the width
            minus 1.
        preserve_short_sequences: If True, a row that is too short for every width becomes a single
            n-gram. Otherwise, it has no n-grams.

    Returns:
        A dict. `n_grams` is a string tensor with the n-grams of all rows. `n_grams_splits` is an
        int32 tensor with the index in `n_grams` at which each row starts, followed by the number of
        n-grams.

    Raises:
        tf.errors.InvalidArgumentError: If `data_splits` does not start with 0, is not in ascending
            order, or does not end with the number of strings.

    Example:
        >>> import tfpy as tf
        >>> words, rows, widths = ["the", "cat", "sat"], [0, 3], [2]
        >>> grams = tf.strings.string_n_grams(words, rows, " ", widths, "", "", 0, False)
        >>> grams["n_grams"].numpy().tolist()
        [b'the cat', b'cat sat']

    See also: `tf.strings.ngrams`.
    """
    words = convert_to_tensor(data, dtypes.string).host_view().tolist()
    splits = convert_to_tensor(data_splits, dtypes.int32).host_view().tolist()
    if splits and (splits[0] != 0 or splits[-1] != len(words) or sorted(splits) != splits):
        raise invalid_value(
            "string_n_grams", f"splits {splits} do not partition {len(words)} strings"
        )
    pads = (_bytes(left_pad), _bytes(right_pad))
    width = None if pad_width < 0 else pad_width
    rows = [
        _of_row(words[a:b], list(n_gram_widths), _bytes(separator), pads, width,
                preserve_short_sequences)
        for a, b in pairwise(splits)
    ]  # fmt: skip
    if not splits:
        return {
            "n_grams": constant(words, dtypes.string),
            "n_grams_splits": constant(splits, "int32"),
        }
    ragged = from_rows(rows, dtypes.string)
    return {"n_grams": ragged.values, "n_grams_splits": ragged.row_splits}
