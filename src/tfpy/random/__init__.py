"""``tf.random``: seeded and stateless random numbers, computed where the tensors live.

For the same seeds the numbers are TensorFlow's, on every backend: integers and uniform numbers bit
for bit, others to rounding.
"""

from tfpy.random import experimental
from tfpy.random.algorithm import Algorithm
from tfpy.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from tfpy.random.stateful import (
    categorical,
    gamma,
    normal,
    poisson,
    set_seed,
    shuffle,
    truncated_normal,
    uniform,
)
from tfpy.random.stateless import (
    fold_in,
    split,
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    "Algorithm",
    "Generator",
    "categorical",
    "create_rng_state",
    "experimental",
    "fold_in",
    "gamma",
    "get_global_generator",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
