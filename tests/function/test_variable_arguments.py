"""Variables as arguments of a function: one trace serves all of one shape and dtype."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow
from api.same import compare, same

import tfpy


class Counted:
    """A factory of ``tf.function``s that counts their traces."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self.traces = 0

    def __call__(self, function: Callable[..., Any], **options: Any) -> Any:
        def counted(*args: Any) -> Any:
            self.traces += 1
            return function(*args)

        return self._tf.function(counted, **options)


@same
def test_others_of_one_shape(tf: Any) -> Any:
    counted = Counted(tf)
    f = counted(lambda v: (v * 2.0, v.assign_add([1.0]), v.shape[0], v.trainable))
    variables = [tf.Variable([float(k)]) for k in range(3)]
    return [f(v) for v in variables], variables, counted.traces


@same
def test_other_shapes_and_dtypes(tf: Any) -> Any:
    counted = Counted(tf)
    f = counted(lambda v, k: v.assign_add(k))
    given = [(1, 2), (5, 2), (1, 3), (1.0, 3), ([1.0], [3.0])]
    found = [f(tf.Variable(v), k) for v, k in given]
    return found, f(tf.Variable(1.0, trainable=False), 3), counted.traces


@same
def test_one_variable_twice(tf: Any) -> Any:
    counted = Counted(tf)

    def body(a: Any, b: Any) -> Any:
        a.assign_add(1.0)
        return b.read_value() * 2.0

    f = counted(body)
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    return f(a, b), f(b, c), f(a, a), f(b, b), f(c, a), a, b, c, counted.traces


def test_a_variable_that_the_function_reads_by_itself() -> None:
    """Check that assignments and reads run in program order.

    TensorFlow does not guarantee this order.
    """

    def results(tf: Any, compile: Callable[..., Any]) -> Any:
        own, a = tf.Variable(10.0), tf.Variable(1.0)

        def body(v: Any) -> Any:
            v.assign_add(own)
            own.assign_sub(1.0)
            return v + own

        f = compile(body)
        return [f(v) for v in (a, tf.Variable(5.0), own, own, a)], own, a

    def results_of_own_first(tf: Any, compile: Callable[..., Any]) -> Any:
        own = tf.Variable(10.0)
        f = compile(lambda v: (v.assign(v * own), own.read_value())[1])
        return [f(v) for v in (own, tf.Variable(3.0), own)], own

    for case in (results, results_of_own_first):
        wanted = case(tensorflow, lambda body: body)
        compare(case(tfpy, tfpy.function), wanted, 1e-6, case.__name__)


@same
def test_gradients_outside(tf: Any) -> Any:
    counted = Counted(tf)
    f = counted(lambda v, x: tf.reduce_sum(v * v * x))
    found = []
    for k in range(3):
        v = tf.Variable([1.0, 2.0 + k])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = f(v, tf.constant(3.0))
            first = tape.gradient(y, v)
        found.append((first, outer.gradient(first, v)))
    return found, counted.traces


@same
def test_gradients_of_assigned_variables(tf: Any) -> Any:
    counted = Counted(tf)
    f = counted(lambda v, w: tf.reduce_sum(v.assign(v * w) * w))
    found = []
    for k in range(2):
        v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0 + k])
        with tf.GradientTape() as tape:
            y = f(v, w)
        found.append((y, tape.gradient(y, [v, w])))
    return found, counted.traces


@same
def test_training_steps(tf: Any) -> Any:
    counted = Counted(tf)

    def body(v: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v - x) ** 2)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    step = counted(body)
    variables = [tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])]
    losses = [step(v, tf.zeros(2)) for _ in range(3) for v in variables]
    return losses, variables, counted.traces


@same
def test_functions_in_functions(tf: Any) -> Any:
    counted = Counted(tf)
    inner = counted(lambda v: v.assign_add(1.0) * 2.0)
    outer = counted(lambda v, w: inner(v) + inner(w))
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    return outer(a, b), outer(b, c), outer(c, c), a, b, c, counted.traces


@same
def test_nests(tf: Any) -> Any:
    counted = Counted(tf)

    def body(variables: Any, named: Any) -> Any:
        for v in variables:
            v.assign_add(tf.ones_like(v))
        named["k"].assign(variables[0] + variables[1])
        return tf.add_n([v.read_value() for v in variables])

    f = counted(body)
    found = []
    for k in range(3):
        named = {"k": tf.Variable([0.0])}
        found.append((f([tf.Variable([k * 1.0]), tf.Variable([k * 2.0])], named), named["k"]))
    f([tf.Variable([1.0])] * 3, {"k": tf.Variable([0.0])})
    f([tf.Variable([1.0, 2.0]), tf.Variable([2.0, 3.0])], {"k": tf.Variable([0.0, 1.0])})
    return found, counted.traces


@same
def test_control_flow(tf: Any) -> Any:
    traces = []

    @tf.function
    def f(v: Any, n: Any) -> Any:
        traces.append(1)
        for _ in tf.range(n):
            if v < 10.0:
                v.assign_add(3.0)
            else:
                v.assign(0.0)
        return v.read_value()

    variables = [tf.Variable(float(k)) for k in range(3)]
    return [f(v, tf.constant(6)) for v in variables], variables, len(traces)


def test_gradients_that_read_variables() -> None:
    """Check that a custom gradient reads the Variable of its own call.

    TensorFlow reads the Variable of the first call.
    """

    @tfpy.function
    def f(x: Any, v: Any) -> Any:
        @tfpy.custom_gradient
        def doubled(x: Any) -> Any:
            return x * 2.0, lambda dy: dy * v.read_value() * 100.0

        return doubled(x)

    for k in (1.0, 2.0):
        v, x = tfpy.Variable(k), tfpy.constant(3.0)
        with tfpy.GradientTape() as tape:
            tape.watch(x)
            y = f(x, v)
        assert float(tape.gradient(y, x)) == 100.0 * k
    assert f.experimental_get_tracing_count() == 1


@same
def test_variables_that_the_function_makes(tf: Any) -> Any:
    made: list[Any] = []

    def body(v: Any) -> Any:
        if not made:
            made.append(tf.Variable(2.0))
        made[0].assign_add(v)
        return made[0] * v

    f = tf.function(body)
    return f(tf.Variable(1.0)), f(tf.Variable(2.0)), made[0]


@same
def test_concrete_functions(tf: Any) -> Any:
    def body(v: Any, x: Any) -> Any:
        v.assign_add(x)
        return v * 2.0

    a, b = tf.Variable(1.0), tf.Variable(5.0)
    f = tf.function(body).get_concrete_function(a, tf.TensorSpec([], tf.float32))
    one = tf.constant(1.0)
    return f(a, one), f(b, one), f(a, one), a, b


@same
def test_reduced_retracing(tf: Any) -> Any:
    def body(v: Any, x: Any) -> Any:
        v.assign_add(1.0)
        return tf.reduce_sum(x) * v

    f = tf.function(body, reduce_retracing=True)
    return [f(tf.Variable(float(k)), tf.ones([k])) for k in range(1, 5)]


def test_concrete_functions_refuse_other_kinds() -> None:
    f = tfpy.function(lambda v, w: v + w)
    a, b = tfpy.Variable(1.0), tfpy.Variable(2.0)
    concrete = f.get_concrete_function(a, b)
    assert float(concrete(b, a)) == 3.0
    for given in ((a, tfpy.Variable([1.0])), (a, tfpy.Variable(1)), (a, a)):
        with pytest.raises(TypeError, match="was not traced for these Variables"):
            concrete(*given)
    with pytest.raises(TypeError, match=r"call the tf\.function"):
        concrete(a, 2.0)


def test_functions_that_tell_variables_apart() -> None:
    """Check that a function that tests the identity of its Variable is traced for each Variable."""
    names: dict[Any, float] = {}

    @tfpy.function
    def scaled(v: Any) -> Any:
        return v * names[v.ref()]

    a, b = tfpy.Variable(1.0), tfpy.Variable(2.0)
    names.update({a.ref(): 10.0, b.ref(): 100.0})
    assert [float(scaled(v)) for v in (a, b, a)] == [10.0, 200.0, 10.0]


def test_a_variable_that_a_function_keeps() -> None:
    """Check that an argument that a function stores is the Variable itself after the call."""
    kept: list[Any] = []

    @tfpy.function
    def f(v: Any) -> Any:
        kept.append(v)
        return v + 1.0

    a = tfpy.Variable(1.0)
    assert float(f(a)) == 2.0
    kept[0].assign(5.0)
    assert float(a) == float(kept[0]) == 5.0
    assert kept[0].ref() == a.ref()
    with tfpy.GradientTape() as tape:
        y = kept[0] * 3.0
    assert float(tape.gradient(y, a)) == 3.0


@pytest.mark.usefixtures("no_leaks")
def test_variables_are_let_go() -> None:
    f = tfpy.function(lambda v: v.assign_add(1.0) * 2.0)
    last = None
    for k in range(300):
        v = tfpy.Variable(float(k))
        assert float(f(v)) == 2.0 * k + 2.0
        last, known = weakref.ref(v), last
        del v
        gc.collect(0)
        assert k == 0 or known is None or k < 3 or known() is None
    assert f.experimental_get_tracing_count() == 1
    f(tfpy.Variable(0.0))
    del f
