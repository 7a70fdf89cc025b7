"""Functions of TensorFlow.js for lifetimes: tf.grad, tf.tidy, tf.keep, tf.dispose, tf.memory."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.core import scalar_cache


def count() -> int:
    """Return the number of live tensors, without cached constants."""
    gc.collect()
    tensors: int = tf.memory()["numTensors"]
    return tensors


def test_grad() -> None:
    assert tf.grad(lambda x: x * x)(3.0).numpy() == 6
    assert tf.grad(lambda x: x * x)([1.0, 2.0], [1.0, 10.0]).numpy().tolist() == [2, 40]
    dx, dy = tf.grads(lambda x, y: x * y)([2.0, 3.0])
    assert (dx.numpy(), dy.numpy()) == (3, 2)
    found = tf.value_and_grad(lambda x: tf.reduce_sum(x * x))([1.0, 2.0])
    assert found["value"].numpy() == 5
    assert found["grad"].numpy().tolist() == [2, 4]
    found = tf.value_and_grads(lambda x, y: x * y)([2.0, 3.0])
    assert found["value"].numpy() == 6
    assert [g.numpy() for g in found["grads"]] == [3, 2]


def test_grad_of_grad() -> None:
    assert tf.grad(tf.grad(lambda x: x**3))(2.0).numpy() == 12


def test_grad_needs_dependence() -> None:
    with pytest.raises(ValueError, match="does not depend"):
        tf.grads(lambda x, y: x * 2)([1.0, 2.0])


def test_variable_grads() -> None:
    w, b = tf.Variable([2.0], name="w"), tf.Variable(1.0, name="b")
    found = tf.variable_grads(lambda: tf.reduce_sum(w * w + b))
    assert found["value"].numpy() == 5
    assert {k: g.numpy().tolist() for k, g in found["grads"].items()} == {"w:0": [4.0], "b:0": 1.0}
    only = tf.variable_grads(lambda: tf.reduce_sum(w * b), [b])
    assert list(only["grads"]) == ["b:0"]
    with pytest.raises(ValueError, match="scalar"):
        tf.variable_grads(lambda: w * 2)


def test_tidy_disposes_what_is_not_returned() -> None:
    before = count()
    inside: list[Any] = []

    def work() -> Any:
        a = tf.constant([1.0, 2.0])
        b = a * 2
        inside.extend([a, b])
        return {"sum": [tf.reduce_sum(b)]}

    result = tf.tidy(work)
    assert [t.is_disposed for t in inside] == [True, True]
    assert result["sum"][0].numpy() == 6
    assert count() == before + 1
    tf.dispose(result)
    assert count() == before
    with pytest.raises(RuntimeError, match=r"disposed.*tf.keep"):
        inside[0].numpy()


def test_tidy_spares_variables_and_kept_tensors() -> None:
    made: dict[str, Any] = {}

    def work() -> None:
        made["variable"] = tf.Variable([1.0])
        made["variable"].assign_add([1.0])
        made["kept"] = tf.keep(tf.constant([3.0]))

    tf.tidy("named", work)
    assert made["variable"].numpy() == [2]
    assert made["kept"].numpy() == [3]


def test_tidy_spares_numbers_that_all_share() -> None:
    scalar_cache.clear_scalars()
    x = tf.constant([1.0])
    tf.tidy(lambda: (x * 7.0).numpy())
    assert (x * 7.0).numpy() == 7


def test_nested_tidy_hands_results_to_the_outer_scope() -> None:
    inner: list[Any] = []

    def work() -> Any:
        inner.append(tf.tidy(lambda: tf.constant([1.0]) * 2))
        assert not inner[0].is_disposed
        return inner[0] + 1

    result = tf.tidy(work)
    assert inner[0].is_disposed
    assert result.numpy() == [3]


def test_tidy_after_an_error() -> None:
    before = count()
    held: list[Any] = []

    def work() -> None:
        held.append(tf.constant([1.0]))
        raise KeyError("x")

    with pytest.raises(KeyError):
        tf.tidy(work)
    assert held[0].is_disposed
    assert count() == before
    assert tf.tidy(lambda: tf.constant(1.0)).numpy() == 1


def test_tidy_refuses_async_functions() -> None:
    async def work() -> None: ...

    with pytest.raises(TypeError, match="async"):
        tf.tidy(work)
    with pytest.raises(TypeError, match="function"):
        tf.tidy(3)


def test_memory_counts_bytes_and_shared_storage() -> None:
    before = tf.memory()
    x = tf.zeros([10, 10]) + 1
    y = tf.reshape(x, [100])
    after = tf.memory()
    assert after["numTensors"] - before["numTensors"] == 2
    assert after["numDataBuffers"] - before["numDataBuffers"] == 1
    assert after["numBytes"] - before["numBytes"] == 400
    assert {"slots", "bytes"} <= set(after["backend"])
    x.dispose()
    assert y.numpy().sum() == 100


def test_garbage_is_given_back() -> None:
    tf.memory()
    before = tf.memory()["backend"]["slots"]
    for _ in range(50):
        tf.reduce_sum(tf.constant(np.ones(5000, np.float32)) * 2)
    gc.collect()
    assert tf.memory()["backend"]["slots"] == before


def test_dispose_twice() -> None:
    x = tf.constant([1.0])
    x.dispose()
    x.dispose()
    assert x.is_disposed
    assert x.shape == (1,)


def test_reads() -> None:
    x = tf.constant([[1.0, 2.0]])

    async def read() -> Any:
        return await x.data(), await x.array(), await tf.Variable(3).data()

    data, nested, value = asyncio.run(read())
    assert data.tolist() == nested == x.array_sync() == [[1, 2]]
    assert x.data_sync().tolist() == [[1, 2]]
    assert value == 3


def test_training_leaves_no_cycles() -> None:
    """Check that reference counting alone frees the tensors.

    Device memory is then free immediately.
    """
    w = tf.Variable([[0.5, 1.0], [1.0, -1.0]])
    x = tf.constant([[1.0, 2.0]])

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax(x @ w) * tf.nn.relu(x @ w))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        with tf.GradientTape(persistent=True):
            tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), 1, "SAME")
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul(x, x)

    step()
    gc.collect()
    gc.disable()
    try:
        before = tf.memory()["numTensors"]
        step()
        assert tf.memory()["numTensors"] == before
    finally:
        gc.enable()
