"""Python's operators, conversion of Python numbers, and NumPy arrays on both sides."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from api.same import error, same


@same
def test_arithmetic(tf: Any) -> Any:
    x, n = tf.constant([7.5, -7.5]), tf.constant([7, -7])
    return [
        x + 1,
        1 + x,
        x - 1,
        1 - x,
        x * 2,
        2 * x,
        x / 2,
        2 / x,
        x // 2,
        x % 2,
        x**2,
        2**x,
        -x,
        abs(x),
        n + 1,
        1 - n,
        n * 2,
        n // 2,
        n % 3,
        7 // n,
        7 % n,
        n**2,
        2 ** tf.constant([3]),
        -n,
        abs(n),
        n / 2,
        n / n,
    ]


@same
def test_wrapping(tf: Any) -> Any:
    return [
        tf.constant(2**31 - 1) + 1,
        tf.constant(-(2**31)) * -1,
        abs(tf.constant(-(2**31))),
        tf.constant(46341) ** 2,
        tf.reduce_sum([2**31 - 1, 1]),
    ]


@same
def test_comparison(tf: Any) -> Any:
    n = tf.constant([1, 2])
    return [
        n < 2,
        n <= 1,
        n > 1,
        n >= 2,
        operator.gt(2, n),
        n == 2,
        n != 2,
        n == n,
        n == [1, 3],
        operator.eq([1], tf.constant([1])),
        n == np.array([1, 3]),
        operator.eq(n, None),
        operator.ne(n, None),
        n == tf.constant([1, 2, 3]),
        n != tf.constant([1, 2, 3]),
        tf.constant(1.0) == tf.constant(1.0),
        operator.eq(tf.constant(True), True),
    ]


@same
def test_logic(tf: Any) -> Any:
    t, six = tf.constant([True, False]), tf.constant(6)
    return [t & True, t | False, t ^ True, ~t, True & t, six & 3, six | 1, six ^ 3, ~six]


@same
def test_product_with_booleans(tf: Any) -> Any:
    b, n, x = tf.constant([True, False, True]), tf.constant([3, 4, 0]), tf.constant([0.5, 1, -2])
    product = tf.function(lambda x, y: x * y)
    return [
        *(b * n, n * b, x * b, b * x, b * tf.constant([[2], [0]]), b * tf.Variable(n)),
        *(b * 3, b * 2.5, b * [1, 0, 2], b * b, n * True, n * np.array([True, False, True])),
        *(product(b, n), product(x, b), tf.constant([1j, 2, 1 + 1j]) * b),
        *(error(lambda: tf.cast(n, tf.int8) * True), error(lambda: 3 * b)),
        *(error(lambda: n * tf.constant([True] * 2))),
        *(error(lambda: b + n), error(lambda: tf.multiply(b, n))),
        error(lambda: tf.constant(["a"]) * tf.constant("b")),
    ]


@same
def test_python_numbers_adapt(tf: Any) -> Any:
    x, n = tf.constant([1.5]), tf.constant([2])
    return [
        x + 1,
        x + True,
        n + True,
        x * [True],
        operator.add(x, [1]),
        n + np.int64(1),
        x + np.float64(2),
    ]


@same
def test_arrays_adapt(tf: Any) -> Any:
    x, n = tf.constant([1.5]), tf.constant([2])
    return [
        x + np.array([1.0]),
        x + np.array([1]),
        x + np.array([True]),
        n + np.array([1.5]),
        np.array([1.5]) * n,
        np.float32(1.5) * n,
        np.array([1.0]) + x,
        tf.maximum(n, np.array([2.5])),
        tf.matmul(tf.constant([[1.0]]), np.array([[2]])),
        tf.add(np.array([1, 2]), np.array([1.5, 2])),
        tf.add(1.5, 2),
        tf.add([1.5, 2.5], [1, 2]),
        tf.where([True], 1.0, 2),
        tf.where([True], tf.constant([1.0]), np.array([2])),
        tf.where([True, False], [1.0, 2.0], [3, 4]),
    ]


@same
def test_conversion_to_python(tf: Any) -> Any:
    x = tf.constant([[1, 2], [3, 4]])
    first, second = x
    return [
        int(tf.constant(3.7)),
        float(tf.constant(2.5)),
        bool(tf.constant(0)),
        bool(tf.constant([[True]])),
        not tf.constant(0.0),
        len(x),
        first,
        list(x),
        [(i, int(v)) for i, v in enumerate(tf.constant([5, 6]))],
        [10, 20, 30][tf.constant(1)],
        list(range(tf.constant(3))),
        sum(tf.constant([3.0, 4.0])),
        max(tf.constant([3.0, 4.0])),
        second.numpy().tolist(),
        type(tf.constant(1).numpy()).__name__,
    ]


@same
def test_numpy_functions(tf: Any) -> Any:
    x = tf.constant([3.0, 4.0])
    return [
        np.asarray(x),
        np.array(x),
        np.array([x, x]),
        np.stack([x, x]),
        np.add(x, x),
        np.exp(x),
        np.mean(x),
        np.maximum(x, np.float32(3.5)),
        np.dot(x, x),
        np.sqrt(tf.Variable([4.0, 9.0])),
        np.arange(6)[tf.constant([1, 2])].tolist(),
        x.numpy().dtype.name,
        bool(np.allclose(x, [3, 4])),
    ]


@same
def test_tensors_do_not_change(tf: Any) -> Any:
    array = np.array([1.0, 2.0], np.float32)
    x = tf.constant(array)
    array[0] = 9
    copy = np.array(x)
    copy[1] = 7
    return x


@same
def test_references(tf: Any) -> Any:
    x = tf.constant(1)
    found = {x.ref(): "x"}
    return [found[x.ref()], x.ref().deref() is x, x.ref() == tf.constant(1).ref()]


@same
def test_reflected_operators_of_other_objects(tf: Any) -> Any:
    class Unit:
        def named(self, other: Any) -> Any:
            return ("unit", other.shape.as_list())

        __rmul__ = __radd__ = __rsub__ = __rtruediv__ = __rpow__ = __rmod__ = named
        __rfloordiv__ = __rmatmul__ = named

    class Refusing:
        def __rmul__(self, other: Any) -> Any:
            return NotImplemented

        def __radd__(self, other: Any) -> Any:
            raise TypeError("not this error")

    x, variable, unit = tf.constant([1.0, 2.0]), tf.Variable(1.0), Unit()
    found = [x * unit, x + unit, x - unit, x / unit, x**unit, x % unit, x // unit, x @ unit]
    found += [variable * unit, tf.function(lambda y: [(y * unit)[0], y * 2.0][1])(x)]
    for function in (lambda: x * Refusing(), lambda: x + Refusing(), lambda: x * object()):
        with pytest.raises((TypeError, ValueError)) as caught:
            function()
        found.append("not this error" in str(caught.value))
    return found
