"""The guide on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from guides.printed import prints_the_same, refused


@prints_the_same
def test_basics(tf: Any, print: Any) -> None:
    scalar = tf.constant(4)
    print(scalar)
    vector = tf.constant([2.0, 3.0, 4.0])
    print(vector)
    matrix = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
    print(matrix)
    cube = tf.constant(
        [
            [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]],
            [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]],
            [[20, 21, 22, 23, 24], [25, 26, 27, 28, 29]],
        ]
    )
    print(cube)
    print(np.array(matrix))
    print(matrix.numpy())


@prints_the_same
def test_operators(tf: Any, print: Any) -> None:
    a = tf.constant([[1, 2], [3, 4]])
    b = tf.constant([[1, 1], [1, 1]])
    print(tf.add(a, b), "\n")
    print(tf.multiply(a, b), "\n")
    print(tf.matmul(a, b), "\n")
    print(a + b, "\n")
    print(a * b, "\n")
    print(a @ b, "\n")
    c = tf.constant([[4.0, 5.0], [10.0, 1.0]])
    print(tf.reduce_max(c))
    print(tf.math.argmax(c))
    print(tf.nn.softmax(c))
    print(tf.convert_to_tensor([1, 2, 3]))
    print(tf.reduce_max([1, 2, 3]))
    print(tf.reduce_max(np.array([1, 2, 3])))


@prints_the_same
def test_shapes(tf: Any, print: Any) -> None:
    t = tf.zeros([3, 2, 4, 5])
    print("dtype:", t.dtype)
    print("rank:", t.ndim)
    print("shape:", t.shape)
    print("first axis:", t.shape[0])
    print("last axis:", t.shape[-1])
    print("elements:", tf.size(t).numpy())
    print(tf.rank(t))
    print(tf.shape(t))


@prints_the_same
def test_indexing(tf: Any, print: Any) -> None:
    v = tf.constant([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])
    print(v.numpy())
    print("first:", v[0].numpy())
    print("second:", v[1].numpy())
    print("last:", v[-1].numpy())
    print("all:", v[:].numpy())
    print("before 4:", v[:4].numpy())
    print("from 4:", v[4:].numpy())
    print("2 to 7:", v[2:7].numpy())
    print("every other:", v[::2].numpy())
    print("reversed:", v[::-1].numpy())
    m = tf.constant([[1, 2], [3, 4], [5, 6]], dtype=tf.float16)
    print(m[1, 1].numpy())
    print("row:", m[1, :].numpy())
    print("column:", m[:, 1].numpy())
    print("last row:", m[-1, :].numpy())
    print("first of last column:", m[0, -1].numpy())
    print("skip a row:")
    print(m[1:, :].numpy(), "\n")
    cube = tf.reshape(tf.range(30), [3, 2, 5])
    print(cube[:, :, 4])


@prints_the_same
def test_reshaping(tf: Any, print: Any) -> None:
    x = tf.constant([[1], [2], [3]])
    print(x.shape)
    print(x.shape.as_list())
    y = tf.reshape(x, [1, 3])
    print(x.shape)
    print(y.shape)
    cube = tf.reshape(tf.range(30), [3, 2, 5])
    print(tf.reshape(cube, [-1]))
    print(tf.reshape(cube, [3 * 2, 5]), "\n")
    print(tf.reshape(cube, [3, -1]))
    print(tf.reshape(cube, [2, 3, 5]), "\n")
    print(tf.reshape(cube, [5, 6]), "\n")
    print(refused(lambda: tf.reshape(cube, [7, -1])))


@prints_the_same
def test_dtypes(tf: Any, print: Any) -> None:
    f64 = tf.constant([2.2, 3.3, 4.4], dtype=tf.float64)
    f16 = tf.cast(f64, dtype=tf.float16)
    print(f16)
    u8 = tf.cast(f16, dtype=tf.uint8)
    print(u8)


@prints_the_same
def test_broadcasting(tf: Any, print: Any) -> None:
    x = tf.constant([1, 2, 3])
    y = tf.constant(2)
    z = tf.constant([2, 2, 2])
    print(tf.multiply(x, 2))
    print(x * y)
    print(x * z)
    x = tf.reshape(x, [3, 1])
    y = tf.range(1, 5)
    print(x, "\n")
    print(y, "\n")
    print(tf.multiply(x, y))
    x_stretch = tf.constant([[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]])
    y_stretch = tf.constant([[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]])
    print(x_stretch * y_stretch)
    print(tf.broadcast_to(tf.constant([1, 2, 3]), [3, 3]))
