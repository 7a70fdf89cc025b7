"""``tf.compat.v1``: names of TensorFlow 1."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy.compat.v1 import losses as losses
