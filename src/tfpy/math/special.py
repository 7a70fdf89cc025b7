"""`tf.math.special`: special functions, such as Bessel functions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.core.primitives import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
)
