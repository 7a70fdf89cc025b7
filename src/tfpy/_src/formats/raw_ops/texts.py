"""Strings and files, on the host."""

from __future__ import annotations

from typing import Any

from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.timestamp import timestamp
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.io import audio, files
from tfpy._src.library.strings import functions as s, splitting, unicode
from tfpy._src.library.strings.formatting import format as format_
from tfpy._src.library.strings.ngrams import string_n_grams
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor


def _regex(change: Any) -> Any:
    """Return an operation that accepts regular expressions as tensors."""
    return lambda input, *texts, **attrs: change(input, *map(s.as_text, texts), **attrs)


def _reduce_join(inputs: Any, axis: Any, *, keep_dims: bool, separator: str) -> Tensor:
    x = convert_to_tensor(inputs)
    axes = sorted(n % x.ndim for n in static_ints(axis)) if x.ndim else []
    return s.reduce_join(x, axes, keep_dims, separator)


def _n_grams(
    data: Any,
    data_splits: Any,
    *,
    separator: str,
    ngram_widths: Any,
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Tensor, Tensor]:
    found = string_n_grams(
        data,
        data_splits,
        separator,
        ngram_widths,
        left_pad,
        right_pad,
        pad_width,
        preserve_short_sequences,
    )
    return found["n_grams"], found["n_grams_splits"]


def _split(input: Any, delimiter: Any, *, skip_empty: bool) -> tuple[Tensor, ...]:
    found = splitting.string_split(input, host_values(delimiter).item(), skip_empty)
    return found["indices"], found["values"], found["shape"]


def _split_rows(input: Any, sep: Any, *, maxsplit: int) -> tuple[Tensor, ...]:
    rows: Any = splitting.split(input, host_values(sep).item(), maxsplit)
    found = rows.to_sparse()
    return found.indices, found.values, found.dense_shape


def _decoded(input: Any, **attrs: Any) -> tuple[Tensor, Tensor]:
    attrs.pop("Tsplits")
    found: Any = unicode.unicode_decode(_row(input), **attrs)
    return found.row_splits, found.values


def _decoded_with_offsets(input: Any, **attrs: Any) -> tuple[Tensor, Tensor, Tensor]:
    attrs.pop("Tsplits")
    codes: Any
    places: Any
    codes, places = unicode.unicode_decode_with_offsets(_row(input), **attrs)
    return codes.row_splits, codes.values, places.values


def _row(input: Any) -> Tensor:
    """Flatten a string tensor."""
    return reshape(input, [-1])


op(
    'AsString(input; precision=-1, scientific=False, shortest=False, width=-1, fill="") -> output',
    p.as_string,
)
op('ReduceJoin(inputs, reduction_indices; keep_dims=False, separator="") -> output', _reduce_join)
op("RegexFullMatch(input, pattern) -> output", _regex(s.regex_full_match))
op(
    "RegexReplace(input, pattern, rewrite; replace_global=True) -> output",
    lambda input, pattern, rewrite, replace_global: s.regex_replace(
        input, s.as_text(pattern), s.as_text(rewrite), replace_global
    ),
)
op("StaticRegexFullMatch(input; pattern) -> output", s.regex_full_match)
op(
    "StaticRegexReplace(input; pattern, rewrite, replace_global=True) -> output",
    s.static_regex_replace,
)
op(
    'StringFormat(inputs*T; template="%s", placeholder="%s", summarize=3) -> output',
    lambda inputs, template, placeholder, summarize: format_(
        template, inputs, placeholder, summarize
    ),
)
op('StringJoin(inputs*N; separator="") -> output', s.join)
op('StringLength(input; unit="BYTE") -> output', p.length)
op('StringLower(input; encoding="") -> output', p.lower)
op(
    "StringNGrams(data, data_splits; separator, ngram_widths, left_pad, right_pad, "
    "pad_width, preserve_short_sequences) -> ngrams, ngrams_splits",
    _n_grams,
)
op("StringSplit(input, delimiter; skip_empty=True) -> indices, values, shape", _split)
op("StringSplitV2(input, sep; maxsplit=-1) -> indices, values, shape", _split_rows)
op("StringStrip(input) -> output", p.strip)
op("StringToHashBucket(string_tensor; num_buckets) -> output", s.to_hash_bucket)
op("StringToHashBucketFast(input; num_buckets) -> output", s.to_hash_bucket_fast)
op("StringToHashBucketStrong(input; num_buckets, key) -> output", s.to_hash_bucket_strong)
op("StringToNumber(string_tensor; out_type=float32) -> output", s.to_number)
op('StringUpper(input; encoding="") -> output', p.upper)
op('Substr(input, pos, len; unit="BYTE") -> output', splitting.substr)
op(
    'UnicodeDecode(input; input_encoding, errors="replace", replacement_char=65533, '
    "replace_control_characters=False, Tsplits=int64) -> row_splits, char_values",
    _decoded,
)
op(
    'UnicodeDecodeWithOffsets(input; input_encoding, errors="replace", '
    "replacement_char=65533, replace_control_characters=False, Tsplits=int64) -> row_splits, "
    "char_values, char_to_byte_starts",
    _decoded_with_offsets,
)
op(
    'UnicodeEncode(input_values, input_splits; output_encoding, errors="replace", '
    "replacement_char=65533) -> output",
    lambda input_values, input_splits, **attrs: unicode.unicode_encode(
        RaggedTensor.from_row_splits(input_values, input_splits), **attrs
    ),
)
op(
    'UnicodeTranscode(input; input_encoding, output_encoding, errors="replace", '
    "replacement_char=65533, replace_control_characters=False) -> output",
    unicode.unicode_transcode,
)
op(
    'UnsortedSegmentJoin(inputs, segment_ids, num_segments; separator="") -> output',
    s.unsorted_segment_join,
)

op("DecodeBase64(input) -> output", files.decode_base64)
op(
    "DecodePaddedRaw(input_bytes, fixed_length; out_type, little_endian=True) -> output",
    lambda input_bytes, fixed_length, out_type, little_endian: files.decode_raw(
        input_bytes, out_type, little_endian, int(fixed_length)
    ),
)
op("DecodeRaw(bytes; out_type, little_endian=True) -> output", files.decode_raw)
op(
    "DecodeWav(contents; desired_channels=-1, desired_samples=-1) -> audio, sample_rate",
    audio.decode_wav,
)
op("EncodeBase64(input; pad=False) -> output", files.encode_base64)
op("EncodeWav(audio, sample_rate) -> contents", audio.encode_wav)
op("ReadFile(filename) -> contents", files.read_file)
op("WriteFile(filename, contents)", files.write_file, stateful=True)
op("Timestamp() -> ts", timestamp, stateful=True)
