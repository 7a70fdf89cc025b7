"""`tf.compat.v1.math`: functions with the arguments of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.networks import in_top_k as in_top_k
