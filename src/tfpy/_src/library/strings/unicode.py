"""Characters and encodings of strings: `tf.strings.unicode_*`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ops import text
from tfpy._src.compiler.ops.reference import text as host_text
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.strings.conversion import as_strings
from tfpy._src.library.strings.splitting import rows_of
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Convert strings from one encoding to another.

    Args:
        input: String tensor of any shape.
        input_encoding: Encoding of the input, such as `"UTF-8"`. Python's encodings are supported.
        output_encoding: Encoding of the result, `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
        errors: Handling of invalid characters. `"replace"` (default) replaces them, `"ignore"`
            drops them, and `"strict"` raises an error.
        replacement_char: Code point that replaces invalid characters. Default: 65533, the Unicode
            replacement character.
        replace_control_characters: If True, handle control characters (code points below 32) like
            invalid characters.

    Returns:
        String tensor with the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If an encoding is not supported, or a character is not valid
            and `errors` is `"strict"`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.unicode_transcode("é", "UTF-8", "UTF-16-BE").numpy().hex()
        '00e9'

    See also: `tf.strings.unicode_encode`, `tf.strings.unicode_decode`.
    """
    return text.unicode_transcode(
        as_strings(input),
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=int(replacement_char),
        replace_control_characters=bool(replace_control_characters),
    )


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Encode Unicode code points as strings.

    Args:
        input: Int32 tensor, dense or ragged, with code points along the last axis.
        output_encoding: Encoding of the result, `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
        errors: Handling of invalid code points. `"replace"` (default) replaces them, `"ignore"`
            drops them, and `"strict"` raises an error.
        replacement_char: Code point that replaces invalid code points. Default: 65533, the Unicode
            replacement character.

    Returns:
        String tensor with the shape of `input` without its last axis. It is ragged if `input` has
        more than one ragged axis.

    Raises:
        ValueError: If `input` is a scalar.
        tf.errors.InvalidArgumentError: If the encoding is not supported, or a code point is not
            valid and `errors` is `"strict"`.

    Example:
        >>> import tfpy as tf
        >>> codes = tf.ragged.constant([[233], [111, 107]])
        >>> [s.decode() for s in tf.strings.unicode_encode(codes, "UTF-8").numpy()]
        ['é', 'ok']

    See also: `tf.strings.unicode_decode`, `tf.strings.unicode_transcode`.
    """
    x = input if isinstance(input, RaggedTensor) else convert_to_tensor(input, dtypes.int32)
    if not x.ndim:
        raise ValueError("unicode_encode: input_tensor's rank must be at least 1, got a scalar")
    codec = host_text.encoding_of("unicode_encode", output_encoding)
    host_text.check_errors("unicode_encode", errors, int(replacement_char))

    def kept(codes: list[int]) -> Iterator[int]:
        for code in codes:
            if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
                yield code
            elif errors == "strict":
                raise invalid_value(
                    "unicode_encode", f"Code point {code} is out of range for Unicode"
                )
            elif errors == "replace":
                yield int(replacement_char)

    if isinstance(x, RaggedTensor) and isinstance(x.values, RaggedTensor):
        values = unicode_encode(x.values, output_encoding, errors, replacement_char)
        return x.with_values(values)
    rows = x.numpy()
    lead = rows.shape[:1] if isinstance(x, RaggedTensor) else rows.shape[:-1]
    out = np.empty(lead, object)
    for index in np.ndindex(lead):
        out[index] = host_text.encoded(kept(rows[index].tolist()), codec)
    return constant(out)


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Decode each string into Unicode code points.

    Args:
        input: String tensor, dense or ragged.
        input_encoding: Encoding of the input, such as `"UTF-8"`. Python's encodings are supported.
        errors: Handling of invalid characters. `"replace"` (default) replaces them, `"ignore"`
            drops them, and `"strict"` raises an error.
        replacement_char: Code point that replaces invalid characters. Default: 65533, the Unicode
            replacement character.
        replace_control_characters: If True, replace control characters (code points below 32), or
            drop them if `errors` is `"ignore"`.

    Returns:
        Ragged int32 tensor with one more axis than `input`, or a vector if `input` is a scalar.

    Raises:
        tf.errors.InvalidArgumentError: If the encoding is not supported, or a character is not
            valid and `errors` is `"strict"`.

    Example:
        >>> import tfpy as tf
        >>> tf.strings.unicode_decode(["é", "ok"], "UTF-8").to_list()
        [[233], [111, 107]]

    See also: `tf.strings.unicode_decode_with_offsets`, `tf.strings.unicode_split`.
    """
    decode = host_text.Decoder(
        "unicode_decode", input_encoding, errors, int(replacement_char), replace_control_characters
    )
    return rows_of(input, decode.codes, dtypes.int32)


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Split each string into characters.

    Args:
        input: String tensor, dense or ragged.
        input_encoding: Encoding of the input, `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
        errors: Handling of invalid characters. `"replace"` (default) replaces them, `"ignore"`
            drops them, and `"strict"` raises an error.
        replacement_char: Code point that replaces invalid characters. Default: 65533, the Unicode
            replacement character.

    Returns:
        Ragged string tensor with one more axis than `input`, or a vector if `input` is a scalar.

    Raises:
        tf.errors.InvalidArgumentError: If the encoding is not supported, or a character is not
            valid and `errors` is `"strict"`.

    Example:
        >>> import tfpy as tf
        >>> [c.decode() for c in tf.strings.unicode_split("né", "UTF-8").numpy()]
        ['n', 'é']

    See also: `tf.strings.unicode_split_with_offsets`, `tf.strings.bytes_split`.
    """
    name = "unicode_split"
    decode = host_text.Decoder(name, input_encoding, errors, int(replacement_char))
    codec = host_text.encoding_of(name, input_encoding)
    return rows_of(
        input, lambda s: [host_text.encoded([c], codec) for c in decode.codes(s)], dtypes.string
    )


def _offsets(input: TensorLike, encoding: str, errors: str, control: bool = False) -> Any:
    """Return the byte at which each character begins."""
    decode = host_text.Decoder("unicode_decode_with_offsets", encoding, errors, 0xFFFD, control)
    return rows_of(input, lambda s: [at for _, at in decode.places(s)], dtypes.int32)


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    """Decode each string into Unicode code points, and return the byte offset of each character.

    Args:
        input: String tensor, dense or ragged.
        input_encoding: Encoding of the input, such as `"UTF-8"`. Python's encodings are supported.
        errors: Handling of invalid characters. `"replace"` (default) replaces them, `"ignore"`
            drops them, and `"strict"` raises an error.
        replacement_char: Code point that replaces invalid characters. Default: 65533, the Unicode
            replacement character.
        replace_control_characters: If True, replace control characters (code points below 32), or
            drop them if `errors` is `"ignore"`.

    Returns:
        A tuple of two ragged int32 tensors with the code points and the byte offset of each
        character. Both have one more axis than `input`, and are vectors if `input` is a scalar.

    Raises:
        tf.errors.InvalidArgumentError: If the encoding is not supported, or a character is not
            valid and `errors` is `"strict"`.

    Example:
        >>> import tfpy as tf
        >>> codes, starts = tf.strings.unicode_decode_with_offsets("éa", "UTF-8")
        >>> codes.numpy().tolist(), starts.numpy().tolist()
        ([233, 97], [0, 2])

    See also: `tf.strings.unicode_decode`.
    """
    codes = unicode_decode(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )
    return codes, _offsets(input, input_encoding, errors, replace_control_characters)


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    """Split each string into characters, and return the byte offset of each character.

    Args:
        input: String tensor, dense or ragged.
        input_encoding: Encoding of the input, `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
        errors: Handling of invalid characters. `"replace"` (default) replaces them, `"ignore"`
            drops them, and `"strict"` raises an error.
        replacement_char: Code point that replaces invalid characters. Default: 65533, the Unicode
            replacement character.

    Returns:
        A tuple of a ragged string tensor with the characters and a ragged int32 tensor with the
        byte offset of each character. Both have one more axis than `input`, and are vectors if
        `input` is a scalar.

    Raises:
        tf.errors.InvalidArgumentError: If the encoding is not supported, or a character is not
            valid and `errors` is `"strict"`.

    Example:
        >>> import tfpy as tf
        >>> characters, starts = tf.strings.unicode_split_with_offsets("éa", "UTF-8")
        >>> [c.decode() for c in characters.numpy()], starts.numpy().tolist()
        (['é', 'a'], [0, 2])

    See also: `tf.strings.unicode_split`.
    """
    characters = unicode_split(input, input_encoding, errors, replacement_char)
    return characters, _offsets(input, input_encoding, errors)
