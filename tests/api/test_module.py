"""``tf.Module`` and ``tf.name_scope``: names, and the order of collected Variables."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow
from api.same import same

import tfpy


def modules(tf: Any) -> Any:
    """Return a module with submodules, lists, mappings, and Variables that it holds twice."""

    class Dense(tf.Module):
        def __init__(self, size: int, name: str | None = None) -> None:
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([size]), name="w")
            self.b = tf.Variable(tf.zeros([size]), name="b", trainable=False)
            self.scale = None

        @tf.Module.with_name_scope
        def __call__(self, x: Any) -> Any:
            if self.scale is None:
                self.scale = tf.Variable(2.0, name="scale")
            return x * self.w * self.scale + self.b

    class Net2D(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.z = Dense(1)
            self.a = [Dense(2, "inner"), {"q": tf.Variable(3.0, name="q"), "c": self.z}]
            self.again = (self.z, self.z.w)
            self.own = self
            self.B = tf.Variable(1.0, name="big")
            self._hidden = tf.Variable(9.0, name="hidden")
            self.numbers = {2: tf.Variable(2.0, name="two"), 1: tf.Variable(1.0, name="one")}
            self.other = {"text": "w", "none": None, "array": [1.5, object()]}

    return Dense, Net2D


def names(values: Any) -> list[str]:
    return [v.name for v in values]


@same
def test_what_is_found(tf: Any) -> Any:
    net = modules(tf)[1]()
    return (
        names(net.variables),
        names(net.trainable_variables),
        names(net.non_trainable_variables),
        names(net.submodules),
        [type(found).__name__ for found in (net.variables, net.submodules)],
    )


@same
def test_modules_within_modules(tf: Any) -> Any:
    def module(**attributes: Any) -> Any:
        made = tf.Module()
        for key, value in attributes.items():
            setattr(made, key, value)
        return made

    def variable(name: str) -> Any:
        return tf.Variable(1.0, name=name)

    inner = module(x=variable("x"), deep=module(y=variable("deep")))
    outer = module(a=inner, b=module(w=variable("w"), a=inner), c=variable("c"))
    first, second = module(v=variable("first")), module(v=variable("second"))
    first.peer, second.peer = second, first
    outer.peers = [first, second]
    order = {id(m): i for i, m in enumerate([outer, inner, inner.deep, outer.b, first, second])}
    return names(outer.variables), [order[id(m)] for m in outer.submodules]


@same
def test_names(tf: Any) -> Any:
    dense, net = modules(tf)

    class MyLSTMCell(tf.Module):
        pass

    with tf.name_scope("outside"):
        scoped = dense(1)
    layer = dense(2, "layer")
    y = layer(tf.constant([1.0, 2.0]))
    scoped(tf.constant([1.0]))
    return (
        names([net(), dense(1), MyLSTMCell(), tf.Module(), dense(1, "Custom_1")]),
        [m.name_scope.name for m in (scoped, layer)],
        names([layer.w, layer.scale, scoped.w, scoped.scale]),
        y,
    )


@same
def test_scopes(tf: Any) -> Any:
    out = []
    with tf.name_scope("a") as first:
        with tf.name_scope("b") as second:
            out.append(tf.Variable(1.0, name="v").name)
        with tf.name_scope("b") as again:
            pass
        with tf.name_scope("other/") as other:
            out.append(tf.Variable(1.0).name)
        with tf.name_scope("") as none:
            out.append(tf.Variable(1.0).name)
    out.append(tf.Variable(1.0).name)
    return out, [first, second, again, other, none], tf.name_scope("x").name


@same
def test_scopes_of_a_trace(tf: Any) -> Any:
    seen: list[str] = []

    @tf.function
    def program(x: Any) -> Any:
        with tf.name_scope("scope") as first:
            y = tf.nn.relu(x)
            with tf.name_scope("within") as second:
                pass
        with tf.name_scope("scope") as third:
            z = tf.nn.relu(y)
        seen.extend([first, second, third, y.name.lower(), z.name.lower()])
        return z

    with tf.name_scope("outside"):
        return program(tf.constant(-1.0)), seen


@pytest.mark.parametrize("lib", [tfpy, tensorflow])
def test_refusals(lib: Any) -> None:
    for name in ("1x", "a b", ""):
        with pytest.raises(ValueError, match="not a valid module name"):
            lib.Module(name)
    for scope in (None, 3):
        with pytest.raises(ValueError, match="must be a string"), lib.name_scope(scope):
            pass
    module = lib.Module()
    module.mixed = {"b": lib.Variable(1.0), 3: lib.Variable(1.0)}
    with pytest.raises(ValueError, match="Error processing property"):
        _ = module.variables


@same
def test_training(tf: Any) -> Any:
    layer = modules(tf)[0](2, "layer")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(layer(x)))
        found = tape.gradient(loss, layer.trainable_variables)
        for variable, gradient in zip(layer.trainable_variables, found, strict=True):
            variable.assign_sub(0.01 * gradient)
        return loss

    layer(x)
    return step(), step(), [v.numpy() for v in layer.variables]
