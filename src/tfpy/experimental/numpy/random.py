"""`tf.experimental.numpy.random`: random numbers with the names of NumPy."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.experimental_numpy.random import (
    poisson as poisson,
    rand as rand,
    randint as randint,
    randn as randn,
    random as random,
    seed as seed,
    standard_normal as standard_normal,
    uniform as uniform,
)
