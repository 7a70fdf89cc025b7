"""`tf.experimental.numpy`: NumPy functions on tensors, as far as libraries use them."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.array.numpy_like import finfo as finfo, select as select
