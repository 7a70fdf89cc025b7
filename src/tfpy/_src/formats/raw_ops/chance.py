"""Random numbers, stateful and stateless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.random import sampling, stateful, stateless
from tfpy._src.tensors.random.algorithm import philox_only
from tfpy._src.tensors.random.index_shuffle import index_shuffle
from tfpy._src.tensors.random.sampling import State


def _drawn(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def draw(shape: Any, *, dtype: Any, seed: int, seed2: int) -> Tensor:
        return function(shape, dtype=dtype, seed=(seed, seed2))

    return draw


def _key_and_counter(seed: Any) -> tuple[Tensor, Tensor]:
    """Return key [1] and counter [2] of a seed as uint64, or as words if the seed is not known."""
    state = stateless.state_of("StatelessRandomGetKeyCounter", seed)
    if isinstance(state, Tensor):
        return state[:2], state[2:]
    numbers = [philox.join(state[i : i + 2]) for i in (0, 2, 4)]
    key, *counter = np.array(numbers, np.uint64)
    return constant(np.array([key])), constant(np.array(counter))


def _state(key: Any, counter: Any, alg: Any) -> State:
    philox_only(int(alg))
    both = [convert_to_tensor(part) for part in (key, counter)]
    if both[0].dtype != dtypes.uint64:
        return concat(both, 0)
    numbers = np.concatenate([part.host_view() for part in both]).tolist()
    return tuple(word for n in numbers for word in philox.split(n, 2))


def _gamma(shape: Any, key: Any, counter: Any, alg: Any, alpha: Any) -> Tensor:
    known = convert_to_tensor(alpha)
    concentration, rate = sampling.gamma_parameters(known, None, known.dtype)
    lead = sampling.leading("StatelessRandomGammaV3", shape, [concentration])
    return sampling.gamma(_state(key, counter, alg), lead, concentration, rate)


op(
    "RandomUniform(shape; dtype, seed=0, seed2=0) -> output",
    _drawn(stateful.uniform),
    stateful=True,
)
op(
    "RandomStandardNormal(shape; dtype, seed=0, seed2=0) -> output",
    _drawn(stateful.normal),
    stateful=True,
)
op(
    "TruncatedNormal(shape; dtype, seed=0, seed2=0) -> output",
    _drawn(stateful.truncated_normal),
    stateful=True,
)
op(
    "RandomUniformInt(shape, minval, maxval; seed=0, seed2=0) -> output",
    lambda shape, minval, maxval, seed, seed2: stateful.uniform(
        shape, minval, maxval, convert_to_tensor(minval).dtype, (seed, seed2)
    ),
    stateful=True,
)
op(
    "RandomGamma(shape, alpha; seed=0, seed2=0) -> output",
    lambda shape, alpha, seed, seed2: stateful.gamma(
        shape, alpha, dtype=convert_to_tensor(alpha).dtype, seed=(seed, seed2)
    ),
    stateful=True,
)
op(
    "RandomPoisson(shape, rate; seed=0, seed2=0) -> output",
    lambda shape, rate, seed, seed2: stateful.poisson(
        shape, rate, convert_to_tensor(rate).dtype, (seed, seed2)
    ),
    stateful=True,
)
op(
    "RandomPoissonV2(shape, rate; seed=0, seed2=0, dtype=int64) -> output",
    lambda shape, rate, seed, seed2, dtype: stateful.poisson(shape, rate, dtype, (seed, seed2)),
    stateful=True,
)
op(
    "RandomShuffle(value; seed=0, seed2=0) -> output",
    lambda value, seed, seed2: stateful.shuffle(value, (seed, seed2)),
    stateful=True,
)
op(
    "Multinomial(logits, num_samples; seed=0, seed2=0, output_dtype=int64) -> output",
    lambda logits, num_samples, seed, seed2, output_dtype: stateful.categorical(
        logits, num_samples, output_dtype, (seed, seed2)
    ),
    stateful=True,
)

op(
    "StatelessRandomUniform(shape, seed; dtype=float32) -> output",
    lambda shape, seed, dtype: stateless.stateless_uniform(shape, seed, dtype=dtype),
)
op(
    "StatelessRandomNormal(shape, seed; dtype=float32) -> output",
    lambda shape, seed, dtype: stateless.stateless_normal(shape, seed, dtype=dtype),
)
op(
    "StatelessTruncatedNormal(shape, seed; dtype=float32) -> output",
    lambda shape, seed, dtype: stateless.stateless_truncated_normal(shape, seed, dtype=dtype),
)
op(
    "StatelessRandomUniformInt(shape, seed, minval, maxval) -> output",
    lambda shape, seed, minval, maxval: stateless.stateless_uniform(
        shape, seed, minval, maxval, convert_to_tensor(minval).dtype
    ),
)
op(
    "StatelessRandomUniformFullInt(shape, seed; dtype=uint64) -> output",
    lambda shape, seed, dtype: stateless.stateless_uniform(shape, seed, None, None, dtype),
)
op(
    "StatelessRandomBinomial(shape, seed, counts, probs; dtype=int64) -> output",
    lambda shape, seed, counts, probs, dtype: stateless.stateless_binomial(
        shape, seed, counts, probs, dtype
    ),
)
op(
    "StatelessRandomGammaV2(shape, seed, alpha) -> output",
    lambda shape, seed, alpha: stateless.stateless_gamma(shape, seed, alpha),
)
op(
    "StatelessRandomPoisson(shape, seed, lam; dtype) -> output",
    lambda shape, seed, lam, dtype: stateless.stateless_poisson(shape, seed, lam, dtype),
)
op(
    "StatelessMultinomial(logits, num_samples, seed; output_dtype=int64) -> output",
    lambda logits, num_samples, seed, output_dtype: stateless.stateless_categorical(
        logits, num_samples, seed, output_dtype
    ),
)
op(
    "RandomIndexShuffle(index, seed, max_index; rounds=4) -> output",
    lambda index, seed, max_index: index_shuffle(index, seed, int(max_index)),
)

op("StatelessRandomGetAlg() -> alg", lambda: constant(1), stateful=True)
op("StatelessRandomGetKeyCounter(seed) -> key, counter", _key_and_counter)
op(
    "StatelessRandomGetKeyCounterAlg(seed) -> key, counter, alg",
    lambda seed: (*_key_and_counter(seed), constant(1)),
    stateful=True,
)
op(
    "StatelessRandomUniformV2(shape, key, counter, alg; dtype=float32) -> output",
    lambda shape, key, counter, alg, dtype: sampling.uniform(
        _state(key, counter, alg), shape, 0, None, as_dtype(dtype)
    ),
)
op(
    "StatelessRandomNormalV2(shape, key, counter, alg; dtype=float32) -> output",
    lambda shape, key, counter, alg, dtype: sampling.normal(
        _state(key, counter, alg), shape, 0.0, 1.0, dtype
    ),
)
op(
    "StatelessTruncatedNormalV2(shape, key, counter, alg; dtype=float32) -> output",
    lambda shape, key, counter, alg, dtype: sampling.normal(
        _state(key, counter, alg), shape, 0.0, 1.0, dtype, truncated=True
    ),
)
op(
    "StatelessRandomUniformIntV2(shape, key, counter, alg, minval, maxval) -> output",
    lambda shape, key, counter, alg, minval, maxval: sampling.uniform(
        _state(key, counter, alg), shape, minval, maxval, convert_to_tensor(minval).dtype
    ),
)
op(
    "StatelessRandomUniformFullIntV2(shape, key, counter, alg; dtype=uint64) -> output",
    lambda shape, key, counter, alg, dtype: sampling.full_int(
        _state(key, counter, alg), static_ints(shape), as_dtype(dtype)
    ),
)
op("StatelessRandomGammaV3(shape, key, counter, alg, alpha) -> output", _gamma)
op(
    "StatelessShuffle(value, key, counter, alg) -> output",
    lambda value, key, counter, alg: sampling.shuffled(_state(key, counter, alg), value),
)
