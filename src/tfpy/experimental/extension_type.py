"""`tf.experimental.extension_type`: functions of extension types."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.extension_types.extension_type import as_dict as as_dict
