"""Compiled control flow on devices gives what the same program gives op by op, with gradients."""

from __future__ import annotations

import numpy as np
import pytest

from tfpy.testing import run_in_browser


def branches(tf, x, w):
    if tf.reduce_sum(x) > 0:
        x = x @ w
        return tf.nn.relu(x)
    return tf.tanh(x @ w) - 1.0


def powers(tf, x, w):
    n = tf.constant(0)
    while tf.reduce_max(tf.abs(x)) < 50.0:
        x = x @ w
        n += 1
    return x, n


def recurrent(tf, x, w):
    state = tf.zeros([3])
    states = tf.TensorArray(tf.float32, size=4)
    for t in tf.range(4):
        state = tf.tanh(tf.linalg.matvec(w, state) + x[t])
        states = states.write(t, state)
    return states.stack()


def rows(tf, x, w):
    return (
        tf.map_fn(lambda r: r * tf.reduce_sum(r), x),
        tf.scan(lambda a, r: a * 0.5 + r, x),
        tf.scan(lambda a, r: tf.linalg.matvec(w, a) + r, x, reverse=True),
        tf.foldl(lambda a, r: tf.maximum(a, r), x),
    )


def stops(tf, x, w):
    total = tf.zeros([3])
    for row in x:
        if tf.reduce_sum(row) > 1.5:
            break
        if row[0] < 0:
            continue
        total = total + tf.linalg.matvec(w, row)
    return total


def nested(tf, x, w):
    for i in tf.range(3):
        for j in tf.range(i + 1):
            x = x * 0.9 + tf.cast(j, tf.float32) * w[0] if x[0, 0] < 1.0 else x @ w
    return x


PROGRAMS = (branches, powers, recurrent, rows, stops, nested)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_programs(tf, backend, number):
    program = PROGRAMS[number]
    compiled = tf.function(program)
    rng = np.random.default_rng(number)
    for sign in (1, -1):
        x = tf.constant(sign * rng.uniform(-0.3, 1.0, [4, 3]).astype(np.float32))
        w = tf.constant((np.eye(3) + rng.uniform(0.3, 0.5, [3, 3])).astype(np.float32))
        results = []
        for function in (program, compiled):
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                found = function(tf, x, w)
                leaves = list(found) if isinstance(found, tuple) else [found]
                floats = [t for t in leaves if t.dtype == tf.float32]
            grads = tape.gradient(floats, [x, w], unconnected_gradients="zero")
            results.append([np.asarray(t) for t in (*leaves, *grads)])
        for mine, wanted in zip(results[1], results[0], strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=2e-3, atol=2e-4)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_variables_and_effects(tf, backend):
    import io
    import sys
    from contextlib import redirect_stderr

    v = tf.Variable([1.0, 2.0])

    @tf.function
    def train(x):
        for i in tf.range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((v * x - 1.0) ** 2)
            v.assign_sub(0.1 * tape.gradient(loss, v))
            tf.print("step", i)
        return v * 1.0

    text = io.StringIO()
    with redirect_stderr(text):
        result = train(tf.constant([1.0, 0.5]))
    assert text.getvalue() == "step 0\nstep 1\nstep 2\n", sys.version
    wanted = np.array([1.0, 2.0])
    x = np.array([1.0, 0.5])
    for _ in range(3):
        wanted = wanted - 0.1 * 2 * (wanted * x - 1) * x
    np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-5)
    np.testing.assert_allclose(v.numpy(), wanted, rtol=1e-5)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_gradients_of_assigned_variables(tf, backend):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 0.5])

    def step():
        y = tf.reduce_sum(v * w)
        if tf.reduce_sum(w) > 0.0:
            v.assign(v * w)
        for _ in tf.range(2):
            v.assign_add(w)
            y += tf.reduce_sum(v**2)
        return y * tf.reduce_sum(v)

    found = []
    for function in (step, tf.function(step)):
        v.assign([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = function()
        found.append([y.numpy(), v.numpy(), *(g.numpy() for g in tape.gradient(y, [v, w]))])
    for mine, wanted in zip(found[1], found[0], strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-4)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_decorated_methods_of_an_installed_package(tf, backend):
    class Model:
        def __init__(self):
            self.weight = tf.Variable(2.0)

        @tf.function
        def call(self, x):
            if x > self.weight:
                self.weight.assign_add(1.0)
                return x * self.weight
            return x

    model = Model()
    assert [model.call(tf.constant(x)).numpy() for x in (1.0, 3.0)] == [1, 9]
    assert model.weight.numpy() == 3
