"""`tf.config.optimizer`: settings of TensorFlow's compilers, which programs for TensorFlow set."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.config.optimizer import (
    get_experimental_options as get_experimental_options,
    get_jit as get_jit,
    set_experimental_options as set_experimental_options,
    set_jit as set_jit,
)
