"""`tf.tpu`: TPUs, with the jax backend."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy.tpu import experimental as experimental
