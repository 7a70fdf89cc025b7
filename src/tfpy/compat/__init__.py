"""`tf.compat`: compatibility with TensorFlow 1, and conversions between str and bytes."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.core.byte_strings import (
    as_bytes as as_bytes,
    as_str as as_str,
    as_str_any as as_str_any,
    as_text as as_text,
    path_to_str as path_to_str,
)

if _typing.TYPE_CHECKING:
    from tfpy.compat import v1 as v1

_LATER = {
    "v1": "tfpy.compat.v1",
}
