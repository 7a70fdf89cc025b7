"""`tf.random.experimental`: former names of functions in `tf.random`, and shuffles."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.tensors.random.algorithm import Algorithm as Algorithm
from tfpy._src.tensors.random.experimental import (
    stateless_fold_in as stateless_fold_in,
    stateless_split as stateless_split,
)
from tfpy._src.tensors.random.generator import (
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tfpy._src.tensors.random.generator_state import create_rng_state as create_rng_state
from tfpy._src.tensors.random.index_shuffle import index_shuffle as index_shuffle
from tfpy._src.tensors.random.stateless import stateless_shuffle as stateless_shuffle
