"""Derivatives of several loops in one function, in reverse and forward mode."""

from __future__ import annotations

from typing import Any

import pytest
from api.same import same

import tfpy
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.functions.executor.regions import Place, cut


@same
def test_gradients_of_loops_one_after_the_other(lib: Any) -> Any:
    @lib.function
    def powers(x: Any, n: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            first = lib.while_loop(
                lambda i, y: i < n, lambda i, y: (i + 1, y * x), (0, lib.constant(1.0))
            )
            second = lib.while_loop(
                lambda i, y: i < n, lambda i, y: (i + 1, lib.sin(y) * x), (0, first[1])
            )
        return second[1], tape.gradient(second[1], x)

    @lib.function
    def three(x: Any, n: Any) -> Any:
        with lib.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x
            for _ in range(3):
                for _ in lib.range(n):
                    y = lib.sin(y) * x
        return y, tape.gradient(y, x), tape.gradient(y * y, x)

    x, n = lib.constant(1.5), lib.constant(3)
    return powers(x, n), three(x, n)


@same
def test_gradients_of_loops_within_loops(lib: Any) -> Any:
    @lib.function
    def program(x: Any, n: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in lib.range(n):
                for _ in lib.range(i + 1):
                    y = lib.sin(y) * x
                for _ in lib.range(2):
                    y = lib.cos(y) + x
        return y, tape.gradient(y, x)

    return program(lib.constant(1.5), lib.constant(3))


@same
def test_second_derivatives_of_loops_one_after_the_other(lib: Any) -> Any:
    @lib.function
    def program(x: Any, n: Any) -> Any:
        with lib.GradientTape() as outer:
            outer.watch(x)
            with lib.GradientTape() as inner:
                inner.watch(x)
                y = x
                for _ in range(2):
                    for _ in lib.range(n):
                        y = lib.sin(y) * x
            gradient = inner.gradient(y, x)
        return y, gradient, outer.gradient(gradient, x)

    return program(lib.constant(1.5), lib.constant(3))


@same
def test_second_derivatives_of_loops_over_unstacked_arrays(lib: Any) -> Any:
    """Unstack an array and read it in a loop.

    The loop reads the array in one place, in two places, or in a nested loop, or carries it as a
    loop variable.
    """

    def once(i: Any, y: Any, array: Any) -> Any:
        return i + 1, lib.sin(y) * array.read(i), array

    def twice(i: Any, y: Any, array: Any) -> Any:
        return i + 1, lib.sin(y) + array.read(i) * array.read(3 - i), array

    def nested(i: Any, y: Any, array: Any) -> Any:
        inner = lib.while_loop(
            lambda j, y: j <= i,
            lambda j, y: (j + 1, lib.sin(y) + array.read(j)),
            (lib.constant(0), y),
        )
        return i + 1, inner[1] * array.read(i), array

    def written(i: Any, y: Any, array: Any) -> Any:
        y = lib.sin(y) * array.read(i)
        return i + 1, y, array.write(i, y)

    def derivatives(body: Any, carried: bool) -> Any:
        @lib.function
        def program(x: Any) -> Any:
            with lib.GradientTape() as outer:
                outer.watch(x)
                with lib.GradientTape() as tape:
                    tape.watch(x)
                    array = lib.TensorArray(lib.float32, 4, clear_after_read=False)
                    array = array.unstack(x * x)
                    start = (lib.constant(0), lib.ones([2]))
                    if carried:
                        _, y, array = lib.while_loop(lambda i, y, a: i < 4, body, (*start, array))
                        y = y * array.read(1)
                    else:
                        _, y = lib.while_loop(
                            lambda i, y: i < 4, lambda i, y: body(i, y, array)[:2], start
                        )
                gradient = tape.gradient(y, x)
            return y, gradient, outer.gradient(gradient * gradient, x)

        return program(lib.reshape(lib.range(8.0), [4, 2]) / 4.0 - 0.7)

    cases = [(body, False) for body in (once, twice, nested)]
    return [derivatives(body, carried) for body, carried in [*cases, (written, True)]]


@same
def test_forward_mode_round_loops(lib: Any) -> Any:
    @lib.function
    def total(count: Any, y: Any) -> Any:
        with lib.autodiff.ForwardAccumulator(y, 1.0) as forward:
            found = 0.0
            for i in lib.range(count):
                found += y * lib.cast(i, lib.float32)
        return forward.jvp(found)

    @lib.function
    def doubled(count: Any, x: Any) -> Any:
        with lib.autodiff.ForwardAccumulator(x, lib.constant(1.0)) as forward:
            for _ in lib.range(count):
                x = x * 2.0
        return forward.jvp(x)

    five, one = lib.constant(5), lib.constant(1.0)
    return total(five, one), doubled(five, one)


def test_forward_mode_refuses_lists() -> None:
    @tfpy.function
    def written(x: Any) -> Any:
        with tfpy.autodiff.ForwardAccumulator(x, 1.0) as forward:
            array = tfpy.TensorArray(tfpy.float32, 3)
            for i in tfpy.range(3):
                array = array.write(i, x)
        return forward.jvp(array.stack())

    @tfpy.function
    def second(x: Any) -> Any:
        with tfpy.autodiff.ForwardAccumulator(x, 1.0) as forward:
            with tfpy.GradientTape() as tape:
                tape.watch(x)
                y = x
                for _ in tfpy.range(3):
                    y = y * x
            gradient = tape.gradient(y, x)
        return forward.jvp(gradient)

    for program in (written, second):
        with pytest.raises(NotImplementedError, match="returns a list of tensors"):
            program(tfpy.constant(2.0))


def test_equations_that_can_never_run_are_an_error() -> None:
    graph = Graph()
    x = graph.add_input(tfpy.constant(1.0).aval)
    y = graph.add_eqn(OPS["sin"], [x], ())
    graph.eqns.insert(0, Eqn(OPS["add"], (x, y + 1), (y + 2,), ()))
    graph.avals += [graph.avals[x]] * 2
    graph.outputs = [y + 2]
    with pytest.raises(tfpy.errors.InternalError, match=r"add needs %2, which no earlier"):
        cut(graph, lambda eqn: Place.DEVICE)
