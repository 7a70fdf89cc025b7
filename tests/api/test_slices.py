"""Gradients of gathered rows are ``tf.IndexedSlices``, and functions accept these slices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow
from api.same import compare, error, same

import tfpy

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
PLACES = [2, 0, 2]

READ: dict[str, Callable[[Any, Any], Any]] = {
    "gather": lambda tf, x: tf.gather(x, PLACES) ** 2,
    "first axis": lambda tf, x: tf.gather(x, PLACES, axis=0) ** 2,
    "matrix of indices": lambda tf, x: tf.gather(x, [[0, 1], [2, 2]]) ** 2,
    "one index": lambda tf, x: tf.gather(x, 1) ** 2,
    "embedding": lambda tf, x: tf.nn.embedding_lookup(x, PLACES) ** 2,
    "embedding of ragged ids": lambda tf, x: (
        tf.nn.embedding_lookup(x, tf.ragged.constant([[0], [1, 2]])).flat_values
    ),
    "ragged indices": lambda tf, x: tf.gather(x, tf.ragged.constant([[0], [1, 2]])).flat_values,
    "twice": lambda tf, x: (
        tf.reduce_sum(tf.gather(x, [0, 1])) + tf.reduce_sum(3 * tf.gather(x, [1]))
    ),
    "rows and all": lambda tf, x: tf.reduce_sum(tf.gather(x, [0, 1])) + tf.reduce_sum(x * 3),
    "identity": lambda tf, x: tf.gather(tf.identity(x), [0, 1]),
    "negative": lambda tf, x: tf.gather(-x, [0, 1]),
    "plus a number": lambda tf, x: tf.gather(x + 2.0, [0, 1]),
    "minus a number": lambda tf, x: tf.gather(x - 2.0, [0, 1]),
    "times a number": lambda tf, x: tf.gather(x * 2.0, [0, 1]),
    "reshaped": lambda tf, x: tf.gather(tf.reshape(x, [2, 3]), [0, 1]),
    "squared": lambda tf, x: tf.gather(tf.square(x), [0, 1]),
    "rows of rows": lambda tf, x: tf.gather(tf.gather(x, [0, 2, 1]), [0, 0]),
    "gather_nd of rows": lambda tf, x: tf.gather_nd(x, [[0], [1]]),
    "gather_nd of elements": lambda tf, x: tf.gather_nd(x, [[0, 1]]),
    "gather_nd of many rows": lambda tf, x: tf.gather_nd(x, [[[0], [1]]]),
    "last axis": lambda tf, x: tf.gather(x, [1, 0], axis=1),
    "negative axis": lambda tf, x: tf.gather(x, [1, 0], axis=-2),
    "batch": lambda tf, x: tf.gather(x, [[0], [1], [0]], batch_dims=1),
    "boolean_mask": lambda tf, x: tf.boolean_mask(x, [True, False, True]),
    "repeat": lambda tf, x: tf.repeat(x, [1, 2, 0], axis=0),
    "index": lambda tf, x: x[tf.constant(1)],
    "dynamic_partition": lambda tf, x: tf.dynamic_partition(x, [0, 1, 0], 2)[0],
}


def kind(gradient: Any) -> Any:
    return [type(gradient).__name__ == "IndexedSlices", gradient]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("of", ["Variable", "constant"])
@pytest.mark.parametrize("name", READ)
def test_gradient(name: str, of: str, compiled: bool) -> None:
    def program(tf: Any) -> Any:
        x = getattr(tf, of)(TABLE)

        def gradient(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = READ[name](tf, x)
            return tape.gradient(y, x)

        return kind((tf.function(gradient) if compiled else gradient)(x))

    mine, theirs = program(tfpy), program(tensorflow)
    compare(mine, theirs, 1e-5, name)
    if theirs[0]:
        compare(mine[1].dense_shape, theirs[1].dense_shape, 0, name)


@same
def test_persistent_and_unconnected(tf: Any) -> Any:
    v, w = tf.Variable(TABLE), tf.Variable(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        y, z = tf.gather(v, PLACES) ** 3, v * 2
    return [
        tape.gradient(y, v),
        tape.gradient(z, v),
        tape.gradient([y, z], v),
        tape.gradient(y, [v, w], unconnected_gradients="zero"),
    ]


@same
def test_output_gradients(tf: Any) -> Any:
    flowing = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    x = tf.constant(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * 3, tf.gather(x, PLACES)
    return [tape.gradient(t, x, output_gradients=flowing) for t in (y, z)]


@same
def test_second_order(tf: Any) -> Any:
    v = tf.Variable(TABLE)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.gather(v, PLACES) ** 3
        first = inner.gradient(y, v)
        total, dense = tf.reduce_sum(first.values), tf.convert_to_tensor(first)
    return [first, dense, kind(outer.gradient(total, v)), kind(outer.gradient(dense, v))]


@same
def test_forward_mode(tf: Any) -> Any:
    v = tf.Variable(TABLE)
    with tf.autodiff.ForwardAccumulator(v, tf.fill([3, 2], 3.0)) as accumulator:
        y = tf.gather(v, PLACES) ** 2
        with tf.GradientTape() as tape:
            z = tf.gather(v, PLACES) ** 3
        gradient = tf.convert_to_tensor(tape.gradient(z, v))
    return [accumulator.jvp(y), tf.convert_to_tensor(accumulator.jvp(gradient))]


@same
def test_jacobians(tf: Any) -> Any:
    v, x = tf.Variable(TABLE), tf.constant(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.gather(v, PLACES) ** 2, 1)
        z = tf.gather(x, [0, 1, 2]) ** 2
    return [tape.jacobian(y, v), tape.batch_jacobian(z, x)]


@same
def test_reads_of_variables(tf: Any) -> Any:
    v = tf.Variable(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        rows, part = v.sparse_read([1, 1]), v.gather_nd([[1]])
        v.assign_add(tf.ones([3, 2]))
        again = tf.gather(v, [0]) * 2
    return [kind(tape.gradient(y, v)) for y in (rows, part, [rows, again])]


@same
def test_custom_gradients(tf: Any) -> Any:
    """Check that slices pass into and out of a gradient function unchanged."""
    seen: list[str] = []

    @tf.custom_gradient
    def taking(x: Any) -> Any:
        def backward(dy: Any) -> Any:
            seen.append(type(dy).__name__)
            return dy

        return x * 1.0, backward

    @tf.custom_gradient
    def giving(x: Any) -> Any:
        places = tf.constant([0, 1, 2])
        return x * 1.0, lambda dy: tf.IndexedSlices(dy, places, tf.constant([3, 2]))

    x = tf.constant(TABLE)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = tf.gather(taking(x), [0, 1]), giving(x)
        w = tf.recompute_grad(lambda x: tf.gather(x, PLACES) ** 2)(x)
    return [kind(tape.gradient(t, x)) for t in (y, z, w)], seen


# Compiled functions


@same
def test_function_differentiated(tf: Any) -> Any:
    v, x = tf.Variable(TABLE), tf.constant(TABLE)
    of_variable = tf.function(lambda places: tf.gather(v, places) ** 2)
    of_argument = tf.function(lambda x, places: tf.gather(x, places) ** 2)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = of_variable(tf.constant(PLACES)), of_argument(x, tf.constant(PLACES))

    @tf.function
    def inner(places: Any) -> Any:
        with tf.GradientTape() as tape:
            y = of_variable(places)
        return tape.gradient(y, v)

    found = [tape.gradient(y, v), tape.gradient(z, x), inner(tf.constant(PLACES))]
    return [kind(g) for g in found]


@same
def test_graph_gradients(tf: Any) -> Any:
    v = tf.Variable(TABLE)

    @tf.function
    def f(x: Any, places: Any) -> Any:
        y = tf.gather(v, places) ** 2 + tf.gather(x, places)
        flowing = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
        zero = tf.gradients(y, tf.constant(1.0), unconnected_gradients="zero")
        return tf.gradients(y, [v, x]), tf.gradients(y, [v], grad_ys=[flowing]), zero

    return f(tf.constant(TABLE), tf.constant(PLACES))


@same
def test_training_step(tf: Any) -> Any:
    """Update rows of a table in a loop, in a branch and with all scatter methods."""
    v = tf.Variable(TABLE)

    @tf.function
    def step(places: Any, often: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.gather(v, places) ** 2
        rows = tape.gradient(y, v)
        for _ in tf.range(often):
            v.scatter_sub(tf.IndexedSlices(rows.values * 0.1, rows.indices))
        v.assign_sub(rows)
        return tf.reduce_sum(y), -rows

    found = [step(tf.constant(PLACES), tf.constant(2)) for _ in range(2)]
    return [found, v]


@same
def test_control_flow(tf: Any) -> Any:
    v = tf.Variable(TABLE)

    @tf.function
    def f(places: Any, yes: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            total = tf.constant(0.0)
            for k in tf.range(3):
                total += tf.reduce_sum(tf.gather(v, places[k]) ** 2)
            y = tf.cond(yes, lambda: tf.gather(v, places) ** 2, lambda: tf.gather(v, places))
        return [tf.convert_to_tensor(tape.gradient(t, v)) for t in (total, y)]

    return f(tf.constant(PLACES), tf.constant(True))


@same
def test_hessian(tf: Any) -> Any:
    places = tf.constant(PLACES)
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(tf.gather(x, places) ** 3), x))
    return f(tf.constant([1.0, 2.0, 3.0]))


# Functions applied to slices

OF_SLICES: dict[str, Callable[[Any, Any], Any]] = {
    "convert_to_tensor": lambda tf, s: tf.convert_to_tensor(s),
    "plus": lambda tf, s: tf.ones([3, 2]) + s,
    "times": lambda tf, s: s * tf.constant(2.0),
    "number": lambda tf, s: s * 2.0,
    "number before": lambda tf, s: 2.0 * s,
    "both": lambda tf, s: s + s,
    "negative": lambda tf, s: -s,
    "tf.negative": lambda tf, s: tf.negative(s),
    "cast": lambda tf, s: tf.cast(s, tf.int32),
    "identity": lambda tf, s: tf.identity(s),
    "stop_gradient": lambda tf, s: tf.stop_gradient(s),
    "add_n": lambda tf, s: tf.add_n([s, s]),
    "add_n of one": lambda tf, s: tf.add_n([s]),
    "add_n with a tensor": lambda tf, s: tf.add_n([s, tf.ones([3, 2])]),
    "clip_by_norm": lambda tf, s: tf.clip_by_norm(s, 1.0),
    "clip_by_norm, axes": lambda tf, s: tf.clip_by_norm(s, 1.0, axes=[1]),
    "clip_by_value": lambda tf, s: tf.clip_by_value(s, 3.5, 7.0),
    "clip_by_global_norm": lambda tf, s: tf.clip_by_global_norm(
        [s, tf.constant([1.0]), None], 1.0
    ),
    "global_norm": lambda tf, s: tf.linalg.global_norm([s, tf.constant([1.0])]),
    "norm": lambda tf, s: tf.norm(s),
    "reduce_sum": lambda tf, s: tf.reduce_sum(s),
    "shape": lambda tf, s: [tf.shape(s), tf.rank(s), tf.size(s)],
    "its shape": lambda tf, s: [s.shape, s.dtype],
    "gather": lambda tf, s: tf.gather(s, [0]),
    "compiled": lambda tf, s: tf.function(lambda: -s)(),
    "text": lambda tf, s: str(s),
    "tensors": lambda tf, s: tf.nest.flatten(s, expand_composites=True),
    "len": lambda tf, s: len(s),
    "index": lambda tf, s: s[0],
    "numpy": lambda tf, s: s.numpy(),
} | {
    method: lambda tf, s, method=method: getattr(tf.Variable(TABLE), method)(s)
    for method in (
        "assign", "assign_add", "assign_sub", "scatter_add", "scatter_sub", "scatter_update",
        "scatter_max", "scatter_min", "scatter_mul", "scatter_div", "batch_scatter_update",
    )
}  # fmt: skip


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", OF_SLICES)
def test_slices(name: str, whole: bool) -> None:
    def program(tf: Any) -> Any:
        shape = tf.constant([3, 2]) if whole else None
        values = tf.constant([[3.0, 4.0], [6.0, 8.0]])
        slices = tf.IndexedSlices(values, tf.constant([0, 0]), shape)
        failed = error(lambda: OF_SLICES[name](tf, slices))
        return failed if failed != "none" else kind(OF_SLICES[name](tf, slices))

    compare(program(tfpy), program(tensorflow), 1e-5, name)


def test_warns_of_a_large_tensor() -> None:
    def warned(tf: Any) -> list[str]:
        def f(values: Any) -> Any:
            slices = tf.IndexedSlices(values, tf.constant([0]), tf.constant([50_000_000, 2]))
            return tf.shape(tf.convert_to_tensor(slices))

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tf.function(f).get_concrete_function(tf.TensorSpec([1, 2]))
        return [str(w.message) for w in caught if "IndexedSlices" in str(w.message)]

    assert warned(tfpy) == warned(tensorflow) != []


def test_functions_of_tensorflow_js_give_tensors() -> None:
    """Check that TensorFlow.js's functions return tensors, because it does not have slices."""
    x = tfpy.constant(TABLE)
    found = tfpy.grad(lambda x: tfpy.gather(x, PLACES))(x)
    v = tfpy.Variable(TABLE)
    more = tfpy.variable_grads(lambda: tfpy.reduce_sum(tfpy.gather(v, PLACES)))["grads"]
    wanted = [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]
    for gradient in (found, *more.values()):
        assert gradient.numpy().tolist() == wanted
