"""Functions that are converted, and the properties that converted functions keep."""

from __future__ import annotations

import functools
import json
import types
from typing import Any

import keras
import numpy as np
import opt_einsum
import pytest

import tfpy as tf
from tfpy._src.functions.autograph.api import call, converted


def test_python_values_run_as_python() -> None:
    def program(n: int) -> list[int]:
        out = []
        for i in range(n):
            if i == 3 or i == 5:
                continue
            if i > 7:
                break
            out.append(i if i % 2 else -i)
        else:
            return []
        while True:
            out.append(100)
            if len(out) > 8:
                return out

    assert isinstance(program, types.FunctionType)
    for n in (0, 4, 20):
        if n <= 8:
            assert converted(program)(n) == program(n) == []
        else:
            assert converted(program)(n) == program(n)


def test_the_function_keeps_its_names_defaults_and_closure() -> None:
    count = 0

    def program(a: int, b: int = 2, *rest: int, c: int = 3, **more: int) -> Any:
        """A docstring."""
        nonlocal count
        if a > 0:
            count += b
        return a, b, rest, c, more

    made = converted(program)
    assert made(1, 5, 6, c=7, d=8) == (1, 5, (6,), 7, {"d": 8})
    assert count == 5
    assert made(0) == (0, 2, (), 3, {})
    assert (made.__name__, made.__doc__) == ("program", "A docstring.")
    assert made.__code__.co_filename == __file__


def test_undefined_names_are_errors_where_they_are_read() -> None:
    def program(flag: bool) -> Any:
        if flag:
            y = 1
        return y

    made = converted(program)
    assert made(True) == 1
    with pytest.raises(UnboundLocalError, match="'y'"):
        made(False)


def test_deleted_names_are_undefined() -> None:
    def program(flag: bool) -> Any:
        y = 1
        if flag:
            del y
        return y

    made = converted(program)
    assert made(False) == 1
    with pytest.raises(UnboundLocalError, match="'y'"):
        made(True)


def test_generators_and_functions_without_source_stay_as_they_are() -> None:
    def numbers() -> Any:
        yield 1

    assert converted(numbers) is numbers
    namespace: dict[str, Any] = {}
    exec("def f(x):\n    return -x if x < 0 else x", namespace)
    assert converted(namespace["f"]) is namespace["f"]


def test_two_lambdas_of_one_line() -> None:
    f, g = (lambda x: x * 2 if x > 0 else x), (lambda x: x * 3 if x > 0 else x)
    compiled = tf.function(lambda x: f(x) + g(x))
    assert compiled(tf.constant(1.0)).numpy() == 5
    assert compiled(tf.constant(-1.0)).numpy() == -2


def test_partials_methods_and_callable_objects_are_converted() -> None:
    class Scale:
        def __call__(self, x: Any, by: float) -> Any:
            if x > 0:
                return x * by
            return x

    by_two = functools.partial(Scale(), by=2.0)
    compiled = tf.function(lambda x: by_two(x))
    assert [compiled(tf.constant(v)).numpy() for v in (3.0, -3.0)] == [6, -3]


def test_decorated_methods() -> None:
    class Model:
        def __init__(self) -> None:
            self.weight = tf.Variable(2.0)

        @tf.function
        def call(self, x: Any) -> Any:
            if x > self.weight:
                self.weight.assign_add(1.0)
                return x * self.weight
            return x

    model = Model()
    assert model.call(tf.constant(1.0)).numpy() == 1
    assert model.call(tf.constant(3.0)).numpy() == 9
    assert model.weight.numpy() == 3


def test_marked_functions_are_not_converted_but_run() -> None:
    @tf.autograph.experimental.do_not_convert
    def helper(x: Any) -> Any:
        return tf.cond(x > 0, lambda: x, lambda: -x)

    compiled = tf.function(lambda x: helper(x) if x > -5 else x)
    assert [compiled(tf.constant(v)).numpy() for v in (2.0, -2.0, -9.0)] == [2, 2, -9]


def test_to_code_and_to_graph() -> None:
    def program(x: Any) -> Any:
        if x > 0:
            x = x * 2
        return x

    assert "ag__.if_stmt(x > 0" in tf.autograph.to_code(program).replace("ag__.load(x)", "x")
    assert tf.autograph.to_graph(program)(tf.constant(2.0)).numpy() == 4


def test_assert_holds_when_the_function_runs() -> None:
    @tf.function
    def program(x: Any) -> Any:
        assert x > 0, "x must be positive"
        return x * 2

    assert program(tf.constant(2.0)).numpy() == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be positive"):
        program(tf.constant(-2.0))


def test_break_in_a_python_loop_on_a_tensor() -> None:
    @tf.function
    def program(x: Any) -> Any:
        for factor in (1.0, 2.0, 3.0, 4.0):
            if x > 5:
                break
            x = x * factor
        return x

    def plain(x: float) -> float:
        for factor in (1.0, 2.0, 3.0, 4.0):
            if x > 5:
                break
            x = x * factor
        return x

    for x in (0.1, 1.0, 6.0):
        np.testing.assert_allclose(program(tf.constant(x)), plain(x), rtol=1e-6)


def test_installed_libraries_are_converted() -> None:
    """Check that functions of a library are converted, except for those of excluded packages."""
    assert call(opt_einsum.helpers.compute_size_by_dict) is not (
        opt_einsum.helpers.compute_size_by_dict
    )
    for function in (np.pad, json.dumps, tf.constant, keras.utils.to_categorical):
        assert call(function) is function
