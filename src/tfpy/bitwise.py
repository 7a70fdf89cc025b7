"""`tf.bitwise`: ops on the bits of integers."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.core.primitives import (
    bitwise_and as bitwise_and,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    invert as invert,
    left_shift as left_shift,
    right_shift as right_shift,
)
