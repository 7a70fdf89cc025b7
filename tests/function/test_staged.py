"""Control flow in compiled functions: Variables, random numbers, effects, derivatives."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from api.same import same

import tfpy
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.verify import verify


@same
def test_variables_in_branches_and_loops(lib: Any) -> Any:
    v, w = lib.Variable(1.0), lib.Variable([1.0, 2.0])

    @lib.function
    def program(x: Any) -> Any:
        if x > 0:
            v.assign_add(x)
        else:
            w.assign_sub([1.0, 1.0])
        for _ in lib.range(3):
            w.assign(w * v)
        i = lib.constant(0)
        while lib.reduce_sum(w) < 100.0 and i < 5:
            w.assign_add([3.0, 3.0])
            i += 1
        return v + 1, w * 2, i

    out = [program(lib.constant(x)) for x in (2.0, -1.0)]
    return out, v, w


@same
def test_variables_are_differentiated_through_control_flow(lib: Any) -> Any:
    v = lib.Variable(3.0)

    @lib.function
    def inside(x: Any) -> Any:
        with lib.GradientTape() as tape:
            y = x
            for _ in lib.range(3):
                y = y * v if y > 2 else y + v * v
        return tape.gradient(y, v)

    with lib.GradientTape() as tape:
        y = lib.cond(lib.constant(True), lambda: v * v, lambda: v)
    return inside(lib.constant(1.0)), inside(lib.constant(5.0)), tape.gradient(y, v)


@same
def test_second_derivatives(lib: Any) -> Any:
    @lib.function
    def power(x: Any, n: Any) -> Any:
        y = lib.ones_like(x)
        for _ in lib.range(n):
            y = y * x
        return y

    x = lib.constant([2.0, 3.0])
    with lib.GradientTape() as outer:
        outer.watch(x)
        with lib.GradientTape() as inner:
            inner.watch(x)
            y = power(x, lib.constant(4))
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@same
def test_gradients_of_a_recurrent_network(lib: Any) -> Any:
    rng = np.random.default_rng(0)
    w = lib.Variable(rng.normal(0, 0.5, [3, 3]).astype(np.float32))
    b = lib.Variable(np.zeros(3, np.float32))
    x = lib.constant(rng.normal(0, 1, [4, 2, 3]).astype(np.float32))

    @lib.function
    def step() -> Any:
        with lib.GradientTape() as tape:
            states = lib.TensorArray(lib.float32, size=4)
            h = lib.zeros([2, 3])
            for t in lib.range(4):
                h = lib.tanh(lib.matmul(h, w) + x[t] + b)
                states = states.write(t, h)
            loss = lib.reduce_sum(states.stack() ** 2)
        return loss, tape.gradient(loss, [w, b])

    return step()


@same
def test_gradients_reach_captured_constants(lib: Any) -> Any:
    x = lib.constant(3.0)

    @lib.function
    def program(flag: Any) -> Any:
        return lib.cond(flag, lambda: x * x, lambda: x)

    out = []
    for flag in (True, False):
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = program(lib.constant(flag))
        out.append(tape.gradient(y, x))
    return out


def test_random_numbers_differ_between_iterations_and_calls() -> None:
    @tfpy.function
    def program(n: Any) -> Any:
        numbers = tfpy.TensorArray(tfpy.float32, size=6)
        for i in tfpy.range(n):
            numbers = numbers.write(i, tfpy.random.uniform([]))
        return numbers.stack()

    first, second = (program(tfpy.constant(6)).numpy() for _ in range(2))
    assert len({*first.tolist(), *second.tolist()}) == 12


def test_gradients_see_the_random_numbers_of_the_forward_pass() -> None:
    @tfpy.function
    def program(x: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tfpy.range(4):
                y = y * tfpy.random.uniform([2])
        return y, tape.gradient(y, x)

    y, dx = program(tfpy.constant([1.0, 1.0]))
    np.testing.assert_allclose(y, dx, rtol=1e-6)


def test_prints_come_in_order_and_once(capfd: pytest.CaptureFixture[str]) -> None:
    @tfpy.function
    def program(x: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch(x)
            tfpy.print("begin", x)
            y = x
            for i in tfpy.range(3):
                y = y * x
                if y > 8:
                    tfpy.print("large", i, y)
                else:
                    tfpy.print("small", i)
            tfpy.print("end", {"y": y}, sep="|")
        return tape.gradient(y, x)

    assert program(tfpy.constant(2.0)).numpy() == 32
    assert capfd.readouterr().err.splitlines() == [
        "begin 2",
        "small 0",
        "small 1",
        "large 2 16",
        "end|{'y': 16}",
    ]


def test_assertions_hold_at_each_run() -> None:
    @tfpy.function
    def program(x: Any) -> Any:
        tfpy.debugging.assert_positive(x, message="positive, please")
        return x * 2

    assert program(tfpy.constant(1.0)).numpy() == 2
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="positive, please"):
        program(tfpy.constant(-1.0))


@same
def test_py_function(lib: Any) -> Any:
    seen: list[float] = []

    def outside(x: Any) -> Any:
        seen.append(float(x))
        return x * x

    @lib.function
    def program(x: Any) -> Any:
        y = lib.py_function(outside, [x], lib.float32)
        z = lib.numpy_function(lambda a: np.sinh(a).astype(np.float32), [x], lib.float32)
        return y, z

    x = lib.constant(3.0)
    with lib.GradientTape() as tape:
        tape.watch(x)
        y, z = program(x)
        total = y * 2.0
    return y, z, tape.gradient(total, x), 3.0 in seen


@same
def test_calls_at_once_of_host_functions(lib: Any) -> Any:
    c = lib.constant
    return [
        lib.py_function(lambda x: x * 2, [c(1.0)], lib.float32),
        lib.py_function(lambda x: (x * 2, 3), [c(1.0)], [lib.float32, lib.int32]),
        lib.py_function(lambda x: 3, [c(1.0)], lib.float32),
        lib.py_function(lambda x: None, [c(1.0)], []),
        lib.numpy_function(np.sinh, [c([1.0])], lib.float32),
        lib.numpy_function(lambda x: [x, x], [c(1.0)], [lib.float32] * 2),
    ]


def test_graphs_of_control_flow_verify_and_evaluate() -> None:
    @tfpy.function
    def program(x: Any, n: Any) -> Any:
        rows = tfpy.TensorArray(tfpy.float32, size=3, element_shape=[2])
        for i in tfpy.range(n):
            x = x * 2.0 if tfpy.reduce_sum(x) > 0 else x - 1.0
            rows = rows.write(i, x)
        return rows.stack()

    given = tfpy.constant([1.0, 2.0]), tfpy.constant(2)
    graph = program.get_concrete_function(*given).traced.graph
    verify(graph)
    (result,) = evaluate(graph, [np.asarray(t) for t in given])
    np.testing.assert_array_equal(result, program(*given))


def test_loops_that_nobody_reads_do_not_run() -> None:
    from tfpy._src.functions.control.loop_run import LoopRun

    @tfpy.function
    def program(x: Any) -> Any:
        tfpy.while_loop(lambda i: i < 5, lambda i: [i + 1], [tfpy.cast(x, tfpy.int32)])
        return x

    with mock.patch.object(LoopRun, "__call__", side_effect=AssertionError):
        assert program(tfpy.constant(1.0)).numpy() == 1
