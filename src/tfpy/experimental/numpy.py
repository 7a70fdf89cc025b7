"""`tf.experimental.numpy`: NumPy functions for tensors, which other libraries use."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.array.numpy_like import finfo as finfo, select as select
