"""`tf.compat.v1.initializers`: functions and classes that make initial values of Variables."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.initializers import (
    constant as constant,
    ones as ones,
    random_normal as random_normal,
    random_uniform as random_uniform,
    truncated_normal as truncated_normal,
    zeros as zeros,
)
from tfpy._src.library.compat.matrix_initializers import (
    identity as identity,
    orthogonal as orthogonal,
)
from tfpy._src.library.compat.scaled_initializers import (
    glorot_normal as glorot_normal,
    glorot_uniform as glorot_uniform,
    he_normal as he_normal,
    he_uniform as he_uniform,
    lecun_normal as lecun_normal,
    lecun_uniform as lecun_uniform,
    uniform_unit_scaling as uniform_unit_scaling,
    variance_scaling as variance_scaling,
)
