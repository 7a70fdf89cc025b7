"""Values that convert to tensors, and static shapes among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import error, same

import tfpy


class Offering:
    """An object that converts itself to a tensor, like Keras's variables."""

    def __init__(self, tf: Any, value: Any) -> None:
        self.tf, self.value = tf, value

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return self.tf.convert_to_tensor(self.value, dtype)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.value.numpy(), dtype)


class ArrayLike:
    """An object that converts itself to an array."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.values, dtype)


USES: list[Any] = [
    lambda tf, x: tf.square(x),
    lambda tf, x: tf.add([1.0, 1.0], x),
    lambda tf, x: tf.multiply(x, 2),
    lambda tf, x: x * tf.constant(2.0),
    lambda tf, x: tf.constant([1.0, 3.0]) - x,
    lambda tf, x: tf.multiply(x, x),
    lambda tf, x: tf.stack([x, x]),
    lambda tf, x: tf.concat([x, [1.0]], 0),
    lambda tf, x: tf.reduce_sum(x),
    lambda tf, x: tf.nn.softmax(x) * [1.0, 2.0],
    lambda tf, x: tf.reshape(x, [2, 1]),
    lambda tf, x: tf.where([True, False], x, 0.0),
    lambda tf, x: tf.add_n([x, x]),
    lambda tf, x: tf.cast(x, tf.float32),
    lambda tf, x: tf.gather(x, [0]),
    lambda tf, x: tf.clip_by_norm(x, 1.0),
    lambda tf, x: tf.function(lambda: tf.square(x) * x)(),
    lambda tf, x: tf.function(tf.square)(x),
    lambda tf, x: tf.map_fn(tf.square, x),
    lambda tf, x: tf.nn.conv1d(tf.ones([1, 2, 1]), tf.reshape(x, [1, 1, 2]), 1, "VALID"),
]


@same
def test_objects_that_offer_a_tensor_keep_gradients(tf: Any) -> Any:
    found = []
    for use in USES:
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = use(tf, Offering(tf, v))
        found.append([y, tf.convert_to_tensor(tape.gradient(y, v))])
    return found


@same
def test_objects_that_offer_a_tensor_as_sizes_and_values(tf: Any) -> Any:
    def offer(value: Any) -> Any:
        return Offering(tf, tf.constant(value))

    return [
        tf.zeros(offer([2, 1])),
        tf.reshape(tf.ones([2, 3]), offer([3, 2])),
        tf.reduce_sum(tf.ones([2, 3]), axis=offer(1)),
        tf.Variable([0.0, 0.0]).assign(offer([1.0, 2.0])),
        tf.Variable(offer([1.0])),
        tf.constant([1.0, 2.0]) == offer([1.0, 3.0]),
        tf.is_tensor(offer(1)),
        error(lambda: tf.convert_to_tensor(offer(1.0), tf.int32)),
        error(lambda: tf.constant([1, 1]) + offer([1.0, 2.0])),
    ]


@same
def test_array_likes_are_constants(tf: Any) -> Any:
    x = ArrayLike([1.5, 2.0])
    return [
        tf.convert_to_tensor(x),
        tf.constant(x, tf.float16),
        tf.add([1.0, 1.0], x),
        tf.constant([1, 1]) + x,  # its array is requested in the dtype of x
        tf.function(tf.square)(x),
        tf.zeros(ArrayLike([2, 1])),
        tf.reduce_sum(tf.ones([2, 3]), axis=ArrayLike(1)),
        error(lambda: tf.convert_to_tensor([x, x])),
        error(lambda: tf.add([x, x], 1.0)),
    ]


@same
def test_static_shapes_convert(tf: Any) -> Any:
    return [
        tf.convert_to_tensor(tf.TensorShape([])),
        tf.convert_to_tensor(tf.TensorShape([2, 3])),
        tf.constant(tf.TensorShape([2, 3])),
        tf.reduce_prod(tf.TensorShape([2, 3])),
        error(lambda: tf.convert_to_tensor(tf.TensorShape([2, 3]), tf.float32)),
        error(lambda: tf.convert_to_tensor(tf.TensorShape([2, None]))),
        error(lambda: tf.convert_to_tensor(tf.TensorShape(None))),
    ]


@same
def test_equality_of_static_shapes(tf: Any) -> Any:
    shape, unknown = tf.TensorShape([3]), tf.TensorShape(None)
    others: list[Any] = [3, 4, [3], (3,), None, "a", [None], tf.constant([3]), np.array([3])]
    return [
        [(shape == other, shape != other, unknown == other) for other in others],
        tf.TensorShape([3, 4]) == 3,
        unknown == tf.TensorShape(None),
        tf.TensorShape([None]) == [None],
    ]


@same
def test_dimensions(tf: Any) -> Any:
    two, three, open_ = tf.TensorShape([2, 3, None]).dims
    return [
        [d.value for d in (two, three, open_)],
        [repr(d) for d in (two, open_)],
        [str(d) for d in (two, open_)],
        [(two + 1).value, (1 + two).value, (two * three).value, (open_ + 1).value],
        [(three // 2).value, (three - 1).value, (5 - two).value, (three % 2).value],
        [two == 2, two != 2, two == three, two == open_, open_ < 3, two < three, two >= 3],
        [int(two), list(range(two)), [10, 20, 30][two]],
        [two.is_compatible_with(open_), two.is_compatible_with(3), open_.merge_with(4).value],
        tf.zeros([two, 3]),
        tf.zeros(tf.TensorShape([2, 3]).dims),
        tf.reshape(tf.ones([6]), [two, -1]),
        tf.constant(two),
        tf.TensorShape([two, open_, 4]),
        tf.TensorShape(None).dims is None,
        error(lambda: two / 2),
        error(lambda: hash(two)),
        error(lambda: two.merge_with(3)),
        error(lambda: int(open_)),
    ]


@same
def test_slices_of_unknown_shapes(tf: Any) -> Any:
    shape = tf.TensorShape(None)
    return [shape[0], shape[1:], shape[1:3], shape[:2], shape[-1:]]


@same
def test_dtypes_by_number(tf: Any) -> Any:
    kinds = (tf.float32, tf.int32, tf.uint8, tf.int8, tf.string, tf.complex64, tf.bool, tf.uint32)
    return [
        [d.as_datatype_enum for d in (*kinds, tf.float16)],
        [tf.as_dtype(d.as_datatype_enum) == d for d in kinds],
        tf.as_dtype(2),
        tf.as_dtype(9),
        error(lambda: tf.as_dtype(999)),
        error(lambda: tf.as_dtype(None)),
    ]


def test_what_lists_of_offering_objects_hold_is_differentiated() -> None:
    """Check that lists of convertible objects are differentiable.

    TensorFlow rejects such lists.
    """
    v = tfpy.Variable([1.0, 2.0])
    with tfpy.GradientTape() as tape:
        y = tfpy.convert_to_tensor([Offering(tfpy, v), Offering(tfpy, v)])
    np.testing.assert_array_equal(tape.gradient(y, v), [2.0, 2.0])


def promoting(lib: Any) -> Any:
    """Return a class like Keras's Variable, which acts as a Variable and promotes dtypes."""

    class Promoting:
        _should_act_as_resource_variable = True

        def __init__(self, value: Any, dtype: Any) -> None:
            self.value = lib.Variable(lib.cast(value, dtype))
            self.handle, self.dtype, self.shape = (
                self.value.handle,
                self.value.dtype,
                self.value.shape,
            )

        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            return lib.convert_to_tensor(self.value, dtype)

        def _promoted(self, op: Any, other: Any) -> Any:
            return op(*(lib.cast(x, lib.float32) for x in (other, self.value)))

        def __rmul__(self, other: Any) -> Any:
            return self._promoted(lib.multiply, other)

        def __rsub__(self, other: Any) -> Any:
            return self._promoted(lib.subtract, other)

        def __rtruediv__(self, other: Any) -> Any:
            return self._promoted(lib.divide, other)

        def __rpow__(self, other: Any) -> Any:
            return self._promoted(lib.pow, other)

    return Promoting


@same
def test_a_right_operand_of_another_dtype_promotes(lib: Any) -> Any:
    kind = promoting(lib)
    ones = [[1.0, 2.0], [3.0, 4.0]]
    found = []
    for own, given in (("float16", "float32"), ("bfloat16", "float32"), ("float32", "bfloat16"),
                       ("float32", "int32"), ("float32", "float32")):  # fmt: skip
        k, x = kind(ones, own), lib.cast(ones, given)
        v = lib.Variable(x)

        def program(k: Any = k, x: Any = x, v: Any = v) -> Any:
            return [x * k, v * k, x - k, x / k, x**k]

        found += [program(), lib.function(program, autograph=False)()]
    return found


def test_what_does_not_promote_raises() -> None:
    k, x = promoting(tfpy)([[1.0, 2.0]], "float16"), tfpy.ones([1, 2])
    for op in (lambda: x // k, lambda: x < k, lambda: tfpy.multiply(x, k), lambda: x * k.value):
        with pytest.raises((ValueError, tfpy.errors.InvalidArgumentError), match="float16"):
            op()


@same
def test_derivatives_by_what_acts_as_a_variable(lib: Any) -> Any:
    kind = promoting(lib)
    k, u = (kind([[1.0, 2.0], [3.0, 4.0]], "float32") for _ in range(2))
    x = lib.constant([[1.0, 2.0], [3.0, 4.0]])

    def derivatives() -> Any:
        with lib.GradientTape(persistent=True) as tape:
            y = lib.matmul(x, k)
            z = k.value * k.value
        return [
            tape.jacobian(y, k),
            tape.jacobian(y, {"a": k, "b": [u]}),
            tape.batch_jacobian(z, k),
            tape.gradient(y, [k, u]),
        ]

    @lib.function
    def slopes() -> Any:
        return lib.gradients(lib.matmul(x, k), [k.value])

    return [derivatives(), lib.function(derivatives)(), slopes()]


@same
def test_products_of_bfloat16_and_float32(lib: Any) -> Any:
    x = lib.constant([[1.5, 2.0], [3.0, 4.5]])
    b = lib.cast([[1.0, 2.0], [0.5, 1.5]], lib.bfloat16)
    with lib.GradientTape() as tape:
        tape.watch([x, b])
        y = [
            lib.matmul(x, b),
            b @ x,
            lib.matmul(x, b, transpose_a=True),
            lib.linalg.matvec(x, b[0]),
        ]
    return y, [lib.cast(g, lib.float32) for g in tape.gradient(y, [x, b])]
