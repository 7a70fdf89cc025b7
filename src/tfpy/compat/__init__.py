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
    from tfpy._src.library.compat.casts import dimension_value as dimension_value
    from tfpy._src.library.compat.types import (
        bytes_or_text_types as bytes_or_text_types,
        complex_types as complex_types,
        dimension_at_index as dimension_at_index,
        forward_compatibility_horizon as forward_compatibility_horizon,
        forward_compatible as forward_compatible,
        integral_types as integral_types,
        real_types as real_types,
    )
    from tfpy.compat import v1 as v1

_LATER = {
    "dimension_value": "tfpy._src.library.compat.casts",
    "bytes_or_text_types": "tfpy._src.library.compat.types",
    "complex_types": "tfpy._src.library.compat.types",
    "dimension_at_index": "tfpy._src.library.compat.types",
    "forward_compatibility_horizon": "tfpy._src.library.compat.types",
    "forward_compatible": "tfpy._src.library.compat.types",
    "integral_types": "tfpy._src.library.compat.types",
    "real_types": "tfpy._src.library.compat.types",
    "v1": "tfpy.compat.v1",
}
