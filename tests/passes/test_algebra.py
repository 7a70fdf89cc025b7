"""Algebraic simplification: rewrites, and cases that are kept because bits would change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from passes.sketch import Array, Sketch, becomes, check

from tfpy import dtypes
from tfpy._src.compiler.passes.algebra import simplify_algebra

I32, BOOL = dtypes.int32, dtypes.bool
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 1e-40, 3e38, 7.25, -6.0, 0.1],
    np.float32,
)
INTEGERS = np.array([0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 12], np.int32)
BOOLS = np.array([True, False])
VALUES = {dtypes.float32: SPECIAL, I32: INTEGERS, BOOL: BOOLS}


def one_input(dtype: Any = dtypes.float32) -> Sketch:
    return Sketch((VALUES[dtype].shape, dtype))


def names(s: Sketch, result: int, dtype: Any = dtypes.float32) -> list[str]:
    """Return the ops that remain of the equation ``result`` over one input."""
    graph = check(s.returns(result), simplify_algebra, inputs=[VALUES[dtype]])
    return [eqn.op.name for eqn in graph.eqns]


NEUTRAL = [
    ("add", -0.0, dtypes.float32),
    ("add", 0, I32),
    ("subtract", 0.0, dtypes.float32),
    ("subtract", 0, I32),
    ("multiply", 1.0, dtypes.float32),
    ("multiply", 1, I32),
    ("real_div", 1.0, dtypes.float32),
    ("pow", 1.0, dtypes.float32),
    ("pow", 1, I32),
    ("maximum", -math.inf, dtypes.float32),
    ("minimum", math.inf, dtypes.float32),
    ("logical_and", True, BOOL),
    ("logical_or", False, BOOL),
    ("logical_xor", False, BOOL),
    ("bitwise_and", -1, I32),
    ("bitwise_or", 0, I32),
    ("bitwise_xor", 0, I32),
    ("floordiv", 1, I32),
]


def number(value: Any, dtype: Any) -> Array:
    return np.array(value, dtype.as_numpy_dtype)


@pytest.mark.parametrize(("op", "value", "dtype"), NEUTRAL)
def test_neutral_operands(op: str, value: Any, dtype: Any) -> None:
    s = one_input(dtype)
    assert names(s, s(op, 0, number(value, dtype)), dtype) == []
    s = one_input(dtype)
    assert (
        names(s, s(op, 0, np.full(VALUES[dtype].shape, value, number(value, dtype).dtype)), dtype)
        == []
    )
    if op not in ("subtract", "real_div", "pow", "floordiv"):
        s = one_input(dtype)
        assert names(s, s(op, number(value, dtype), 0), dtype) == []


@pytest.mark.parametrize(
    ("op", "value"),
    [
        ("add", 0.0),
        ("subtract", -0.0),
        ("multiply", 0.0),
        ("floordiv", 1.0),
        ("pow", 0.5),
        ("pow", 3.0),
        ("real_div", 3.0),
        ("real_div", 2.0**-127),
        ("maximum", 0.0),
    ],
)
def test_what_would_change_bits_stays(op: str, value: float) -> None:
    s = one_input()
    assert names(s, s(op, 0, value)) == [op]


def test_a_neutral_operand_may_broadcast() -> None:
    s = Sketch((1, 3))
    graph = s.returns(s("multiply", 0, np.ones((2, 3), np.float32)))
    becomes(
        graph,
        simplify_algebra,
        "%1:float32[2,3] = broadcast_to(%0) shape=(2, 3)",
        "return %1",
    )


@pytest.mark.parametrize(
    ("op", "value", "dtype"),
    [("multiply", 0, I32), ("logical_and", False, BOOL), ("logical_or", True, BOOL)],
)
def test_absorbing_operands(op: str, value: Any, dtype: Any) -> None:
    for flip in (False, True):
        s = one_input(dtype)
        pair = (0, number(value, dtype))
        assert names(s, s(op, *(pair[::-1] if flip else pair)), dtype) == ["broadcast_to"]


@pytest.mark.parametrize(
    ("op", "dtype"),
    [("negative", dtypes.float32), ("negative", I32), ("logical_not", BOOL), ("invert", I32)],
)
def test_involutions(op: str, dtype: Any) -> None:
    s = one_input(dtype)
    assert names(s, s(op, s(op, 0)), dtype) == []
    s = one_input(dtype)
    assert names(s, s(op, s(op, s(op, 0))), dtype) == [op]


@pytest.mark.parametrize("op", ["abs", "relu", "relu6", "floor", "ceil", "round", "sign"])
def test_idempotent_ops(op: str) -> None:
    s = one_input()
    assert names(s, s(op, s(op, 0))) == [op]


@pytest.mark.parametrize(
    ("outer", "inner", "left"),
    [
        ("relu6", "relu", ["relu", "relu6"]),  # max(-0.0, 0) may have either sign
        ("abs", "negative", ["abs"]),
        ("square", "negative", ["square"]),
        ("square", "abs", ["square"]),
        ("relu", "abs", ["abs", "relu"]),
        ("negative", "abs", ["abs", "negative"]),
    ],
)
def test_pairs(outer: str, inner: str, left: list[str]) -> None:
    s = one_input()
    assert names(s, s(outer, s(inner, 0))) == left


def test_equal_operands() -> None:
    for op, left in (("maximum", []), ("minimum", []), ("subtract", ["subtract"])):
        s = one_input()
        assert names(s, s(op, 0, 0)) == left


@pytest.mark.parametrize(
    ("op", "negated", "left"),
    [
        ("add", (1,), "%2:float32[3] = subtract(%0, %1)"),
        ("add", (0,), "%2:float32[3] = subtract(%1, %0)"),
        ("subtract", (1,), "%2:float32[3] = add(%0, %1)"),
        ("multiply", (0, 1), "%2:float32[3] = multiply(%0, %1)"),
    ],
)
def test_signs(op: str, negated: tuple[int, ...], left: str) -> None:
    s = Sketch((3,), (3,))
    operands = [s("negative", v) if v in negated else v for v in (0, 1)]
    becomes(s.returns(s(op, *operands)), simplify_algebra, left, "return %2")


@pytest.mark.parametrize(
    ("op", "value", "dtype"),
    [
        ("subtract", -0.0, dtypes.float32),
        ("subtract", 0, I32),
        ("multiply", -1.0, dtypes.float32),
        ("multiply", -1, I32),
    ],
)
def test_negation(op: str, value: Any, dtype: Any) -> None:
    s = one_input(dtype)
    assert names(s, s(op, number(value, dtype), 0), dtype) == ["negative"]


def test_zero_minus_x_is_not_negation() -> None:
    s = one_input()
    assert names(s, s("subtract", 0.0, 0)) == ["subtract"]


@pytest.mark.parametrize(
    ("op", "value", "dtype", "left"),
    [
        ("real_div", 8.0, dtypes.float32, "multiply"),
        ("real_div", -0.25, dtypes.float32, "multiply"),
        ("pow", 2.0, dtypes.float32, "square"),
        ("pow", 2, I32, "square"),
        ("pow", -1.0, dtypes.float32, "reciprocal"),
        ("floormod", 8, I32, "bitwise_and"),
    ],
)
def test_strength(op: str, value: Any, dtype: Any, left: str) -> None:
    s = one_input(dtype)
    assert names(s, s(op, 0, number(value, dtype)), dtype) == [left]


def test_division_by_a_vector_of_powers_of_two() -> None:
    s = Sketch((2, 3))
    graph = s.returns(s("real_div", 0, np.array([2, 0.5, -4], np.float32)))
    result = check(graph, simplify_algebra)
    assert [eqn.op.name for eqn in result.eqns] == ["multiply"]
    s = Sketch((2, 3))
    graph = s.returns(s("real_div", 0, np.array([2, 3, 4], np.float32)))
    assert [eqn.op.name for eqn in check(graph, simplify_algebra).eqns] == ["real_div"]


@pytest.mark.parametrize("divisor", [6, 0, -8])
def test_other_remainders_stay(divisor: int) -> None:
    s = Sketch(((3,), I32))
    graph = s.returns(s("floormod", 0, np.int32(divisor)))
    assert [eqn.op.name for eqn in simplify_algebra(graph).eqns] == ["floormod"]


def test_choices() -> None:
    s = Sketch((3,), (3,), ((3,), BOOL))
    known = [s("select", np.array(c), 0, 1) for c in (True, False)]
    same = s("select", 2, 1, 1)
    negated = s("select", s("logical_not", 2), 0, 1)
    becomes(
        s.returns(*known, same, negated),
        simplify_algebra,
        "%3:float32[3] = select(%2, %1, %0)",
        "return %0, %1, %1, %3",
    )


def test_not_equal() -> None:
    s = Sketch((12,), (12,))
    graph = s.returns(
        s("logical_not", s("equal", 0, 1)),
        s("logical_not", s("not_equal", 0, 1)),
        s("logical_not", s("less", 0, 1)),
    )
    becomes(
        graph,
        simplify_algebra,
        "%2:bool[12] = not_equal(%0, %1)",
        "%3:bool[12] = equal(%0, %1)",
        "%4:bool[12] = less(%0, %1)",
        "%5:bool[12] = logical_not(%4)",
        "return %2, %3, %5",
    )


def test_casts() -> None:
    s = one_input(BOOL)
    widened = s("cast", s("cast", 0, dtype=I32), dtype=dtypes.float32)
    assert names(s, widened, BOOL) == ["cast"]
    s = one_input(BOOL)
    assert names(s, s("cast", s("cast", 0, dtype=I32), dtype=BOOL), BOOL) == []
    s = one_input(I32)
    assert names(s, s("cast", 0, dtype=I32), I32) == []
    s = Sketch(((3,), I32))
    rounded = s("cast", s("cast", 0, dtype=dtypes.float32), dtype=I32)
    assert [eqn.op.name for eqn in check(s.returns(rounded), simplify_algebra).eqns] == ["cast"] * 2


def test_complex_parts() -> None:
    s = Sketch((3,), (3,))
    z = s("complex", 0, 1)
    becomes(s.returns(s("real", z), s("imag", z)), simplify_algebra, "return %0, %1")


def test_broadcasts_are_left_to_elementwise_ops() -> None:
    s = Sketch((4, 3), (3,))
    graph = s.returns(
        s("add", 0, s("broadcast_to", 1, shape=(4, 3))),
        s("subtract", s("broadcast_to", 1, shape=(4, 3)), 1),
    )
    becomes(
        graph,
        simplify_algebra,
        "%2:float32[4,3] = add(%0, %1)",
        "%3:float32[4,3] = broadcast_to(%1) shape=(4, 3)",
        "%4:float32[4,3] = subtract(%3, %1)",
        "return %2, %4",
    )


def test_fewer_elements_are_computed_before_they_are_broadcast() -> None:
    s = Sketch((3,), (4, 1), (4, 3))
    x, y = (s("broadcast_to", v, shape=(2, 4, 3)) for v in (0, 1))
    graph = s.returns(s("exp", x), s("add", s("multiply", y, 0.5), x), s("add", x, 2))
    becomes(
        graph,
        simplify_algebra,
        "%4:float32[2,4,3] = broadcast_to(%0) shape=(2, 4, 3)",
        "%5:float32[3] = exp(%0)",
        "%6:float32[2,4,3] = broadcast_to(%5) shape=(2, 4, 3)",
        "%7:float32[4,1] = multiply(%1, %3)",
        "%8:float32[4,3] = add(%7, %0)",
        "%9:float32[2,4,3] = broadcast_to(%8) shape=(2, 4, 3)",
        "%10:float32[2,4,3] = add(%4, %2)",
        "return %6, %9, %10",
    )


def test_equal_elements_are_one_number() -> None:
    s = Sketch((4, 3))
    graph = s.returns(s("add", 0, np.full((4, 3), 0.5, np.float32)))
    result = check(graph, simplify_algebra)
    (constant,) = result.constants.values()
    assert constant.shape == ()
    assert constant == 0.5
    s = Sketch((4, 3))
    signs = np.array([0.0, -0.0, 0.0], np.float32)
    result = check(s.returns(s("add", 0, signs)), simplify_algebra)
    (constant,) = result.constants.values()
    assert constant.shape == (3,)
