"""Gradients of every differentiable primitive, compared with TensorFlow and finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops import oracle

import tfpy
from tfpy._src.compiler.ir.op import COMPILER
from tfpy._src.compiler.ops import OPS, Op

Array = np.ndarray[Any, Any]
ELSEWHERE = ("complex", "real", "imag", "conj", "angle")  # in test_complex.py
DIFFERENTIABLE = [
    op
    for op in OPS.values()
    if op.vjp is not None and op.name not in ELSEWHERE and op.family not in ("linalg", COMPILER)
]
TOLERANCE = 2e-4

STEPPED = [
    "sign",
    "floor",
    "ceil",
    "round",
    "rint",
    "truncatediv",
    "cast",
    "max_pool",
    "max_pool_grad",
    "max_pool_grad_grad",
    "scatter_update",
    "dynamic_update_slice",
    "zeta",
    "polygamma",
    "betainc",
    "random_gamma",
]
"""Ops that are discontinuous, rounded, or sampled at ties, for which differences are useless.

The gradients of zeta, polygamma and betainc concern the last argument, as in TensorFlow.
"""


def float_samples(op: Op, rng: np.random.Generator) -> list[tuple[Sequence[Array], dict[str, Any]]]:
    """Return small samples of float inputs and a float output with meaningful gradients."""
    assert op.samples is not None
    found = []
    for arrays, attrs in op.samples(rng):
        floating = [a.dtype == np.float32 for a in arrays]
        small = sum(a.size for a in arrays) < 6000
        if any(floating) and small and attrs.get("dtype", "float32") == "float32":
            found.append((arrays, attrs))
    return found


def gradients(
    lib: Any, f: Callable[..., Any], arrays: Sequence[Array], dy: Array
) -> list[Array | None]:
    """Return the gradient of each float input by ``lib``'s tape, zeros where there is none."""
    inputs = [lib.constant(a) for a in arrays]
    watched = [x for x in inputs if x.dtype == lib.float32]
    with lib.GradientTape() as tape:
        for x in watched:
            tape.watch(x)
        y = f(*inputs)
    found = tape.gradient(y, watched, lib.constant(dy), unconnected_gradients="zero")
    return [np.asarray(lib.convert_to_tensor(g)) for g in found]


def output_gradient(op: Op, arrays: Sequence[Array], attrs: Any, rng: np.random.Generator) -> Array:
    shape = np.asarray(op.ref(*arrays, **attrs)).shape
    return rng.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=lambda op: op.name)
def test_against_tensorflow(op: Op, rng: np.random.Generator) -> None:
    samples = float_samples(op, rng)
    assert samples
    for arrays, attrs in samples:
        dy = output_gradient(op, arrays, attrs, rng)
        ours = gradients(tfpy, lambda *xs, a=attrs: op(*xs, **a), arrays, dy)
        theirs = gradients(tf, lambda *xs, a=attrs: oracle.expected(op, xs, a), arrays, dy)
        for mine, wanted in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(
    "op", [op for op in DIFFERENTIABLE if op.name not in STEPPED], ids=lambda op: op.name
)
def test_against_finite_differences(op: Op, rng: np.random.Generator) -> None:
    """Check the derivative of <dy, y> along a random direction, in float64."""
    step = 1e-6
    for arrays, attrs in float_samples(op, rng):
        if not all(a.size for a in arrays):
            continue
        dy = output_gradient(op, arrays, attrs, rng)
        found = iter(gradients(tfpy, lambda *xs, a=attrs: op(*xs, **a), arrays, dy))
        for i, array in enumerate(arrays):
            if array.dtype != np.float32:
                continue
            direction = rng.uniform(-1, 1, array.shape)
            along = []
            for sign in (1, -1):
                moved = [a.astype(np.float64) if a.dtype == np.float32 else a for a in arrays]
                moved[i] = moved[i] + sign * step * direction
                y = op.ref(*moved, **attrs)
                y = np.where(np.isneginf(y), 0, y)  # logarithms of empty sums are constant
                along.append(float(np.sum(y * dy.astype(np.float64))))
            slope = (along[0] - along[1]) / (2 * step)
            mine = float(np.sum(next(found) * direction))
            scale = 1 + float(np.sum(np.abs(dy)))
            assert mine == pytest.approx(slope, rel=2e-3, abs=2e-4 * scale)


SECOND = [
    "matmul",
    "add",
    "multiply",
    "real_div",
    "divide_no_nan",
    "pow",
    "squared_difference",
    "atan2",
    "abs",
    "square",
    "reciprocal",
    "sqrt",
    "rsqrt",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "tanh",
    "erf",
    "sigmoid",
    "relu",
    "elu",
    "selu",
    "leaky_relu",
    "softplus",
    "maximum",
    "select",
    "reduce_sum",
    "reduce_prod",
    "reduce_max",
    "gather",
    "cumsum",
    "cumprod",
    "cumulative_logsumexp",
    "permute",
    "scatter_max",
    "scatter_update",
    "segment_sum",
    "reshape",
    "broadcast_to",
    "transpose",
    "strided_slice",
    "pad",
    "concat",
    "conv2d",
    "conv3d",
    "depthwise_conv2d",
    "avg_pool",
    "max_pool",
    "sliding_windows",
    "overlap_add",
    "resample",
]


@pytest.mark.parametrize("name", SECOND)
def test_second_order(name: str, rng: np.random.Generator) -> None:
    """Check the gradient of <v, dx>, where dx is the gradient of sum(y * y)."""
    op = OPS[name]
    for arrays, attrs in float_samples(op, rng)[:4]:
        seeds = [rng.uniform(-1, 1, a.shape).astype(np.float32) for a in arrays]
        results = [
            second(lib, lambda *xs, f=f, a=attrs: f(*xs, **a), arrays, seeds)
            for lib, f in ((tfpy, op), (tf, oracle.function(op)))
        ]
        for mine, wanted in zip(*results, strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=1e-3, atol=1e-3)


def second(lib: Any, f: Any, arrays: Sequence[Array], seeds: Sequence[Array]) -> list[Array]:
    inputs = [lib.constant(a) for a in arrays]
    watched = [x for x in inputs if x.dtype == lib.float32]
    weights = [
        lib.constant(s) for s, x in zip(seeds, inputs, strict=True) if x.dtype == lib.float32
    ]
    with lib.GradientTape() as outer:
        outer.watch(watched)
        with lib.GradientTape() as inner:
            inner.watch(watched)
            y = f(*inputs)
            loss = lib.reduce_sum(y * y)
        first = inner.gradient(loss, watched, unconnected_gradients="zero")
        total = lib.add_n([lib.reduce_sum(w * g) for w, g in zip(weights, first, strict=True)])
    found = outer.gradient(total, watched, unconnected_gradients="zero")
    return [np.asarray(lib.convert_to_tensor(g)) for g in found]
