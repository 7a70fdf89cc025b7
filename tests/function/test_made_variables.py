"""Variables that functions create in their first call, and functions that call themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from api.same import same

import tfpy as tf

INITIALS: dict[str, Callable[[Any, Any], Any]] = {
    "list": lambda lib, x: [1.0, 2.0],
    "function": lambda lib, x: lambda: lib.constant([1.0, 2.0]),
    "random": lambda lib, x: lib.random.normal([2]) * 0.0 + 1.0,
    "stateless": lambda lib, x: lib.random.stateless_normal([2], [1, 2]) * 2.0,
    "random function": lambda lib, x: lambda: lib.random.normal([2]) * 0.0 + 3.0,
    "shape": lambda lib, x: lib.ones(lib.shape(x)),
    "argument": lambda lib, x: x * 3.0,
}


def module(lib: Any, initial: Callable[[Any, Any], Any]) -> Any:
    class Layer(lib.Module):  # type: ignore[misc]
        v: Any = None

        @lib.function
        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = lib.Variable(initial(lib, x))
            self.v.assign_add(x)
            return self.v + x

    return Layer()


@same
def test_made_at_the_first_call(lib: Any) -> Any:
    x = lib.ones([2])
    layers = [module(lib, initial) for initial in INITIALS.values()]
    return [(layer(x), layer(x), layer.v) for layer in layers]


@same
def test_made_for_a_concrete_function(lib: Any) -> Any:
    out, x = [], lib.ones([2])
    for name, initial in INITIALS.items():
        if name != "argument":
            layer = module(lib, initial)
            concrete = layer.__call__.get_concrete_function(lib.TensorSpec([2]))
            out.append([layer.v.numpy(), concrete(x), layer(x), layer.v.numpy()])
    return out


def test_a_first_value_that_only_a_call_gives() -> None:
    layer = module(tf, INITIALS["argument"])
    with pytest.raises(ValueError, match=r"depends on an argument of '__call__'.*call the funct"):
        layer.__call__.get_concrete_function(tf.TensorSpec([2]))


@same
def test_made_one_from_the_other_and_within_another_function(lib: Any) -> Any:
    made: dict[str, Any] = {}

    @lib.function
    def inner(x: Any) -> Any:
        if "v" not in made:
            made["v"] = lib.Variable(lib.random.normal([2]) * 0.0 + 2.0 + x)
            made["w"] = lib.Variable(made["v"] * 3.0)
        return made["v"] * x + made["w"]

    @lib.function
    def outer(x: Any) -> Any:
        return inner(x * 2.0) + 1.0

    x = lib.ones([2])
    return outer(x), outer(x), inner(x), made["v"], made["w"]


@same
def test_recursion(lib: Any) -> Any:
    global count_down, power

    @lib.function
    def count_down(n: Any) -> Any:
        if n > 0:
            return count_down(n - 1)
        else:
            return 1

    @lib.function
    def factorial(n: Any) -> Any:
        if n > 1:
            return n * factorial(n - 1)
        return 1

    @lib.function
    def power(x: Any, n: Any) -> Any:
        if n == 0:
            return lib.ones_like(x)
        return x * power(x, n - 1)

    x = lib.constant(2.0)
    with lib.GradientTape() as tape:
        tape.watch(x)
        y = power(x, 3)
    return count_down(3), factorial(5), y, tape.gradient(y, x)


def test_recursion_on_a_tensor_has_no_end() -> None:
    @tf.function
    def endless(n: Any) -> Any:
        if n > 0:
            return endless(n - 1)
        return tf.constant(1)

    with pytest.raises(RecursionError):
        endless(tf.constant(3))
    assert tf.executing_eagerly()
