"""``tf.random.experimental``: older names, and shuffles by seed."""

from tfpy.random.algorithm import Algorithm
from tfpy.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from tfpy.random.stateless import fold_in as stateless_fold_in
from tfpy.random.stateless import index_shuffle, stateless_shuffle
from tfpy.random.stateless import split as stateless_split

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
