"""Creation of tensors, dtypes, and printing."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from api.same import same


@same
def test_constant(tf: Any) -> Any:
    return [
        tf.constant(1),
        tf.constant(1.5),
        tf.constant(True),
        tf.constant("abc"),
        tf.constant(b"abc"),
        tf.constant([]),
        tf.constant([[]]),
        tf.constant([1, 2.5]),
        tf.constant([[1, 2], [3, 4]]),
        tf.constant([[[1.0], [2.0]]]),
        tf.constant((1, 2)),
        tf.constant(["ab", "c"]),
        tf.constant(1 + 2j, tf.complex64),
        tf.constant(1e400),
        tf.constant([np.nan, np.inf, -np.inf, -0.0]),
        tf.constant([True, False]),
    ]


@same
def test_constant_dtype(tf: Any) -> Any:
    return [
        tf.constant(1, tf.float32),
        tf.constant([1, 2], "float32"),
        tf.constant(1.5, tf.float16),
        tf.constant([1, 2], tf.uint8),
        tf.constant([1, 2], np.int32),
        tf.constant(True, tf.float32),
        tf.constant([True, False], tf.int32),
        tf.constant([], tf.int32),
        tf.constant(np.array([1.5, -1.5]), tf.int32),
        tf.constant(np.array([0, 2]), tf.bool),
        tf.constant(np.float64(1.5)),
        tf.constant(np.int64(3)),
        tf.constant(np.uint8(3)),
        tf.constant(np.float32(2.5)),
        tf.constant(np.array([True])),
        tf.constant(np.array(["a"])),
        tf.constant([np.float32(1), np.float32(2)]),
        tf.constant([np.array([1, 2]), np.array([3, 4])]),
    ]


@same
def test_constant_shape(tf: Any) -> Any:
    return [
        tf.constant(5, shape=[2, 3]),
        tf.constant([1, 2, 3, 4], shape=(2, 2)),
        tf.constant([1.0, 2.0], shape=[2]),
        tf.constant(0, shape=[]),
    ]


@same
def test_convert_to_tensor(tf: Any) -> Any:
    return [
        tf.convert_to_tensor([1, 2]),
        tf.convert_to_tensor(tf.constant([1.0])),
        tf.convert_to_tensor(tf.Variable([1.0, 2.0])),
        tf.convert_to_tensor([1, 2], dtype_hint=tf.float32),
        tf.convert_to_tensor([1.5, 2], dtype_hint=tf.int32),
        [
            tf.convert_to_tensor(value, dtype_hint=hint)
            for value in (np.array([1.5, -2.0]), np.array([300, -1], np.int32), [True], [], [1])
            for hint in (tf.float16, tf.float32, tf.int32, tf.uint8, tf.bool, tf.complex64)
        ],
        tf.convert_to_tensor([True], dtype_hint=tf.uint64),
        tf.convert_to_tensor([np.array([1, 2]), tf.constant([0.5, 1.5], tf.float16)]),
        tf.convert_to_tensor([tf.constant(1.0), 2]),
        tf.convert_to_tensor([tf.constant([1.0, 2.0]), [3, 4]]),
        tf.convert_to_tensor([1, 2], tf.float32),
        tf.is_tensor(1),
        tf.is_tensor(tf.constant(1)),
        tf.is_tensor(tf.Variable(1)),
    ]


@same
def test_filled(tf: Any) -> Any:
    return [
        tf.zeros([2, 3]),
        tf.zeros([]),
        tf.zeros(2),
        tf.zeros([0, 2]),
        tf.zeros([2], tf.string),
        tf.zeros((2,), tf.bool),
        tf.zeros(tf.constant([2, 2]), tf.int32),
        tf.ones([2], tf.bool),
        tf.ones([2, 1], tf.uint8),
        tf.zeros_like([1.5]),
        tf.ones_like([1, 2]),
        tf.ones_like(tf.constant([True])),
        tf.ones_like(["a", "b"], "int32"),
        tf.zeros_like([1, 2], dtype=tf.float32),
        tf.fill([2], 2.0),
        tf.fill([2, 2], True),
        tf.fill([0], 1),
        tf.eye(2),
        tf.eye(2, 3, dtype=tf.int32),
        tf.eye(2, batch_shape=[2]),
    ]


@same
def test_range(tf: Any) -> Any:
    return [
        tf.range(5),
        tf.range(2, 5),
        tf.range(10, 0, -3),
        tf.range(0),
        tf.range(3.0),
        tf.range(1.5),
        tf.range(0, 1, 0.25),
        tf.range(0, 1, 0.1),
        tf.range(5, dtype=tf.float32),
        tf.range(tf.constant(2), 5),
        tf.range(2, 2),
        tf.range(start=1, limit=4),
    ]


@same
def test_linspace(tf: Any) -> Any:
    return [
        tf.linspace(0.0, 1.0, 3),
        tf.linspace(1.0, 2.0, 1),
        tf.linspace(0, 10, 5),
        tf.linspace([0.0, 1.0], [1.0, 3.0], 3),
        tf.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=1),
        tf.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=-1),
    ]


@same
def test_printing(tf: Any) -> Any:
    values = [
        tf.constant(3),
        tf.constant([1.5, 2]),
        tf.constant([[1.5, 2]]),
        tf.constant([[[1, 2]], [[3, 4]]]),
        tf.constant(list(range(40))),
        tf.zeros([2000]),
        tf.constant("text"),
    ]
    return [[str(v), repr(v), f"{v}"] for v in values] + [f"{tf.constant(1.5):.2f}"]


@same
def test_printing_of_variables(tf: Any) -> Any:
    values = [tf.Variable(1.0), tf.Variable([1.0, 2.0]), tf.Variable([[1, 2], [3, 4]], name="w")]
    return [[str(v), repr(v), f"{v}"] for v in values]


@same
def test_dtypes(tf: Any) -> Any:
    return [
        tf.float32,
        tf.bool,
        tf.string,
        tf.as_dtype("float32"),
        tf.as_dtype(np.int32),
        tf.as_dtype(bool),
        tf.constant("a").dtype,
        tf.constant(1.5).dtype == tf.float32,
        tf.constant(1.5).dtype == "float32",
        tf.constant(1.5).dtype != tf.int32,
        tf.constant(1.5).dtype.name,
        tf.float32.is_floating,
        tf.int32.is_integer,
        tf.bool.is_bool,
        tf.complex64.is_complex,
        tf.int32.max,
        tf.int32.min,
        tf.uint8.min,
        tf.float32.size,
        float(tf.float16.max),
        tf.float32.as_numpy_dtype is np.float32,
        {tf.float32: 1}[tf.as_dtype("float32")],
    ]


@same
def test_shapes(tf: Any) -> Any:
    shape = tf.constant([[1, 2]]).shape
    return [
        shape,
        shape.rank,
        shape.ndims,
        shape[1],
        shape[:1],
        operator.add(shape, [3]),
        shape.as_list(),
        shape.num_elements(),
        shape.is_fully_defined(),
        tuple(shape),
        shape == (1, 2),
        shape == [1, 2],
        shape != [1, 2],
        shape == tf.TensorShape([1, 2]),
        len(shape),
        tf.constant(1).shape,
        tf.constant(1).ndim,
        tf.constant([1]).get_shape(),
        tf.shape([[1, 2]]),
        tf.shape(3),
        tf.size([[1, 2]]),
        tf.rank([[1, 2]]),
    ]


@same
def test_cast(tf: Any) -> Any:
    return [
        tf.cast([1.9, -1.9], tf.int32),
        tf.cast([0.0, 2.0, np.nan], tf.bool),
        tf.cast([True, False], tf.float32),
        tf.cast(3.7, tf.uint8),
        tf.cast([300, -200], tf.int8),
        tf.cast([1, 2], "float32"),
        tf.cast(1.5, float),
        tf.cast([1.5, 2.5], tf.float16),
        tf.cast(2, tf.complex64),
        tf.cast(tf.Variable([1.5]), tf.int32),
    ]


@same
def test_small_and_other_dtypes(tf: Any) -> Any:
    half, byte = tf.constant([1.5, 2], tf.float16), tf.constant([250, 3], tf.uint8)
    text = tf.constant(["a", "b"])
    return [
        half + half,
        half * 2,
        tf.reduce_sum(half),
        tf.exp(half),
        byte + tf.constant(10, tf.uint8),
        tf.cast(byte, tf.float32) / 255.0,
        byte[0],
        tf.reduce_max(byte),
        tf.constant([1], tf.int8) + 1,
        tf.constant(1 + 2j, tf.complex64) * 2,
        tf.constant([1 + 2j], tf.complex64) + 1,
        text == tf.constant(["a", "c"]),
        text != "a",
        text[1],
        tf.concat([text, ["c"]], 0),
        tf.reshape(text, [2, 1]),
        tf.constant("x").numpy(),
    ]
