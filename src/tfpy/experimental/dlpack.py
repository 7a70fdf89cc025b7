"""`tf.experimental.dlpack`: tensors that are exchanged with other libraries."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.io.dlpack import from_dlpack as from_dlpack, to_dlpack as to_dlpack
