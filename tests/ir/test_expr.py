"""Scalar expressions: typing, sharing, order."""

from __future__ import annotations

import math

import pytest

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.expr import linearize


def test_operands_come_first_and_once() -> None:
    x = ex.input_(0, ex.F)
    y = ex.unary("exp", x) + 1.0
    lines, roots = linearize(y * y, ex.unary("exp", x))
    assert [line.op for line in lines] == ["input", "exp", "const", "add", "mul"]
    assert roots == [4, 1]
    assert lines[4].args == (3, 3)
    assert all(arg < i for i, line in enumerate(lines) for arg in line.args)


def test_equal_expressions_built_apart_are_shared() -> None:
    def build() -> ex.Expr:
        return ex.maximum(ex.input_(0, ex.I) * 2, 0)

    lines, roots = linearize(build(), build())
    assert roots[0] == roots[1]
    assert len(lines) == 5


def test_constants_are_told_apart() -> None:
    constants = [
        ex.const(0.0, ex.F),
        ex.const(-0.0, ex.F),
        ex.const(0, ex.I),
        ex.const(False, ex.B),
        ex.const(1, ex.I),
        ex.const(True, ex.B),
        ex.const(math.nan, ex.F),
    ]
    lines, roots = linearize(*constants)
    assert len(lines) == len(constants)
    assert len(set(roots)) == len(constants)


def test_nan_constants_are_shared_in_a_tape() -> None:
    lines, roots = linearize(ex.const(math.nan, ex.F), ex.const(math.nan, ex.F))
    assert len(lines) == 1
    assert roots == [0, 0]


def test_deep_sharing_stays_small() -> None:
    x = ex.input_(0, ex.F)
    for _ in range(300):
        x = x + x
    lines, _ = linearize(x)
    assert len(lines) == 301


def test_python_numbers_take_the_other_type() -> None:
    n = ex.input_(0, ex.I)
    assert repr((n + 1).args[1]) == repr(ex.const(1, ex.I))
    assert (1 - n).args[0].dtype == ex.I
    assert (ex.input_(0, ex.F) * 2).args[1].value == 2.0
    assert isinstance((ex.input_(0, ex.F) * 2).args[1].value, float)


def test_comparisons_are_bool() -> None:
    x = ex.input_(0, ex.F)
    for e in (x < 1, x <= 1, x > 1, x >= 1, ex.eq(x, 1), ex.ne(x, 1), ex.isnan(x)):
        assert e.dtype == ex.B
    assert (x > 1).op == "lt"
    assert ((x > 1) & ~(x < 0)).dtype == ex.B


def test_types_must_agree() -> None:
    with pytest.raises(TypeError, match=r"add.*float32.*int32"):
        ex.input_(0, ex.F) + ex.input_(1, ex.I)
    with pytest.raises(TypeError, match=r"select.*int32.*bool"):
        ex.select(ex.const(True, ex.B), ex.input_(0, ex.I), ex.input_(1, ex.B))


def test_casts() -> None:
    x = ex.input_(0, ex.F)
    assert ex.cast(x, ex.F) is x
    assert ex.cast(x, ex.B).op == "ne"
    assert repr(ex.cast(x, ex.I)) == repr(ex.Expr("cast", ex.I, (x,)))
    assert ex.bitcast(x, ex.F) is x
    assert ex.bitcast(x, ex.U).op == "bitcast"
