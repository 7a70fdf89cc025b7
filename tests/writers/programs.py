"""Functions that are written in each format, with their inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tfpy as tf
from tfpy.experimental import dtensor

rng = np.random.default_rng(3)


def numbers(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


@dataclass(frozen=True)
class Program:
    function: Callable[..., Any]
    specs: Sequence[Any]
    inputs: Sequence[np.ndarray]


kernel = tf.Variable(numbers(3, 4), name="dense/kernel")
recurrent = tf.Variable(numbers(4, 16) / 4, name="recurrent")
filters = tf.constant(numbers(3, 3, 2, 4))
depthwise = tf.constant(numbers(3, 3, 4, 1))
scale = tf.constant(numbers(4))
mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])


def perceptron(x: Any) -> Any:
    y = tf.nn.softmax(tf.matmul(x, kernel) + 1.0)
    fresh = tf.zeros([tf.shape(x)[0], 4])
    return {"p": y, "column": tf.reshape(x, [-1, 3, 1]), "mean": tf.reduce_mean(x), "z": fresh + y}


def convolutional(x: Any) -> Any:
    y = tf.nn.conv2d(x, filters, 2, "SAME")
    y = dtensor.relayout(y, dtensor.Layout.batch_sharded(mesh, "batch", 4))
    y = dtensor.relayout_like(y, y + 1.0)
    y = tf.nn.batch_normalization(y, scale, scale * scale + 1.0, None, None, 1e-3)
    y = tf.nn.max_pool2d(tf.nn.relu6(y), 2, 2, "VALID")
    y = tf.nn.avg_pool2d(y, 2, 1, "SAME")
    y = tf.nn.depthwise_conv2d(y, depthwise, [1, 1, 1, 1], "SAME")
    y = tf.image.resize(y, [5, 7])
    return tf.reduce_mean(y, [1, 2]), y


def lstm(x: Any) -> Any:
    h = c = tf.zeros([tf.shape(x)[0], 4])
    taken = tf.TensorArray(tf.float32, 5)
    for step in tf.range(5):
        gates = tf.matmul(tf.concat([h], 1), recurrent) + tf.tile(x[:, step], [1, 4])
        i, f, g, o = tf.split(gates, 4, 1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        taken = taken.write(step, h)
    return taken.stack(), h


def control(x: Any, n: Any) -> Any:
    z = tf.zeros([tf.shape(x)[0], 3])
    i = tf.constant(0)
    while i < n:
        z = z + x * tf.cast(i, tf.float32)
        i += 1
    if tf.reduce_sum(x) > 0.0:
        z = -z
    return z, tf.switch_case(n, [lambda: z, lambda: z * 2.0, lambda: z * 3.0])


def mapped(x: Any) -> Any:
    rows = tf.map_fn(lambda row: tf.cumsum(row * 2.0), x)
    sums = tf.scan(lambda a, b: a + b, x)
    return rows, sums


def sliced(a: Any, b: Any) -> Any:
    return a @ b, a[1:], a[:-1], a[:1], a[::-1], tf.concat([a, a], 0), tf.transpose(a)


def added(a: Any, b: Any) -> Any:
    return a + b


def spec(*shape: int | None, dtype: Any = tf.float32) -> Any:
    return tf.TensorSpec(shape, dtype)


PROGRAMS = {
    "perceptron": Program(perceptron, [spec(None, 3)], [numbers(5, 3)]),
    "convolutional": Program(convolutional, [spec(None, 9, 8, 2)], [numbers(2, 9, 8, 2)]),
    "lstm": Program(lstm, [spec(None, 5, 4)], [numbers(3, 5, 4)]),
    "control": Program(
        control, [spec(None, 3), spec(dtype=tf.int32)], [numbers(5, 3), np.int32(1)]
    ),
    "otherwise": Program(
        control, [spec(None, 3), spec(dtype=tf.int32)], [-abs(numbers(2, 3)), np.int32(4)]
    ),
    "mapped": Program(mapped, [spec(6, 3)], [numbers(6, 3)]),
    "sliced": Program(sliced, [spec(None, None), spec(None, 4)], [numbers(5, 3), numbers(3, 4)]),
    "added": Program(added, [spec(None, 3), spec(None, 3)], [numbers(2, 3), numbers(2, 3)]),
}


def results(program: Program) -> dict[str, np.ndarray]:
    """Return the results of the function by the names of the outputs."""
    found = tf.function(program.function)(*map(tf.constant, program.inputs))
    if not isinstance(found, dict):
        found = found if isinstance(found, tuple) else (found,)
        found = {f"output_{i}": x for i, x in enumerate(found)}
    return {key: x.numpy() for key, x in found.items()}
