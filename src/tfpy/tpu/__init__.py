"""``tf.tpu``: TPUs, which the backend jax computes on."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy.tpu import experimental as experimental
