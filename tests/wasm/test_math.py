"""Accuracy and edge cases of the elementary functions, compared with float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir import expr as ex

from .expressions import run_binary, run_expression, run_unary
from .node_runtime import Array, NodeRuntime

INF, NAN = np.inf, np.nan
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-40, -1e-40, 1e-20, 1e30, -1e30, INF, -INF, NAN]

REFERENCES: dict[str, Callable[..., Any]] = {
    "round": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": np.vectorize(math.erf, otypes=[float]),
}

# Largest error in units in the last place of the true result, if it is a normal number.
ULPS = {
    **dict.fromkeys(("floor", "ceil", "round", "sqrt"), 0.5),
    **dict.fromkeys(("exp", "log", "sin", "cos", "expm1", "tanh", "erf", "atan"), 2.5),
}
DEFAULT_ULPS = 4.0

RANGES: dict[str, tuple[tuple[float, float], ...]] = {
    "exp": ((-87, 88.7), (-1e-3, 1e-3)),
    "expm1": ((-87, 88.7), (-1, 1), (-1e-4, 1e-4)),
    "log": ((1e-38, 1e38), (0.5, 2), (0.99, 1.01)),
    "log1p": ((-0.999, 1e6), (-1e-3, 1e-3)),
    "sin": ((-1e5, 1e5), (-10, 10)),
    "cos": ((-1e5, 1e5), (-10, 10)),
    "tan": ((-1e4, 1e4), (-2, 2)),
    "asin": ((-1, 1),),
    "acos": ((-1, 1),),
    "sinh": ((-88, 88), (-1, 1)),
    "cosh": ((-88, 88), (-1, 1)),
    "acosh": ((1, 1e6), (1, 1.1)),
    "atanh": ((-0.9999, 0.9999), (-1e-2, 1e-2)),
    "sqrt": ((0, 1e38),),
    "rsqrt": ((1e-30, 1e30),),
}
DEFAULT_RANGES = ((-100.0, 100.0), (-1.0, 1.0))


def reference(op: str, *arrays: Array) -> Array:
    function = REFERENCES.get(op) or getattr(np, op)
    with np.errstate(all="ignore"):
        return np.asarray(function(*(a.astype(np.float64) for a in arrays)))


def ulp_error(got: Array, wanted: Array) -> float:
    """Return the largest error in ulps over results that are normal float32 numbers."""
    normal = (np.abs(wanted) >= 1.2e-38) & (np.abs(wanted) <= 3.4e38)
    unit = np.spacing(np.abs(wanted[normal]).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(got[normal] - wanted[normal]) / unit, initial=0.0))


@pytest.mark.parametrize("op", ex.UNARY_FLOAT)
def test_accuracy(op: str, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for low, high in RANGES.get(op, DEFAULT_RANGES):
        x = rng.uniform(low, high, 40_001).astype(np.float32)
        got = run_unary(runtime, op, x)
        assert ulp_error(got, reference(op, x)) <= ULPS.get(op, DEFAULT_ULPS), (op, low, high)


@pytest.mark.parametrize("op", ex.UNARY_FLOAT)
def test_edges(op: str, runtime: NodeRuntime) -> None:
    x = np.array([*EDGES, 88.9, 100.0, -110.0, 2.5, -2.5, 3.5], np.float32)
    if op in ("sin", "cos", "tan"):
        x = np.where(np.abs(x) == np.float32(1e30), np.float32(0.25), x)
    with np.errstate(all="ignore"):
        wanted = reference(op, x).astype(np.float32)
    got = run_unary(runtime, op, x)
    np.testing.assert_allclose(got, wanted, 1e-6, 1e-38, err_msg=f"{op}({x})")
    zero = wanted == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]))


def test_pow_edges(runtime: NodeRuntime) -> None:
    values = np.array([*EDGES, 2.0, -2.0, 3.0, -3.0, 2.5, 1e-3], np.float32)
    x, y = (a.ravel() for a in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        wanted = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    got = run_binary(runtime, "pow", x, y)
    np.testing.assert_allclose(got, wanted, 3e-7, 2e-45)


def test_pow_accuracy(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = rng.uniform(0, 20, 40_001).astype(np.float32)
    y = rng.uniform(-25, 25, 40_001).astype(np.float32)
    with np.errstate(all="ignore"):
        wanted = np.power(x.astype(np.float64), y.astype(np.float64))
    assert ulp_error(run_binary(runtime, "pow", x, y), wanted) <= 1.0


def test_atan2(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-30, -3.0], np.float32)
    edges = [a.ravel() for a in np.meshgrid(values, values)]
    np.testing.assert_allclose(
        run_binary(runtime, "atan2", *edges), np.arctan2(*edges), 3e-7, 1e-45
    )
    y, x = rng.standard_normal((2, 40_001)).astype(np.float32)
    assert ulp_error(run_binary(runtime, "atan2", y, x), reference("arctan2", y, x)) <= 4


def test_remainder(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = (rng.standard_normal(5000) * 10.0 ** rng.uniform(-3, 30, 5000)).astype(np.float32)
    y = (rng.standard_normal(5000) * 10.0 ** rng.uniform(-3, 3, 5000)).astype(np.float32)
    x[:8] = [1, -1, 5.5, -5.5, INF, 3, NAN, 0]
    y[:8] = [0, 1, 2, 2, 2, INF, 1, -3]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run_binary(runtime, "rem", x, y), np.fmod(x, y))


@pytest.mark.parametrize("op", ["min", "max"])
def test_extremes_keep_nan(op: str, runtime: NodeRuntime) -> None:
    x = np.array([NAN, 1, NAN, 2, -INF], np.float32)
    y = np.array([1, NAN, NAN, 3, INF], np.float32)
    wanted = {"min": np.minimum, "max": np.maximum}[op]
    np.testing.assert_array_equal(run_binary(runtime, op, x, y), wanted(x, y))
    for constant in (0.5, NAN):
        for swap in (False, True):
            operands = (ex.input_(0, ex.F), ex.const(constant, ex.F))
            root = ex.binary(op, *(operands[::-1] if swap else operands))
            got = run_expression(runtime, root, x)
            np.testing.assert_array_equal(got, wanted(x, np.float32(constant)))


def test_integers(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    low, high = -(2**31), 2**31 - 1
    x = rng.integers(low, high, 1003, np.int32, endpoint=True)
    y = rng.integers(-9, 9, 1003).astype(np.int32)
    x[:4], y[:4] = [low, low, 7, -7], [-1, 0, 0, 2]
    safe = np.where(y == 0, 1, y).astype(np.int64)
    quotient = np.trunc(x.astype(np.longdouble) / safe).astype(np.int64)
    remainder = x.astype(np.int64) - quotient * safe
    with np.errstate(over="ignore"):
        expected = {
            "add": x + y,
            "mul": x * y,
            "sub": x - y,
            "idiv": np.where(y == 0, 0, quotient).astype(np.int32),
            "irem": np.where(y == 0, 0, remainder).astype(np.int32),
        }
    for op, wanted in expected.items():
        np.testing.assert_array_equal(run_binary(runtime, op, x, y), wanted, op)


def test_shifts_and_bits(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**31), 2**31, 1001, np.int64).astype(np.int32)
    for shift in (np.full(1001, 5, np.int32), rng.integers(0, 32, 1001).astype(np.int32)):
        np.testing.assert_array_equal(run_binary(runtime, "shl", x, shift), x << shift)
        np.testing.assert_array_equal(run_binary(runtime, "shr", x, shift), x >> shift)
        a, b = (ex.bitcast(e, ex.U) for e in (ex.input_(0, ex.I), ex.input_(1, ex.I)))
        unsigned = ex.bitcast(ex.binary("shr", a, b), ex.I)
        wanted = (x.view(np.uint32) >> shift.view(np.uint32)).view(np.int32)
        np.testing.assert_array_equal(run_expression(runtime, unsigned, x, shift), wanted)
    a, b = ex.bitcast(ex.input_(0, ex.I), ex.U), ex.const(0xD2511F53, ex.U)
    high = ex.bitcast(ex.binary("mulhi", a, b), ex.I)
    wide = x.view(np.uint32).astype(np.uint64) * np.uint64(0xD2511F53)
    wanted = (wide >> np.uint64(32)).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(run_expression(runtime, high, x), wanted)


def test_casts_and_bools(runtime: NodeRuntime) -> None:
    x = np.array([0.0, 0.9, -0.9, 3.7, -3.7, 1e9], np.float32)
    value = ex.input_(0, ex.F)
    np.testing.assert_array_equal(
        run_expression(runtime, ex.cast(value, ex.I), x), x.astype(np.int32)
    )
    np.testing.assert_array_equal(run_expression(runtime, ex.cast(value, ex.B), x), x != 0)
    a = np.array([False, False, True, True])
    b = np.array([False, True, False, True])
    p, q = ex.input_(0, ex.B), ex.input_(1, ex.B)
    for root, wanted in (
        (p & q, a & b),
        (p | q, a | b),
        (p ^ q, a ^ b),
        (p < q, a < b),
        (p <= q, a <= b),
        (ex.eq(p, q), a == b),
        (ex.cast(p, ex.F) + ex.cast(q, ex.F), a.astype(np.float32) + b),
        (ex.cast(p, ex.I) - ex.cast(q, ex.I), a.astype(np.int32) - b),
        (ex.select(p, q, ~q), np.where(a, b, ~b)),
    ):
        got = run_expression(runtime, root, a, b)
        np.testing.assert_array_equal(got, wanted, str(root))
