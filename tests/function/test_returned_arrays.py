"""Compiled functions that return a ``tf.TensorArray``: a call returns a list of its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy

pytestmark = pytest.mark.filterwarnings("ignore:.*runs op by op")

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)


def _unstacked(tf: Any, x: Any) -> Any:
    return tf.TensorArray(tf.float32, 3).unstack(x**3)


def _written(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i in range(3):
        array = array.write(i, x[i] ** 3)
    return array


def _looped(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        array = array.write(i, x[i] * x[i] * x[i])
    return array


def _partly_written(tf: Any, x: Any) -> Any:
    return tf.TensorArray(tf.float32, 4, element_shape=[2]).write(1, x[0] ** 3)


def _dynamic(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(tf.shape(x)[0]):
        array = array.write(i, x[i] ** 3)
    return array


def _chosen(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3, element_shape=[2])
    return tf.cond(tf.reduce_sum(x) > 0, lambda: array.unstack(x**3), lambda: array.unstack(-x))


def _of_several_shapes(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    return array.write(0, x[0] ** 3).write(1, x[1, :1] ** 3)


OF_ONE_SHAPE = (_unstacked, _written, _looped, _partly_written, _dynamic, _chosen)


def _array(tf: Any, flow: Any) -> Any:
    return tf.TensorArray(tf.float32, flow=flow)


def _raw_stack(tf: Any, values: Any) -> Any:
    return tf.raw_ops.TensorListStack(
        input_handle=values, element_shape=[2], element_dtype=tf.float32, num_elements=-1
    )


def _readers(tf: Any, f: Any) -> dict[str, Callable[[Any], Any]]:
    """Return programs that read the list returned by ``f``, eagerly and in other functions."""
    stacked = tf.function(lambda values: _array(tf, values).stack())

    def captured(x: Any) -> Any:
        values = f(x)
        return tf.function(lambda: _raw_stack(tf, values))()

    def chosen(x: Any) -> Any:
        values = tf.cond(tf.reduce_sum(x) < 0, lambda: f(x), lambda: f(-x))
        return _raw_stack(tf, values)

    def both(x: Any) -> Any:
        values = tf.function(lambda x: {"a": (f(x), None), "b": x * x})(x)
        return _array(tf, values["a"][0]).stack()[:2] * values["b"][:2]

    return {
        "raw": lambda x: _raw_stack(tf, f(x)),
        "stack": lambda x: _array(tf, f(x)).stack(),
        "concat": lambda x: _array(tf, f(x)).concat(),
        "gather": lambda x: _array(tf, f(x)).gather([2, 1]),
        "read": lambda x: _array(tf, f(x)).read(1),
        "write": lambda x: _array(tf, f(x)).write(1, x[2]).stack(),
        "compiled": tf.function(lambda x: _array(tf, f(x)).stack()),
        "compiled raw": tf.function(lambda x: _raw_stack(tf, f(x))),
        "argument": lambda x: stacked(f(x)),
        "passed on": lambda x: _array(tf, tf.function(lambda values: values)(f(x))).stack(),
        "captured": captured,
        "chosen": tf.function(chosen),
        "nest": both,
        "unread": lambda x: (f(x), x * x)[1],
    }


def _derivatives(tf: Any, program: Callable[[Any], Any]) -> list[Any]:
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = program(x)
            total = tf.reduce_sum(value * value)
        first = inner.gradient(total, x)
    return [value, first, outer.gradient(first, x)]


@pytest.mark.parametrize("returning", OF_ONE_SHAPE)
def test_values_and_derivatives(returning: Any) -> None:
    """Read a list that a loop wrote in every way, and other lists in the shortest way."""
    results = []
    for tf in (tfpy, tensorflow):
        readers = _readers(tf, tf.function(lambda x, tf=tf: returning(tf, x)))
        names = readers if returning is _looped else ["stack", "compiled raw"]
        results.append({name: _derivatives(tf, readers[name]) for name in names})
    compare(*results, 1e-4, returning.__name__)


@same
def test_elements_of_several_shapes(tf: Any) -> Any:
    values = tf.function(lambda x: _of_several_shapes(tf, x))(tf.constant(X))
    array = tf.TensorArray(tf.float32, flow=values, infer_shape=False)
    return [array.read(0), array.read(1), array.size()]


@same
def test_other_dtypes(tf: Any) -> Any:
    found = []
    given = [[True, False], ["a", "b"], [1, 2], [1 + 2j, 3.0]]
    for kind, values in zip((tf.bool, tf.string, tf.int32, tf.complex64), given, strict=True):
        make = tf.function(lambda x, kind=kind: tf.TensorArray(kind, 2).unstack(x))
        flow = make(tf.constant(values, kind))
        found.append(tf.TensorArray(kind, flow=flow).stack())
    return found


@same
def test_arrays_that_were_never_written(tf: Any) -> Any:
    empty = tf.function(lambda: tf.TensorArray(tf.float32, 0, element_shape=[2]))
    unwritten = tf.function(lambda: tf.TensorArray(tf.float32, 2, element_shape=[3]))
    stacked = [lambda f=f: _array(tf, f()).stack() for f in (empty, unwritten)]
    return [stack() for f in stacked for stack in (f, tf.function(f))]


@same
def test_open_sizes(tf: Any) -> Any:
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def rows(x: Any) -> Any:
        return tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x), x

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def stacked(x: Any) -> Any:
        array = _array(tf, rows(x)[0])
        return array.stack(), array.size()

    x = tf.constant(X)
    return [stacked(x), stacked(x[:2]), _array(tf, rows(x[:1])[0]).stack()]


@same
def test_flow_within_a_function(tf: Any) -> Any:
    @tf.function
    def summed(x: Any) -> Any:
        array = _array(tf, tf.TensorArray(tf.float32, 3).unstack(x).flow)
        total = tf.zeros([2])
        for i in tf.range(3):
            total += array.read(i)
        return total

    return summed(tf.constant(X))


@same
def test_assigned_variables(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any) -> Any:
        v.assign_add(x)
        return tf.TensorArray(tf.float32, 2).unstack([v * 2.0, v * v]), v + 1.0

    with tf.GradientTape() as tape:
        values, other = step(tf.constant([1.0, 1.0]))
        stacked = _array(tf, values).stack()
    return [stacked, other, v.numpy(), tape.gradient(stacked, v)]


@same
def test_description(tf: Any) -> Any:
    function = tf.function(lambda x: {"array": _looped(tf, x), "other": x + 1.0})
    concrete = function.get_concrete_function(tf.constant(X))
    array = concrete.structured_outputs["array"]
    values = concrete(tf.constant(X))["array"]
    return [
        [isinstance(array, tf.TensorArray), array.dtype.name, array.element_shape.as_list()],
        [repr(t.shape) for t in concrete.outputs],
        [t.dtype.name for t in concrete.outputs],
        {name: kind.name for name, kind in concrete.output_dtypes.items()},
        {name: str(shape) for name, shape in concrete.output_shapes.items()},
        [isinstance(values, tf.Tensor), values.dtype.name, str(values.shape)],
        [str(values), repr(values)],
        [hasattr(values, "stack"), hasattr(values, "read")],
        tf.raw_ops.TensorListLength(input_handle=values),
    ]


def test_errors() -> None:
    def errors(tf: Any) -> list[str]:
        values = tf.function(lambda x: _unstacked(tf, x))(tf.constant(X))
        calls: list[Callable[[], Any]] = [
            lambda: tf.TensorArray(tf.float32, 3, flow=values),
            lambda: tf.TensorArray(tf.float32, flow=values, element_shape=[2]),
            lambda: tf.TensorArray(tf.float32, flow=tf.constant(1.0)),
            lambda: tf.TensorArray(tf.int32, flow=values).stack(),
            lambda: values.numpy(),
            lambda: float(values),
        ]
        return [error(call) for call in calls]

    assert errors(tfpy) == errors(tensorflow)


def test_lists_outlive_tidy_and_are_freed() -> None:
    function = tfpy.function(lambda x: _looped(tfpy, x))
    x = tfpy.constant(X)
    values = tfpy.tidy(lambda: function(x))
    np.testing.assert_allclose(_array(tfpy, values).stack().numpy(), X**3)
    del values
    before = tfpy.memory()
    for _ in range(3):
        _array(tfpy, function(x)).stack()
    assert tfpy.memory() == before
