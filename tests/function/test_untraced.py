"""Functions with shapes that depend on values run eagerly, with TensorFlow's results."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy


def masked(tf: Any, x: Any) -> Any:
    return tf.boolean_mask(x, x > 1.0) * 2.0


def positions(tf: Any, x: Any) -> Any:
    return tf.cast(tf.where(x > 1.0), tf.int32)


def unique(tf: Any, x: Any) -> Any:
    return tf.unique(x)


def sized(tf: Any, x: Any) -> Any:
    n = tf.cast(x[1], tf.int32)
    return tf.range(n), tf.zeros([n]), tf.fill([n, 2], 3), tf.reshape(tf.ones([6]), [n, -1])


def grown(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        if x[i] > 1.0:
            array = array.write(array.size(), x[i])
    return array.stack()


def looped(tf: Any, x: Any) -> Any:
    total = 0.0
    for value in tf.boolean_mask(x, x > 1.0):
        if value > 2.5:
            total += value
    return {"total": total, "none": None, "plain": 2}


def nested(tf: Any, x: Any) -> Any:
    return tf.function(lambda y: masked(tf, y))(x) + 1.0


PROGRAMS = [masked, positions, unique, sized, grown, looped, nested]
X = [1.0, 2.0, 3.0]


def outputs(tf: Any, program: Callable[[Any, Any], Any]) -> tuple[list[Any], Any]:
    function = tf.function(lambda x: program(tf, x))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        results = [function(tf.constant(X)), function(tf.constant(X[::-1]))]
    if tf is tfpy:
        assert len({str(w.message) for w in found if "runs op by op" in str(w.message)}) == 1
        assert function.experimental_get_tracing_count() == 1
    return [t.numpy() for r in results for t in tf.nest.flatten(r) if t is not None], results[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_tensorflow(program: Callable[[Any, Any], Any]) -> None:
    expected, _ = outputs(tensorflow, program)
    found, structure = outputs(tfpy, program)
    assert len(found) == len(expected)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    if program is looped:
        assert isinstance(structure["plain"], tfpy.Tensor)


@pytest.mark.parametrize("tf", [tensorflow, tfpy])
@pytest.mark.filterwarnings("ignore:tf.function")
def test_gradients_and_variables(tf: Any) -> None:
    weights, calls = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.boolean_mask(weights * x, x > 1.0))
        weights.assign_sub(tape.gradient(loss, weights))
        calls.assign_add(1)
        return loss

    assert [float(step(tf.constant(X))) for _ in range(2)] == [13.0, 0.0]
    assert weights.numpy().tolist() == [1.0, -2.0, -3.0]
    assert int(calls) == 2
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda v: tf.boolean_mask(v, v > 1.0) ** 2)(x)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 4.0, 6.0]


def test_what_has_no_trace_says_why() -> None:
    function = tfpy.function(lambda x: tfpy.boolean_mask(x, x > 1.0))
    with pytest.warns(UserWarning, match="depends on values"):
        function(tfpy.constant(X))
    concrete = function.get_concrete_function(tfpy.constant(X))
    for ask in (lambda: concrete.structured_outputs, lambda: concrete.lower(), function.lower):
        with pytest.raises(tfpy.errors.NotTraceableError, match="depends on values"):
            ask()


@pytest.mark.parametrize("size", [len(X), None])
def test_concrete_function_runs_op_by_op(size: int | None) -> None:
    found = []
    for lib in (tfpy, tensorflow):
        function = lib.function(lambda x, lib=lib: lib.boolean_mask(x, x > 1.0))
        concrete = function.get_concrete_function(lib.TensorSpec([size]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with lib.Graph().as_default():
                concrete.add_to_graph()
                concrete.add_gradient_functions_to_graph()
            found.append(concrete(lib.constant(X)).numpy().tolist())
            with pytest.raises((TypeError, tensorflow.errors.OpError)):
                concrete(lib.constant([1]))
    assert found[0] == found[1]
