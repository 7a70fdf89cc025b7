"""``tf.compat.v1.math``: functions whose arguments were others in TensorFlow 1."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.library.compat.networks import in_top_k as in_top_k
