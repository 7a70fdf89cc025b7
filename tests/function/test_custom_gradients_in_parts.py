"""Custom gradients and stopped gradients in loops, conditionals and maps of compiled functions."""

from __future__ import annotations

from typing import Any

import pytest
from api.same import same
from function.orders import derivatives

import tfpy as tf


def custom(lib: Any) -> tuple[Any, Any]:
    @lib.custom_gradient
    def tenfold(x: Any) -> Any:
        return x * 1.0, lambda g: g * 10.0

    @lib.custom_gradient
    def product(x: Any, w: Any) -> Any:
        return x * w, lambda g: (g * x * 10.0, g * 100.0)

    return tenfold, product


@same
def test_stopped_gradients(lib: Any) -> Any:
    @lib.function
    def program(x: Any, n: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in lib.range(n):
                y = y * x + lib.stop_gradient(y)
            if n > 2:
                y = lib.stop_gradient(y) * x
        return y, tape.gradient(y, x)

    return [program(lib.constant(1.5), lib.constant(n)) for n in (2, 3)]


@same
def test_custom_gradients(lib: Any) -> Any:
    tenfold, product = custom(lib)

    @lib.function
    def loop(x: Any, w: Any, n: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch([x, w])
            y = x
            for _ in lib.range(n):
                y = product(tenfold(y), w)
        return y, tape.gradient(y, [x, w])

    @lib.function
    def branch(x: Any, n: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = tenfold(x) * x if n > 1 else lib.sin(tenfold(x))
        return y, tape.gradient(y, x)

    @lib.function
    def mapped(x: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = lib.map_fn(lambda v: tenfold(v) + lib.stop_gradient(v) * v, x)
        return y, tape.gradient(y, x)

    c = lib.constant
    return (
        loop(c(1.5), c(3.0), c(3)),
        [branch(c(1.5), c(n)) for n in (0, 2)],
        mapped(c([1.5, 2.0])),
    )


@same
def test_functions_with_custom_gradients_called_in_a_loop(lib: Any) -> Any:
    tenfold, _ = custom(lib)

    @lib.function
    def inner(x: Any) -> Any:
        return tenfold(x) * 2.0 + lib.stop_gradient(x)

    @lib.function
    def program(x: Any, n: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in lib.range(n):
                y = inner(y)
        return y, tape.gradient(y, x)

    return program(lib.constant(1.5), lib.constant(2))


def test_a_gradient_that_raises_does_so_only_when_it_is_asked_for() -> None:
    @tf.custom_gradient
    def refusing(x: Any) -> Any:
        def grad(g: Any) -> Any:
            raise LookupError("there is none")

        return x * 2.0, grad

    @tf.function
    def forward(x: Any) -> Any:
        for _ in tf.range(2):
            x = refusing(x)
        return x

    x = tf.constant(1.0)
    assert forward(x).numpy() == 4.0

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = forward(x)
        return tape.gradient(y, x)

    with pytest.raises(LookupError, match="there is none"):
        gradient()


@same
def test_derivatives_of_functions_that_parts_call(lib: Any) -> Any:
    """Check that stopped and custom gradients in branches and bodies affect higher orders."""
    x = lib.constant([[0.5, 0.2], [0.3, 0.4], [0.1, 0.6]])
    scale = lib.Variable(2.0)

    @lib.custom_gradient
    def cube(x: Any) -> Any:
        return x**3, lambda g: g * 5.0 * x**2

    def stopped(x: Any) -> Any:
        return lib.stop_gradient(x[0]) ** 2 * x[1] ** 3 * scale

    def customised(x: Any) -> Any:
        return cube(x[0] ** 2) * x[1]

    def branch(f: Any) -> Any:
        return lambda x: lib.cond(x[0, 0] > 0.0, lambda: f(x), lambda: x[0])

    def loop(f: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, f(x) + y

        return lambda x: lib.while_loop(lambda i, y: i < 2, body, (lib.constant(0), x[0]))[1]

    inner = lib.function(lambda x: stopped(x) + customised(x))
    outer = lib.function(lambda x: inner(x) * 1.0)
    concrete = inner.get_concrete_function(lib.TensorSpec([3, 2]))
    return [
        derivatives(lib, lib.function(program), x, 2)
        for program in (branch(inner), loop(outer), branch(concrete))
    ]
