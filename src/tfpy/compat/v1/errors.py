"""`tf.compat.v1.errors`: the classes of errors, and their numbers."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.error_codes import (
    error_code_from_exception_type as error_code_from_exception_type,
    exception_type_from_error_code as exception_type_from_error_code,
)
