"""``tf.compat``: what TensorFlow 2 keeps of TensorFlow 1."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy.compat import v1 as v1
