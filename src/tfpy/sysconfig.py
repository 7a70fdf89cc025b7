"""`tf.sysconfig`: the build of TensorFlow."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.config.build import get_build_info as get_build_info
