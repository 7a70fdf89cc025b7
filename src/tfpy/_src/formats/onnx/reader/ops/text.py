"""Operations on strings, which run on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import Floats, Ints, Strings, operation
from tfpy._src.formats.onnx.reader.values import tensor
from tfpy._src.library.strings.functions import regex_full_match


def texts(array: Array) -> list[str]:
    """Return the strings of an array, in order."""
    return [v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in array.reshape(-1)]


def array_of(values: list[str], shape: Any) -> Any:
    """Return an array of strings."""
    made = np.empty(len(values), object)
    made[:] = [text.encode() for text in values]
    return made.reshape(shape)


@operation("StringConcat")
def string_concat(x: Array, y: Array) -> Any:
    return np.asarray(np.add(x, y), object)


@operation("RegexFullMatch")
def regex_full_match_(x: Tensor, *, pattern: str = "") -> Any:
    return regex_full_match(x, pattern)


@operation("StringSplit")
def string_split(x: Array, *, delimiter: str = "", maxsplit: int = -1) -> Any:
    """Split each string; pad the parts with empty strings and return their numbers."""
    found = [text.split(delimiter or None, maxsplit) for text in texts(x)]
    most = max((len(parts) for parts in found), default=0)
    flat = [text for parts in found for text in (*parts, *[""] * (most - len(parts)))]
    counts = np.array([len(parts) for parts in found], np.int64).reshape(x.shape)
    return array_of(flat, (*x.shape, most)), counts


@operation("StringNormalizer")
def string_normalizer(
    x: Array, *, case_change_action: str = "NONE", is_case_sensitive: int = 0, locale: str = "",
    stopwords: Strings = (),
) -> Any:  # fmt: skip
    """Remove stop words and change the case of strings."""
    changes: dict[str, Callable[[str], str]] = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}
    if case_change_action not in changes or x.ndim not in (1, 2):
        raise invalid(
            "StringNormalizer",
            f"case_change_action {case_change_action!r} or the rank {x.ndim} is invalid",
        )
    plain: Callable[[str], str] = str if is_case_sensitive else str.lower
    stopped = {plain(word) for word in stopwords}
    kept = [text for text in texts(x) if plain(text) not in stopped] or [""]
    changed = [changes[case_change_action](text) for text in kept]
    return array_of(changed, (1, -1) if x.ndim == 2 else -1)


@operation("TfIdfVectorizer")
def tf_idf_vectorizer(
    x: Array, *, max_gram_length: int, max_skip_count: int, min_gram_length: int, mode: str,
    ngram_counts: Ints, ngram_indexes: Ints, pool_int64s: Ints | None = None,
    pool_strings: Strings | None = None, weights: Floats | None = None,
) -> Any:  # fmt: skip
    """Count the n-grams of a pool in each row, with up to `max_skip_count` skipped elements."""
    pool: Any = pool_int64s if pool_strings is None else pool_strings
    if pool is None or mode not in ("TF", "IDF", "TFIDF") or max_gram_length > 64:
        raise invalid("TfIdfVectorizer", f"mode {mode!r} is unknown, or the pool is missing")
    columns = _pool_columns(pool, ngram_counts, ngram_indexes)
    rows = np.atleast_2d(x)
    made = np.zeros([len(rows), max(ngram_indexes, default=-1) + 1], np.float32)
    for i, row in enumerate(rows):
        items = texts(row) if row.dtype == object else row.tolist()
        for gram in _grams(items, min_gram_length, max_gram_length, max_skip_count):
            if gram in columns:
                made[i, columns[gram]] += 1
    if mode != "TF":
        shares = np.ones(len(ngram_indexes)) if weights is None else np.array(weights)
        by_column = np.ones(made.shape[1], np.float32)
        by_column[list(ngram_indexes)] = shares
        made = np.where(made > 0, by_column, 0) if mode == "IDF" else made * by_column
    return tensor(made.astype(np.float32).reshape((*x.shape[:-1], -1)))


def _pool_columns(pool: Any, counts: Ints, columns: Ints) -> dict[tuple[Any, ...], int]:
    """Return the column of each n-gram; the pool is sorted by length."""
    found: dict[tuple[Any, ...], int] = {}
    ends = (*counts[1:], len(pool))
    if not all(0 <= a <= b <= len(pool) for a, b in zip(counts, ends, strict=True)):
        raise invalid(
            "TfIdfVectorizer", f"ngram_counts {list(counts)} do not match a pool of {len(pool)}"
        )
    grams = [
        tuple(pool[i : i + size])
        for size, (start, end) in enumerate(zip(counts, ends, strict=True), start=1)
        for i in range(start, end, size)
    ]
    if (
        len(grams) != len(columns)
        or min(columns, default=0) < 0
        or max(columns, default=0) > 1 << 24
    ):
        raise invalid(
            "TfIdfVectorizer", f"{len(grams)} n-grams do not match {len(columns)} columns"
        )
    for gram, column in zip(grams, columns, strict=True):
        found.setdefault(gram, column)
    return found


def _grams(items: list[Any], least: int, most: int, skips: int) -> Any:
    """Yield the n-grams of each length; single elements only once, regardless of skips."""
    for size in range(max(least, 1), most + 1):
        for step in range(1, 2 if size == 1 else skips + 2):
            for first in range(len(items) - (size - 1) * step):
                yield tuple(items[first : first + size * step : step][:size])
