"""Assignments to parts and rows of Variables, with TensorFlow's results and errors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import same

import tfpy

KEYS = {
    "row": lambda tf: 0,
    "last row": lambda tf: -1,
    "element": lambda tf: (0, 1),
    "all": lambda tf: slice(None),
    "ellipsis": lambda tf: ...,
    "column": lambda tf: (..., 1),
    "backwards": lambda tf: (slice(None), slice(None, None, -1)),
    "rows": lambda tf: slice(0, 1),
    "new axis before": lambda tf: (tf.newaxis, 0),
    "new axis within": lambda tf: (slice(None), tf.newaxis),
    "every second": lambda tf: (slice(None), slice(0, 3, 2)),
    "strides": lambda tf: (slice(None, None, -1), slice(None, 0, -2)),
    "nothing": lambda tf: slice(0, 0),
    "tensors": lambda tf: (tf.constant(1), slice(tf.constant(0), tf.constant(2))),
    "out of range": lambda tf: 5,
    "too many": lambda tf: (0, 0, 0),
    "no step": lambda tf: slice(None, None, 0),
    "text": lambda tf: "a",
    "half": lambda tf: 1.5,
    "beyond": lambda tf: (slice(5, 9), 1),
}
VALUES = (7.0, [7.0, 8.0, 9.0], [[7.0], [8.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [7.0, 8.0])


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize("key", KEYS)
def test_assignment_of_parts(key: str, traced: bool) -> None:
    for value in (*VALUES, [1, 2, 3], np.arange(3)):
        mine, wanted = (_assigned(lib, KEYS[key](lib), value, traced) for lib in _LIBS)
        if isinstance(wanted, str):
            assert mine == wanted, value
        else:
            np.testing.assert_array_equal(mine, wanted, str(value))


_LIBS = (tfpy, tensorflow)


def _assigned(lib: Any, key: Any, value: Any, traced: bool) -> Any:
    """Return the Variable's value after the assignment, or the error's class name."""
    v = lib.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def program() -> Any:
        return v[key].assign(value).read_value()

    try:
        found = (lib.function(program) if traced else program)()
    except Exception as error:
        name = type(error).__name__
        # TensorFlow detects values that do not broadcast when the function runs.
        return "Invalid" if name in ("InvalidArgumentError", "ValueError") else name
    np.testing.assert_array_equal(np.asarray(found), v.numpy())
    return v.numpy()


@same
def test_traced_indices(tf: Any) -> Any:
    v = tf.Variable(tf.zeros([3, 2]))

    @tf.function
    def fill(n: Any) -> Any:
        for i in tf.range(n):
            v[i].assign(tf.fill([2], tf.cast(i, tf.float32)))
            v[i - 3, 1:].assign([9.0])
        return v.read_value()

    return fill(tf.constant(2)), fill(tf.constant(3)), v.numpy()


@same
def test_parts_of_other_dtypes(tf: Any) -> Any:
    n, b, c = tf.Variable([1, 2, 3]), tf.Variable([True, False, True]), tf.Variable([1j, 2.0])
    n[::2].assign([7, 8])
    b[1:].assign([True, False])
    c[0].assign(tf.constant(5 + 1j, c.dtype))
    s = tf.Variable(3.0)
    s[...].assign(4.0)
    return n, b, c, s


@same
def test_assignments_carry_no_gradient(tf: Any) -> Any:
    x, y = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([1.0, 1.0])
    with tf.GradientTape() as tape:
        x[0].assign(y * 2.0)
        z = tf.reduce_sum(x * x)
    return tape.gradient(z, [x, y])


@pytest.mark.parametrize("lib", _LIBS)
def test_only_parts_of_variables_can_be_assigned(lib: Any) -> None:
    v = lib.Variable([[1.0, 2.0], [3.0, 4.0]])
    for tensor in (lib.constant([1.0]), v[0][1], v[v > 2.0], lib.identity(v[0])):
        with pytest.raises(AttributeError, match="assign"):
            tensor.assign(3.0)


@same
def test_rows(tf: Any) -> Any:
    out = []
    for kind in ("add", "sub", "max", "min", "mul", "div", "update"):
        v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
        values = tf.constant([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]])
        slices = tf.IndexedSlices(values, tf.constant([0, 1, 0]))
        getattr(v, f"scatter_{kind}")(slices)
        out.append(v.numpy())
    return out


@same
def test_rows_in_a_function(tf: Any) -> Any:
    v = tf.Variable([[1.0, 2.0], [4.0, 5.0]])

    @tf.function
    def program(i: Any) -> Any:
        added = v.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), i)).read_value()
        v.scatter_mul(tf.IndexedSlices(tf.fill([1, 2], 3.0), i))
        return added, v.read_value()

    return program(tf.constant([1])), program(tf.constant([0])), v.numpy()


@same
def test_rows_as_a_tensor(tf: Any) -> Any:
    values = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    x = tf.reshape(tf.range(8.0), [4, 2])
    with tf.GradientTape() as tape:
        slices = tf.IndexedSlices(values.value(), tf.constant([2, 0, 2]), tf.constant([4, 2]))
        y = tf.reduce_sum(tf.convert_to_tensor(slices) * x)
    sums = x + slices, slices + x, tf.abs(-slices), tf.stack([slices, slices])
    choice = tf.function(lambda n: slices if n > 0 else -slices)(tf.constant(1))
    return tf.is_tensor(slices), sums, tape.gradient(y, values), choice.values


@pytest.mark.parametrize("lib", _LIBS)
def test_rows_without_a_shape_are_no_tensor(lib: Any) -> None:
    slices = lib.IndexedSlices(lib.constant([[1.0]]), lib.constant([0]))
    with pytest.raises(ValueError, match="without dense_shape"):
        lib.abs(slices)
    with pytest.raises(TypeError, match="unsupported operand"):
        slices * 2


@same
def test_reading_rows(tf: Any) -> Any:
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = v.gather_nd([[0, 1], [1, 2]])
    return v.sparse_read([1, 0]), y, tape.gradient(y, v)


@pytest.mark.parametrize("lib", _LIBS)
def test_refusals(lib: Any) -> None:
    v = lib.Variable([[1.0, 2.0], [4.0, 5.0]])
    with pytest.raises(TypeError, match="IndexedSlices"):
        v.scatter_add(3.0)
    with pytest.raises(ValueError, match="compatible"):
        v.set_shape([3])
    with pytest.raises(ValueError, match="shape"):
        lib.Variable([1.0], shape=[2])
    with pytest.raises(ValueError, match="initial_value"):
        lib.Variable()
    for operator in ("+=", "-=", "*=", "/=", "**="):
        with pytest.raises(RuntimeError, match="not supported"):
            exec(f"v {operator} 1.0", {"v": v})
    np.testing.assert_array_equal(v.numpy(), [[1, 2], [4, 5]])


@same
def test_facts(tf: Any) -> Any:
    v = tf.Variable([[1.0, 2.0]], name="weights", trainable=False, constraint=tf.nn.relu)
    twin, alias = copy.deepcopy(v), copy.copy(v)
    twin.assign_add([[1.0, 1.0]])
    v.set_shape([None, 2])
    return (
        (v, twin, alias is v, twin.name, twin.trainable, v.get_shape(), v.is_initialized()),
        (v.constraint is tf.nn.relu, twin.constraint is v.constraint),
        tf.Variable([1.0], True, True, None, "named").name,
        (complex(tf.Variable(1 + 2j)), tf.Variable(1.0, trainable=None).trainable),
    )
