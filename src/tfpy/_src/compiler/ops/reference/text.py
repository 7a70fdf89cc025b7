"""NumPy references of string ops, on object arrays of bytes."""

from __future__ import annotations

import builtins
import codecs
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile
from operator import itemgetter, not_
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, int64
from tfpy._src.base.errors import OutOfRangeError, invalid_value
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference.hash import Strings
from tfpy._src.compiler.regex.matching import full_match, replacer
from tfpy._src.compiler.regex.syntax import PatternError

_SPACE = b" \t\n\v\f\r"
CODECS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
"""Map TensorFlow's output encodings to Python's names."""


def each(f: Callable[..., Any], *arrays: Array, kind: Any = object) -> Array:
    """Apply `f` to the elements at the same position of (broadcast) arrays."""
    spread = np.broadcast_arrays(*arrays)
    results = map(f, *(a.reshape(-1).tolist() for a in spread))
    return np.fromiter(results, kind, spread[0].size).reshape(spread[0].shape)


def as_bytes(text: str) -> bytes:
    """Return the bytes of a string that was decoded from bytes, which need not be UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def as_string(
    x: Array, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Array:
    """Format each number like `printf`."""
    if fill not in ("", " ", "0", "+", "-"):
        raise invalid_value("as_string", f'Fill argument not supported: "{fill}"')
    if scientific and shortest:
        raise invalid_value("as_string", "Cannot select both scientific and shortest notation")
    if x.dtype == object:
        return _padded(x, precision, width, fill)
    real = x.dtype.kind in "fc"
    if (scientific or shortest) and not real:
        raise invalid_value(
            "as_string", f"scientific and shortest not supported for datatype {x.dtype.name}"
        )
    if precision >= 0 and not real:
        raise invalid_value("as_string", f"precision not supported for datatype {x.dtype.name}")
    if x.dtype == bool:
        return each(lambda v: b"true" if v else b"false", x)
    size = f"{width if width >= 0 else ''}{f'.{precision}' if precision >= 0 else ''}"
    letter = "e" if scientific else "g" if shortest else "f"

    def number(v: Any) -> bytes:
        flag = fill.replace("0", "") if real and not math.isfinite(v) else fill
        printed: str = f"%{flag}{size}{letter if real else 'd'}" % v
        return printed.encode()

    if x.dtype.kind == "c":
        return each(lambda v: b"(%b,%b)" % (number(v.real), number(v.imag)), x)
    return each(number, x)


def _padded(x: Array, most: int, width: int, fill: str) -> Array:
    """Limit each string to `most` bytes and pad it with spaces."""
    if width <= 0:
        return x
    pad = bytes.ljust if fill == "-" else bytes.rjust
    return each(lambda s: pad(s[:most] if most >= 0 else s, width), x)


def lower(input: Array, encoding: str) -> Array:
    return _cased(input, encoding, str.lower, bytes.lower, "lower")


def upper(input: Array, encoding: str) -> Array:
    return _cased(input, encoding, str.upper, bytes.upper, "upper")


def _cased(x: Array, encoding: str, text: Any, ascii_only: Any, op: str) -> Array:
    if encoding not in ("", "utf-8"):
        raise invalid_value(op, f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    if not encoding:
        return each(ascii_only, x)
    return each(lambda s: text(s.decode("utf-8", "replace")).encode(), x)


def strip(input: Array) -> Array:
    return each(lambda s: s.strip(_SPACE), input)


def length(input: Array, unit: str) -> Array:
    return each(_COUNTS[unit], input, kind=np.int32)


_CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that continue a character."""


def _starts(s: bytes) -> list[int]:
    """Return the positions at which the UTF-8 characters of `s` begin, and its length."""
    return [i for i, b in enumerate(s) if b & 0xC0 != 0x80] + [len(s)]


_COUNTS: dict[str, Callable[[bytes], int]] = {
    "BYTE": len,
    "UTF8_CHAR": lambda s: len(s.translate(None, _CONTINUATION)),
}


def substr(input: Array, pos: Array, len: Array, unit: str) -> Array:
    if unit == "BYTE" and not pos.ndim and not len.ndim and min(pos, len) >= 0:
        begin = int(pos)
        if begin <= min(map(builtins.len, input.reshape(-1).tolist()), default=begin):
            return each(itemgetter(slice(begin, begin + int(len))), input)

    def part(s: bytes, at: int, count: int) -> bytes:
        marks = None if unit == "BYTE" else _starts(s)
        n = builtins.len(s) if marks is None else builtins.len(marks) - 1
        if not -n <= at <= n:
            raise invalid_value("substr", f"pos {at} out of range for string {s!r}")
        begin = at % n if at < 0 else at
        rest = n if unit == "BYTE" else begin  # end for a negative length
        end = min(begin + count, n) if count >= 0 else rest
        return s[begin:end] if marks is None else s[marks[begin] : marks[max(begin, end)]]

    return each(part, input, pos, len)


def join(*inputs: Array, separator: str) -> Array:
    return each(lambda *parts: as_bytes(separator).join(parts), *inputs)


def reduce_join(x: Array, axes: Sequence[int], separator: str) -> Array:
    """Join over `axes`, the last one outermost."""
    kept = [i for i in range(x.ndim) if i not in axes]
    length = math.prod(x.shape[i] for i in axes)
    rows = x.transpose([*kept, *reversed(axes)]).reshape(*(x.shape[i] for i in kept), length)
    out = np.empty(rows.shape[:-1], object)
    for index in np.ndindex(out.shape):
        out[index] = as_bytes(separator).join(rows[index])
    return out


def segment_join(inputs: Array, ids: Array, segments: int, separator: str) -> Array:
    """Join the strings of each segment.

    As in TensorFlow, no separator follows leading empty strings.
    """
    inner = inputs.shape[ids.ndim :]
    rows = inputs.reshape(ids.size, math.prod(inner))
    parts: list[list[Any]] = [[] for _ in range(segments)]
    for i, row in zip(ids.reshape(-1).tolist(), rows, strict=True):
        if not 0 <= i < segments:
            raise invalid_value(
                "unsorted_segment_join",
                f"segment_ids must lie in [0, num_segments = {segments}), got {i}",
            )
        parts[i].append(row)
    out = np.full((segments, math.prod(inner)), b"", object)
    for i, rows_of in enumerate(parts):
        if rows_of:
            columns = (dropwhile(not_, column) for column in zip(*rows_of, strict=True))
            out[i] = [as_bytes(separator).join(column) for column in columns]
    return out.reshape(segments, *inner)


def regex_full_match(input: Array, pattern: str) -> Array:
    return each(_compiled("regex_full_match", full_match, pattern), input, kind=np.bool_)


def regex_replace(input: Array, pattern: str, rewrite: str, replace_global: bool) -> Array:
    replaced = _compiled("regex_replace", replacer, pattern, as_bytes(rewrite), replace_global)
    return each(replaced, input)


def _compiled(op: str, make: Callable[..., Any], pattern: str, *how: Any) -> Any:
    try:
        return make(pattern, *how)
    except PatternError as error:
        raise invalid_value(op, f"Invalid pattern: {pattern}, error: {error}") from None


def hash_bucket(input: Array, num_buckets: int, function: Callable[[Strings], Array]) -> Array:
    hashes = function(Strings(input.reshape(-1).tolist()))
    return (hashes % np.uint64(num_buckets)).astype(int64.as_numpy_dtype).reshape(input.shape)


_INTEGER = re.compile(rb"[+-]?\d+", re.ASCII)
_FLOAT = re.compile(
    rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE
)
_HEX = re.compile(rb"[+-]?0x[0-9a-f.]+(p[+-]?\d+)?", re.IGNORECASE)


def to_number(input: Array, out_type: DType) -> Array:
    whole, least, most = out_type.is_integer, out_type.min, out_type.max

    def number(s: bytes) -> Any:
        text = s.strip(_SPACE)
        if whole and _INTEGER.fullmatch(text):
            value = int(text)
            if least <= value <= most:
                return value
        elif not whole and _FLOAT.fullmatch(text):
            return float(text)
        elif not whole and _HEX.fullmatch(text):
            return float.fromhex(text.decode())
        raise invalid_value(
            "to_number", f"StringToNumberOp could not correctly convert string: {s!r}"
        )

    found = _python_numbers(input.reshape(-1).tolist(), int if whole else float)
    if found and (not whole or least <= min(found) <= max(found) <= most):
        return np.array(found, out_type.as_numpy_dtype).reshape(input.shape)
    return each(number, input, kind=out_type.as_numpy_dtype)


def _python_numbers(texts: list[bytes], convert: Callable[[bytes], Any]) -> list[Any]:
    """Return the numbers that Python reads, or an empty list if one of the texts is no number."""
    if b"_" in b"".join(texts):  # which Python accepts between digits
        return []
    try:
        return [*map(convert, texts)]
    except ValueError:
        return []


_MARKS = {
    "utf-16": {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"": "utf-16-be"},
    "utf-32": {b"\xff\xfe\0\0": "utf-32-le", b"\0\0\xfe\xff": "utf-32-be", b"": "utf-32-be"},
}
"""Byte order marks. Without one, the byte order is big-endian."""


class Decoder:
    """A decoder from bytes to code points for the `unicode_*` ops.

    Raises:
        tf.errors.InvalidArgumentError: If the encoding, the error policy or the replacement is
            invalid.
    """

    def __init__(
        self, op: str, encoding: str, errors: str, replacement: int, control: bool = False
    ) -> None:
        check_errors(op, errors, replacement)
        try:
            self._codec = codecs.lookup(CODECS.get(encoding, encoding)).name
        except LookupError:
            raise invalid_value(
                op, f"Could not create converter for input encoding: {encoding}"
            ) from None
        self._op, self._errors, self._control = op, errors, control
        self._replacement = replacement

    def codes(self, s: bytes) -> list[int]:
        """Return the code points of a string."""
        try:
            text = s.decode(self._codec) if self._codec not in _MARKS else ""
        except UnicodeDecodeError:
            text = ""
        if text and not (self._control and min(text) < " "):
            return [*map(ord, text)]
        return [code for code, _ in self.places(s)]

    def places(self, s: bytes) -> list[tuple[int, int]]:
        """Return the code points of a string and the bytes at which they begin."""
        out = []
        for c, at in self._characters(s):
            if c is not None and not (self._control and c < " "):
                out.append((ord(c), at))
            elif self._errors == "strict" and (c is None or self._op == "unicode_transcode"):
                raise invalid_value(self._op, f"Invalid formatting on input string {s!r}")
            elif self._errors != "ignore":  # control characters are an error only in transcoding
                out.append((self._replacement, at))
        return out

    def _characters(self, s: bytes) -> Iterator[tuple[str | None, int]]:
        """Yield each character, or None for malformed bytes, and its position."""
        marks = _MARKS.get(self._codec, {b"": self._codec})
        mark, codec = next((m, codec) for m, codec in marks.items() if s.startswith(m))
        begin, at = 0, len(mark)  # a mark belongs to the first character
        while at < len(s):
            try:
                text, end, resume = s[at:].decode(codec), len(s), len(s)
            except UnicodeDecodeError as error:
                end, resume = at + error.start, at + error.end
                text = s[at:end].decode(codec)
            for c in text:
                yield c, begin
                begin = at = at + len(c.encode(codec))
            if resume > end:
                yield None, begin
            begin = at = resume


def check_errors(op: str, errors: str, replacement: int) -> None:
    """Raise InvalidArgumentError unless the handling of malformed characters is valid."""
    if errors not in ("strict", "replace", "ignore"):
        raise invalid_value(op, f"errors must be 'strict', 'replace' or 'ignore', got {errors!r}")
    if not 0 <= replacement <= 0x10FFFF:
        raise invalid_value(op, f"replacement_char {replacement} is not a Unicode code point")


def encoding_of(op: str, encoding: str) -> str:
    """Return Python's name of an output encoding."""
    if encoding not in CODECS:
        raise invalid_value(op, f"output_encoding {encoding!r} is not one of {', '.join(CODECS)}")
    return CODECS[encoding]


def encoded(codes: Iterable[int], codec: str) -> bytes:
    """Encode code points. Surrogates, which are not characters, become U+FFFD."""
    text = "".join(map(chr, codes))
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text).encode(codec)


def unicode_transcode(
    input: Array,
    input_encoding: str,
    output_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> Array:
    name = "unicode_transcode"
    decode = Decoder(name, input_encoding, errors, replacement_char, replace_control_characters)
    codec = encoding_of(name, output_encoding)
    return each(lambda s: encoded(decode.codes(s), codec), input)


def check_axes(axes: Sequence[int], rank: int) -> None:
    """Raise OutOfRangeError for axes out of range, as TensorFlow's ReduceJoin does."""
    for axis in axes:
        if not -rank <= axis < rank:
            raise OutOfRangeError(
                None, "reduce_join", f"Invalid reduction dimension {axis} for input with {rank} "
                "dimension(s)",
            )  # fmt: skip
