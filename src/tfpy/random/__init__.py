"""`tf.random`: random numbers from a global state, from generators, or from explicit seeds."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.tensors.random.algorithm import Algorithm as Algorithm
from tfpy._src.tensors.random.generator import (
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tfpy._src.tensors.random.generator_state import create_rng_state as create_rng_state
from tfpy._src.tensors.random.stateful import (
    categorical as categorical,
    gamma as gamma,
    normal as normal,
    poisson as poisson,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from tfpy._src.tensors.random.stateless import (
    fold_in as fold_in,
    split as split,
    stateless_binomial as stateless_binomial,
    stateless_categorical as stateless_categorical,
    stateless_gamma as stateless_gamma,
    stateless_normal as stateless_normal,
    stateless_poisson as stateless_poisson,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)
from tfpy._src.tensors.random.streams import set_seed as set_seed
from tfpy._src.tensors.random.truncated import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from tfpy.random import experimental as experimental

if _typing.TYPE_CHECKING:
    from tfpy._src.library.candidates.learned import (
        learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    )
    from tfpy._src.library.candidates.samplers import (
        all_candidate_sampler as all_candidate_sampler,
        fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
        log_uniform_candidate_sampler as log_uniform_candidate_sampler,
        uniform_candidate_sampler as uniform_candidate_sampler,
    )

_LATER = {
    "learned_unigram_candidate_sampler": "tfpy._src.library.candidates.learned",
    "all_candidate_sampler": "tfpy._src.library.candidates.samplers",
    "fixed_unigram_candidate_sampler": "tfpy._src.library.candidates.samplers",
    "log_uniform_candidate_sampler": "tfpy._src.library.candidates.samplers",
    "uniform_candidate_sampler": "tfpy._src.library.candidates.samplers",
}
