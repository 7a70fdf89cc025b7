"""Eager control flow: tf.cond, tf.while_loop, tf.switch_case, tf.case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import error, same
from api.twin import check

import tfpy

X = np.array([1.0, -2.0, 3.0], np.float32)


@same
def test_cond_gives_what_the_branch_gives(lib: Any) -> Any:
    c = lib.constant
    return [
        lib.cond(c(True), lambda: [c(1)], lambda: [c(2)]),
        lib.cond(c(False), lambda: {"a": c(1)}, lambda: {"a": c(2)}),
        lib.cond(True, lambda: 3, lambda: c(2)),
        lib.cond(c(3), lambda: 3, lambda: 2),
    ]


@same
def test_while_loop_keeps_the_structure(lib: Any) -> Any:
    c = lib.constant
    return [
        lib.while_loop(lambda i: i < 3, lambda i: [i + 1], [c(0)]),
        lib.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j * 2), (c(0), c(1))),
        lib.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1, j * 2], (c(0), c(1))),
        lib.while_loop(
            lambda i, d: i < 3,
            lambda i, d: (i + 1, {"a": d["a"] * 2, "b": d["b"]}),
            (c(0), {"a": c(1), "b": [c(2)]}),
        ),
        lib.while_loop(lambda i: i < 30, lambda i: [i + 1], [c(0)], maximum_iterations=4),
        lib.while_loop(
            lambda i, x: i < 3, lambda i, x: [i + 1, lib.concat([x, x], 0)], [c(0), c([1])]
        ),
        lib.while_loop(lambda i: i < 3, lambda i: [lib.cast(i, lib.float32) + 1], [c(0)]),
    ]


@same
def test_switch_case(lib: Any) -> Any:
    c = lib.constant
    two = [lambda: c(1), lambda: c(2)]
    return [
        [lib.switch_case(c(i), two) for i in (-1, 0, 1, 7)],
        lib.switch_case(c(9), dict(enumerate(two)), default=lambda: c(-1)),
        lib.switch_case(c(1), list(enumerate(two))),
    ]


@same
def test_case(lib: Any) -> Any:
    c = lib.constant
    no, yes = (c(False), lambda: c(1)), (c(True), lambda: c(2))
    return [
        lib.case([no, yes], default=lambda: c(3)),
        lib.case([no, yes]),
        lib.case([yes, (c(True), lambda: c(4))]),
        lib.case([no, no], default=lambda: c(5), exclusive=True),
    ]


def _errors(lib: Any) -> list[str]:
    c = lib.constant
    one = [lambda: c(1)]
    calls = [
        lambda: lib.cond(c(True), 3, lambda: 2),
        lambda: lib.cond(c([True, False]), lambda: 3, lambda: 2),
        lambda: lib.while_loop(lambda i: i < 3, lambda i: i, c(0)),
        lambda: lib.while_loop(lambda i: i < 3, lambda i: i, []),
        lambda: lib.while_loop(3, lambda i: i, [c(0)]),
        lambda: lib.while_loop(lambda i, j: i < 3, lambda i, j: [i], [c(0), c(1)]),
        lambda: lib.switch_case(1, one),
        lambda: lib.switch_case(c(1.0), one),
        lambda: lib.switch_case(c(1), []),
        lambda: lib.switch_case(c(1), [1, 2]),
        lambda: lib.switch_case(c(1), {0: one[0], 3: one[0]}),
        lambda: lib.case([(c(False), one[0])]),
        lambda: lib.case([c(True)]),
        lambda: lib.case([(True, one[0])]),
        lambda: lib.case({c(True).ref(): one[0]}),
    ]
    return [error(call) for call in calls]


def test_errors() -> None:
    assert _errors(tfpy) == _errors(tf)


def test_gradients_flow_through_the_branch_and_the_iterations() -> None:
    def program(lib: Any, x: Any) -> Any:
        y = lib.cond(lib.reduce_sum(x) > 0, lambda: x * x, lambda: -x)
        _, z = lib.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * x), (0, y))
        return z

    check(program, X, grads=True)


@pytest.mark.parametrize("value", [0, 5])
def test_collatz(value: int) -> None:
    def program(lib: Any, n: Any) -> Any:
        return lib.while_loop(
            lambda i, _: i > 1,
            lambda i, k: (lib.cond(i % 2 == 0, lambda: i // 2, lambda: 3 * i + 1), k + 1),
            (n, lib.constant(0)),
        )

    check(program, np.int32(value))
