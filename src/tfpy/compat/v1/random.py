"""`tf.compat.v1.random`: random numbers, with the arguments of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.changed import multinomial as multinomial
from tfpy._src.library.compat.graphs.variables import set_random_seed as set_random_seed
