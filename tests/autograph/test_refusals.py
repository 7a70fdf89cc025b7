"""Programs that TensorFlow rejects raise the same error class with a similar message."""

# ruff: noqa: SIM108 - the programs are wrong on purpose

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy


def undefined_in_one_branch(lib, x):
    if x > 0:
        y = x
    return y


def dtypes_of_branches(lib, x):
    if x > 0:
        y = x
    else:
        y = 1
    return y


def structures_of_branches(lib, x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y


def return_in_one_branch(lib, x):
    if x > 0:
        return x


def shape_in_loop(lib, x):
    y = lib.reshape(x, [1])
    for _ in lib.range(3):
        y = lib.concat([y, y], 0)
    return y


def dtype_in_loop(lib, x):
    for i in lib.range(3):
        x = lib.cast(i, lib.int32)
    return x


def dtype_in_while(lib, x):
    n = 0
    while x < 10:
        x = x + 1
        n = x * 2
    return n


def read_before_definition(lib, x):
    for _ in lib.range(3):
        z = z + x  # noqa: F821
    return z


def cond_structures(lib, x):
    return lib.cond(x > 0, lambda: x, lambda: 1)


def while_dtype(lib, x):
    return lib.while_loop(lambda i: i < 3.0, lambda i: [lib.cast(i, lib.int32)], [x])


def while_shape(lib, x):
    y = lib.reshape(x, [1])
    more = lambda v: lib.reduce_sum(v) < 3.0  # noqa: E731
    return lib.while_loop(more, lambda v: [lib.concat([v, v], 0)], [y])


def vector_condition(lib, x):
    if lib.stack([x, x]) > 0:
        return x
    return -x


def scalar_iteration(lib, x):
    for v in x:
        x = v
    return x


CASES: list[tuple[Callable[..., Any], str]] = [
    (undefined_in_one_branch, "'y' must also be initialized in the else branch"),
    (dtypes_of_branches, "'y' has dtype float32 in the main branch, but dtype int32 in the else"),
    (structures_of_branches, "'y' must have the same nested structure"),
    (return_in_one_branch, "return"),
    (shape_in_loop, r"'y' has shape \(1,\) before the loop, but shape \(2,\) after one iteration"),
    (dtype_in_loop, "'x' has dtype float32 before the loop, but dtype int32 after one iteration"),
    (dtype_in_while, "'n' has dtype int32 before the loop, but dtype float32 after one iteration"),
    (read_before_definition, "must be defined before the loop"),
    (cond_structures, "must have the same number, type, and overall structure of return values"),
    (while_dtype, "enters the loop"),
    (while_shape, "enters the loop"),
    (scalar_iteration, "terat|scalar"),
]


@pytest.mark.parametrize(("function", "text"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_refused_alike(function: Callable[..., Any], text: str) -> None:
    x = np.float32(1.0)
    with pytest.raises(Exception, match=text) as theirs:
        tf.function(function)(tf, tf.constant(x))
    with pytest.raises(Exception, match=text) as ours:
        tfpy.function(function)(tfpy, tfpy.constant(x))
    assert ours.type.__name__ == theirs.type.__name__


def test_a_vector_is_no_condition() -> None:
    with pytest.raises(ValueError, match="scalar"):
        tfpy.function(vector_condition)(tfpy, tfpy.constant(1.0))


def test_without_autograph_the_error_names_line_and_mend() -> None:
    def program(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    for compiled in (
        tfpy.function(program, autograph=False),
        tfpy.function(tfpy.autograph.experimental.do_not_convert(program)),
    ):
        with pytest.raises(tfpy.errors.OperatorNotAllowedInGraphError) as raised:
            compiled(tfpy.constant(1.0))
        message = str(raised.value)
        assert "tf.cond" in message
        line = program.__code__.co_firstlineno + 1
        assert f"test_refusals.py:{line}: if x > 0:" in message


def test_tracebacks_show_the_users_line() -> None:
    def program(x: Any) -> Any:
        y = x
        while y < 10:
            if y > 3:
                y = y + tfpy.ones([2, 3]) @ tfpy.ones([2, 3])
            y = y * 2
        return y

    with pytest.raises(ValueError, match="matmul") as raised:
        tfpy.function(program)(tfpy.constant(1.0))
    frames = traceback.extract_tb(raised.tb)
    wrong = [f for f in frames if f.filename == __file__ and "ones([2, 3])" in (f.line or "")]
    assert wrong[-1].lineno == program.__code__.co_firstlineno + 4


def test_a_tensor_of_a_branch_is_not_visible_outside() -> None:
    kept: list[Any] = []

    def program(x: Any) -> Any:
        if x > 0:
            kept.append(x * 2)
        return kept[0] + 1

    with pytest.raises(TypeError, match="out of scope"):
        tfpy.function(program)(tfpy.constant(1.0))
