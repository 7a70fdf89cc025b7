"""Characters and encodings: ``tf.strings.unicode_*``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.composite.ragged.tensor import RaggedTensor
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.errors import invalid_value
from tfpy._src.ops import text
from tfpy._src.ops.reference import text as host_text
from tfpy._src.strings.functions import as_strings, rows_of


def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Strings in another encoding ("UTF-8", "UTF-16-BE" or "UTF-32-BE")."""
    return text.unicode_transcode(
        as_strings(input),
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=int(replacement_char),
        replace_control_characters=bool(replace_control_characters),
    )


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Strings of the code points along the last axis.

    Raises:
        InvalidArgumentError: for a code point that is none, if ``errors`` is "strict".
    """
    codec = host_text.encoding_of("unicode_encode", output_encoding)

    def character(code: int) -> str:
        if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            return chr(code)
        if errors == "strict":
            raise invalid_value("unicode_encode", f"Code point {code} is out of range for Unicode")
        return "" if errors == "ignore" else chr(replacement_char)

    x = input if isinstance(input, RaggedTensor) else convert_to_tensor(input, dtypes.int32)
    if isinstance(x, RaggedTensor) and isinstance(x.values, RaggedTensor):
        values = unicode_encode(x.values, output_encoding, errors, replacement_char)
        return x.with_values(values)
    rows = x.numpy()
    lead = rows.shape[:1] if isinstance(x, RaggedTensor) else rows.shape[:-1]
    out = np.empty(lead, object)
    for index in np.ndindex(lead):
        out[index] = "".join(map(character, rows[index].tolist())).encode(codec)
    return constant(out)


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string along a new ragged axis."""
    name = "unicode_decode"
    decode = host_text.decoder(
        name, input_encoding, errors, replacement_char, replace_control_characters
    )
    return rows_of(input, lambda s: [ord(c) for c in decode(s)], dtypes.int32)


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The characters of each string along a new ragged axis."""
    decode = host_text.decoder("unicode_split", input_encoding, errors, replacement_char, False)
    codec = host_text.CODECS.get(input_encoding, "utf-8")
    return rows_of(input, lambda s: [c.encode(codec) for c in decode(s)], dtypes.string)


def _offsets(input: Any, input_encoding: str) -> Any:
    """Where each character begins, in bytes."""

    codec = host_text.CODECS.get(input_encoding, input_encoding)
    errors = "surrogateescape" if codec == "utf-8" else "replace"

    def starts(s: bytes) -> list[int]:
        found, at = [], 0
        for c in s.decode(codec, errors):
            found.append(at)
            at += len(c.encode(codec, errors))
        return found

    return rows_of(input, starts, dtypes.int32)


def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """:func:`unicode_decode` and the byte at which each character begins."""
    codes = unicode_decode(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )
    return codes, _offsets(input, input_encoding)


def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, Any]:
    """:func:`unicode_split` and the byte at which each character begins."""
    characters = unicode_split(input, input_encoding, errors, replacement_char)
    return characters, _offsets(input, input_encoding)
