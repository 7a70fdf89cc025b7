"""`tf.linalg.experimental`: the method of conjugate gradients."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.linear_operators.conjugate_gradient import (
    conjugate_gradient as conjugate_gradient,
)
