"""Samples of gamma, Poisson and binomial distributions, and permutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ir.sizes import closed
from tfpy._src.compiler.ops.families.samples import array
from tfpy._src.compiler.ops.gamma import random_gamma_grad
from tfpy._src.compiler.ops.random import REJECTION, SEQUENTIAL, STATE, drawn_state
from tfpy._src.compiler.ops.reduction import reduce_sum
from tfpy._src.compiler.ops.reference import random as host


def _sampled(
    name: str,
    ref: Callable[..., Any],
    params: tuple[str, ...],
    doc: str,
    domains: tuple[tuple[float, float], ...],
    vjp: Callable[..., Any] | None = None,
) -> Op:
    """Register a distribution over parameters of one shape; the draws are the first axis.

    `ref` receives the state and flat float64 parameters, each repeated for its draws.
    """

    def infer_aval(*avals: Aval, samples: int, dtype: DType = dtypes.float32) -> Aval:
        shapes = {closed(a.shape) for a in avals[len(STATE) :]}
        if len(shapes) > 1:
            raise invalid(name, f"the parameters must have the same shape, got {shapes}")
        return Aval((samples, *avals[-1].shape), dtype)

    def whole_ref(*inputs: Any, samples: int, dtype: DType = dtypes.float32) -> Any:
        state, values = inputs[: len(STATE)], inputs[len(STATE) :]
        repeated = [np.repeat(v.astype(np.float64).reshape(-1), samples) for v in values]
        drawn = ref(state, *repeated, dtype)
        columns = drawn.astype(dtype.as_numpy_dtype).reshape(values[0].size, samples)
        return columns.T.reshape(samples, *values[0].shape)

    def make_samples(rng: np.random.Generator) -> list[Sample]:
        cases: list[Sample] = []
        for shape in ((), (3,), (2, 4)):
            values = [array(rng, shape, dtypes.float32, *domain) for domain in domains]
            state = [*drawn_state(rng)]
            state[2:4] = [np.asarray(0, np.int32)] * 2  # TensorFlow's kernels begin at this counter
            cases.append(((*state, *values), {"samples": 50}))
        return cases

    return register(
        Op(
            name,
            "random",
            infer_aval,
            whole_ref,
            vjp,
            params=(*STATE, *params),
            doc=doc,
            samples=make_samples,
            host_only=REJECTION,
        )
    )


def _gamma_vjp(
    g: Any, y: Any, *inputs: Any, samples: int, dtype: DType = dtypes.float32
) -> tuple[Any, ...]:
    alpha = inputs[-1]
    per_draw = lambda: reduce_sum(g * random_gamma_grad(alpha, y), axes=(0, 1))  # noqa: E731
    return (*[None] * len(STATE), per_draw)


random_gamma = _sampled(
    "random_gamma",
    lambda state, alpha, dtype: host.gamma(state, alpha),
    ("alpha",),
    "Gamma floats with scale 1.",
    ((0.2, 5.0),),
    _gamma_vjp,
)
random_poisson = _sampled(
    "random_poisson",
    lambda state, rate, dtype: host.poisson(state, rate, dtype),
    ("rate",),
    "Poisson numbers.",
    ((0.2, 30.0),),
)
random_binomial = _sampled(
    "random_binomial",
    lambda state, counts, probs, dtype: host.binomial(state, counts, probs),
    ("counts", "probs"),
    "Numbers of successes.",
    ((1.0, 60.0), (0.05, 0.95)),
)


random_permutation = register(
    Op(
        "random_permutation",
        "random",
        lambda *state, count: Aval((count,), dtypes.int32),
        lambda *state, count: host.permutation(state, count),
        params=STATE,
        doc="The numbers 0 to count - 1 in random order.",
        samples=lambda rng: [(drawn_state(rng), {"count": n}) for n in (0, 1, 2, 33)],
        host_only=SEQUENTIAL,
    )
)
