"""``tf.strings.ngrams`` and TensorFlow.js's ``stringNGrams``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops.reference.text import as_bytes
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.strings.functions import as_text
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.making import from_rows

_Words = list[bytes]


def _bytes(value: Any) -> bytes:
    return as_bytes(as_text(value))


def _of_row(
    row: _Words,
    widths: Sequence[int],
    separator: bytes,
    pads: tuple[bytes, bytes] | None,
    padding: int | None,
    keep_short: bool,
) -> _Words:
    """The n-grams of one row, for one width after the other."""
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
    data: Any,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Runs of ``ngram_width`` strings along the last axis, joined.

    Args:
        ngram_width: one width or several, whose n-grams then follow each other.
        pad_values: a string, or one for each side, put around every row.
        padding_width: how many of them; by default the width less one.
        preserve_short_sequences: keeps rows that are too short for any width as one n-gram.

    Returns:
        A ragged tensor, or a tensor if ``data`` is one.

    Raises:
        ValueError: for padding that is empty or widths below 1.
        TypeError: for padding that is no string.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.ngrams(["the", "cat", "sat"], ngram_width=2).numpy().tolist()
        [b'the cat', b'cat sat']
    """
    widths = static_ints(ngram_width)
    if any(w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Received: {ngram_width}")
    if padding_width is not None and (pad_values is None or padding_width < 1):
        raise ValueError(
            "padding_width must be at least 1 and come with pad_values. "
            f"Received: padding_width={padding_width}, pad_values={pad_values!r}"
        )
    pads = _pads(pad_values)
    if isinstance(data, RaggedTensor):
        x: Any = data
    else:
        x = convert_to_tensor(data, dtypes.string)
        if x.ndim == 0:
            raise ValueError("ngrams: data must have at least one dimension, got a scalar")
        if not x.aval.shape[-1]:  # not even padding, as in TensorFlow
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
    if values is None:
        return None
    pair = values if isinstance(values, list | tuple) else (values, values)
    if len(pair) != 2 or not all(isinstance(p, str | bytes) for p in pair):
        raise TypeError(f"pad_values must be a string, a pair of strings or None, got {values!r}")
    return _bytes(pair[0]), _bytes(pair[1])


def _replaced(x: RaggedTensor, innermost: RaggedTensor) -> RaggedTensor:
    if not isinstance(x.values, RaggedTensor):
        return innermost
    return x.with_values(_replaced(x.values, innermost))


def string_n_grams(
    data: Any,
    data_splits: Any,
    separator: str,
    n_gram_widths: Sequence[int],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> dict[str, Tensor]:
    """TensorFlow.js's ``stringNGrams``: n-grams of the rows of ``data`` that ``data_splits`` marks.

    Args:
        pad_width: strings added at both ends; negative for the width less one.

    Returns:
        ``n_grams`` and ``n_grams_splits``.

    Raises:
        InvalidArgumentError: for splits that do not partition ``data``.

    Example:
        >>> import tfpy as tf
        >>> words, rows, widths = ["the", "cat", "sat"], [0, 3], [2]
        >>> grams = tf.strings.string_n_grams(words, rows, " ", widths, "", "", 0, False)
        >>> grams["n_grams"].numpy().tolist()
        [b'the cat', b'cat sat']
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
