"""Gradients of functions and raw gradient operations at edge operands, against TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from ops.edge_gradients import COMPOSED, EDGES, EXCEPTIONS, SUBNORMAL, UPSTREAM, Case, cases

import tfpy

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_as_in_tensorflow(case: Case, compiled: bool) -> None:
    for upstream in UPSTREAM:
        ours = case.gradients(tfpy, upstream) if not compiled else _compiled(case, upstream)
        text = case.differences(ours, case.gradients(tf, upstream))
        assert not text, f"upstream {upstream}: {text}"


def _compiled(case: Case, upstream: float) -> list[Any]:
    @tfpy.function
    def gradients(*inputs: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch(inputs)
            y = case.call(tfpy, *inputs)
        given = tfpy.fill(y.shape, tfpy.constant(upstream))
        return tape.gradient(y, list(inputs), given, unconnected_gradients="zero")

    return [np.asarray(g) for g in gradients(*map(tfpy.constant, case.operands))]


def test_tables_name_cases() -> None:
    names = [case.name for case in CASES]
    assert {*EXCEPTIONS, *COMPOSED} <= set(names)


@pytest.mark.parametrize("case", [c for c in CASES if c.arity == 1], ids=str)
def test_subnormal_operands_are_masked(case: Case) -> None:
    """Check that gradients are not NaN if upstream is 0.

    Exceptions are NaN in TensorFlow, and poles where TensorFlow has 0.
    """
    if case.name in ("reciprocal_no_nan", "power -1"):
        return  # the result is infinite in tfpy, so NaN; in TensorFlow it is 0
    at = (np.array(SUBNORMAL, np.float32),)
    (mine,) = case.gradients(tfpy, 0.0, at)
    (other,) = case.gradients(tf, 0.0, at)
    assert not np.any(np.isnan(mine) & ~np.isnan(other)), mine


RAW = {
    "EluGrad": ("outputs", "gradients"),
    "IgammaGradA": ("a", "x"),
    "InvGrad": ("y", "dy"),
    "LeakyReluGrad": ("features", "gradients"),
    "ReciprocalGrad": ("y", "dy"),
    "RsqrtGrad": ("y", "dy"),
    "SeluGrad": ("outputs", "gradients"),
    "SigmoidGrad": ("y", "dy"),
    "SoftplusGrad": ("features", "gradients"),
    "SoftsignGrad": ("features", "gradients"),
    "SqrtGrad": ("y", "dy"),
    "TanhGrad": ("y", "dy"),
}
"""Operations with the names of their two operands.

ReluGrad of infinity is excluded, because TensorFlow multiplies it by 0.
"""


@pytest.mark.parametrize("name", RAW)
def test_raw_gradients(name: str) -> None:
    """Test arrays and lists."""
    first, second = (np.ravel(m) for m in np.meshgrid(*[np.array(EDGES, np.float32)] * 2))
    if name == "IgammaGradA":
        keep = ~EXCEPTIONS["igamma"][1](first, second)
    else:
        keep = (np.abs(second) < 2) | np.isnan(second)  # overflow depends on the order
    operands = dict(zip(RAW[name], (first[keep], second[keep]), strict=True))
    mine, other = (getattr(lib.raw_ops, name)(**operands).numpy() for lib in (tfpy, tf))
    np.testing.assert_allclose(mine, other, 1e-4, 1e-37)
    lists = {key: [0.5, 2.0] for key in RAW[name]}
    mine, other = (getattr(lib.raw_ops, name)(**lists).numpy() for lib in (tfpy, tf))
    np.testing.assert_allclose(mine, other, 1e-5)


COMPLEX = [1 - 2j, 2j, -3.0 + 0.5j, 0.25, -2.0, 0.0]


@pytest.mark.parametrize("name", [name for name, names in RAW.items() if "dy" in names])
def test_raw_gradients_of_complex_numbers(name: str) -> None:
    """Compare raw gradients and their gradients with complex numbers.

    Some of them use the conjugate of y.
    """
    results = []
    y = np.repeat(np.array(COMPLEX, np.complex64), 3)
    dy = np.tile(np.array([1j, 1 + 1j, 0], np.complex64), len(COMPLEX))
    for lib in (tfpy, tf):
        operands = [lib.constant(y), lib.constant(dy)]
        with lib.GradientTape() as tape:
            tape.watch(operands)
            z = getattr(lib.raw_ops, name)(y=operands[0], dy=operands[1])
            loss = lib.math.real(z * (1 - 0.5j)) + lib.math.imag(z)
        results.append([z, *tape.gradient(loss, operands)])
    for mine, other in zip(*results, strict=True):
        near = np.isclose(mine, other, 1e-4, 1e-6) | ~np.isfinite(np.asarray(other))
        assert near.all(), (mine, other)


HOLOMORPHIC = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log"),
    *("log1p", "reciprocal", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "square", "tan", "tanh"),
)


@pytest.mark.parametrize("name", [*HOLOMORPHIC, "abs", "angle", "sign"])
def test_gradients_of_complex_numbers(name: str) -> None:
    """Test the axes and branch cuts, where the sign of a 0 selects a side."""
    parts = [0.0, 1.0, -1.0, 0.5, 2.0, -3.0]
    z = np.array([complex(a, b) for a in parts for b in parts], np.complex64)
    for upstream in (0, 1, 1j):
        results = []
        for lib in (tfpy, tf):
            x = lib.constant(z)
            with lib.GradientTape() as tape:
                tape.watch(x)
                y = getattr(lib.math, name)(x)
            given = lib.fill(y.shape, lib.cast(lib.constant(upstream, lib.complex64), y.dtype))
            results.append(np.asarray(tape.gradient(y, x, given)))
        mine, other = results
        nan = np.isnan(mine) & np.isnan(other)
        infinite = np.isinf(mine) & np.isinf(other)
        assert (np.isclose(mine, other, 1e-4, 1e-5) | nan | infinite).all(), (upstream, mine, other)


def test_slopes_where_upstream_is_zero() -> None:
    """Check that a gradient that is 0 still depends on upstream.

    Its derivative by upstream is the slope.
    """
    for name in ("sqrt", "rsqrt", "reciprocal"):
        slopes = []
        for lib in (tfpy, tf):
            x, upstream = lib.constant([4.0, 0.25]), lib.zeros([2])
            with lib.GradientTape() as outer:
                outer.watch(upstream)
                with lib.GradientTape() as inner:
                    inner.watch(x)
                    y = getattr(lib.math, name)(x)
                dx = inner.gradient(y, x, upstream)
            slopes.append(outer.gradient(dx, upstream, lib.ones([2])).numpy())
        np.testing.assert_allclose(*slopes, 1e-6)
