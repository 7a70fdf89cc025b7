"""Exported functions with calls, shared by the tests in node and Chromium.

These tests run the functions without Python and compare the results with Python's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tfpy as tf

Array = np.ndarray[Any, Any]
Inputs = dict[str, Array]
STEPS = 3


class Case(NamedTuple):
    """Functions to export and the calls to make: the function's name, and inputs by name."""

    functions: Mapping[str, Any]
    signatures: Mapping[str, Any]
    calls: Sequence[tuple[str, Inputs]]
    tolerance: float = 1e-5

    def export(self, path: Path) -> None:
        tf.export(self.functions, path, self.signatures)

    def expected(self) -> list[dict[str, Array]]:
        """Return the results of the calls, in order. Calls that train change the Variables."""
        return [
            {name: np.asarray(value) for name, value in self._call(name, inputs).items()}
            for name, inputs in self.calls
        ]

    def _call(self, name: str, inputs: Inputs) -> dict[str, Any]:
        given = {key: tf.constant(array) for key, array in inputs.items()}
        found: dict[str, Any] = self.functions[name](**given)
        return found


def spec(array: Array) -> tf.TensorSpec:
    return tf.TensorSpec(array.shape, array.dtype)


def _one(function: Any, *calls: Inputs, tolerance: float = 1e-5) -> Case:
    """Return the case of a single function, exported for the sizes of its calls."""
    sizes = [{key: spec(array) for key, array in inputs.items()} for inputs in calls]
    given = [("call", inputs) for inputs in calls]
    return Case({"call": tf.function(function)}, {"call": sizes}, given, tolerance)


def dense() -> Case:
    """Return two dense layers, exported for two batch sizes."""
    rng = np.random.default_rng(0)
    shapes = [(20, 33), (33,), (33, 5), (5,)]
    w = [tf.Variable(rng.standard_normal(s).astype("float32") / 4, name="w") for s in shapes]

    def network(x: Any) -> Any:
        hidden = tf.nn.relu(x @ w[0] + w[1])
        probabilities = tf.nn.softmax(hidden @ w[2] + w[3])
        return {"probabilities": probabilities, "best": tf.argmax(probabilities, 1)}

    batches = [rng.standard_normal((n, 20)).astype("float32") for n in (1, 7)]
    return _one(network, *({"x": x} for x in batches))


def _network(name: str, run: str, given: str, tolerance: float) -> Case:
    network = importlib.import_module(f"bench.networks.{name}")
    weights = {key: tf.Variable(w, name=key) for key, w in network.weights().items()}

    def forward(x: Any) -> Any:
        return {"result": getattr(network, run)(tf, weights, x)}

    return _one(forward, {"x": getattr(network, given)()}, tolerance=tolerance)


def lstm_loop() -> Case:
    """Return a loop with a given number of LSTM steps, whose states are in a TensorArray."""
    lstm = importlib.import_module("bench.networks.lstm")
    weights = {key: tf.Variable(w, name=key) for key, w in lstm.weights().items()}

    def forward(x: Any, count: Any) -> Any:
        state = memory = tf.zeros([lstm.BATCH, lstm.UNITS])
        states = tf.TensorArray(tf.float32, 6, element_shape=[lstm.BATCH, lstm.UNITS])
        step = tf.constant(0)
        while step < count:
            now = tf.concat([tf.gather(x, step), state], 1)
            gates = tf.matmul(now, weights["kernel"]) + weights["bias"]
            i, j, f, o = tf.split(gates, 4, 1)
            memory = memory * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            state = tf.tanh(memory) * tf.sigmoid(o)
            states = states.write(step, state)
            step += 1
        return {"last": state, "all": states.stack()}

    x = lstm.sequence()[:6]
    case = _one(forward, *({"x": x, "count": np.array(n, np.int32)} for n in (6, 4)))
    return case._replace(signatures={"call": case.signatures["call"][:1]})


def training() -> Case:
    """Return a convolutional network with an Adam step, and predictions before and after."""
    digits = importlib.import_module("bench.networks.digits")
    weights = {key: tf.Variable(w, name=key) for key, w in digits.weights().items()}
    zeros = [np.zeros(w.shape, np.float32) for w in weights.values()]
    first = [tf.Variable(z, name="first", trainable=False) for z in zeros]
    second = [tf.Variable(z, name="second", trainable=False) for z in zeros]
    count = tf.Variable(0, name="count", trainable=False)

    @tf.function
    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = digits.logits(tf, weights, x)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, [*weights.values()])
        t = tf.cast(count.assign_add(1), tf.float32)
        rate = 0.01 * tf.sqrt(1.0 - 0.999**t) / (1.0 - 0.9**t)
        for w, g, m, v in zip(weights.values(), gradients, first, second, strict=True):
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.999 * v + 0.001 * g * g)
            w.assign_sub(rate * m / (tf.sqrt(v) + 1e-3))
        return {"loss": loss, "count": count + 0}

    @tf.function
    def predict(x: Any) -> Any:
        return {"probabilities": tf.nn.softmax(digits.logits(tf, weights, x))}

    rng = np.random.default_rng(1)
    images = rng.uniform(0, 1, (STEPS, 8, 28, 28, 1)).astype("float32")
    labels = rng.integers(0, 10, (STEPS, 8)).astype("int32")
    one = images[0][:1]
    calls: list[tuple[str, Inputs]] = [("predict", {"x": one})]
    for x, y in zip(images, labels, strict=True):
        calls += [("step", {"x": x, "labels": y}), ("predict", {"x": one})]
    sizes = {
        "step": {"x": spec(images[0]), "labels": spec(labels[0])},
        "predict": {"x": spec(one)},
    }
    return Case({"step": step, "predict": predict}, sizes, calls, 1e-4)


def control_flow() -> Case:
    """Return conditions and loops over device values, a loop's gradient, dtypes and randomness."""
    w = tf.Variable([0.5, -1.0, 2.0], name="w")
    flag = tf.Variable([True, False, True], name="flag")

    def function(x: Any, n: Any, wanted: Any) -> Any:
        for i in tf.range(n):
            x = x / 2.0 if tf.reduce_sum(x) > 10.0 else x + tf.cast(i, tf.float32) * w
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0 + 1.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, items = x, tf.TensorArray(tf.float32, 4, element_shape=[3])
            for i in tf.range(4):
                y = tf.sin(y) * w
                items = items.write(i, y * y)
            loss = tf.reduce_sum(items.stack() * 0.1) + tf.reduce_sum(y)
        flag.assign(tf.math.logical_xor(flag, wanted))
        return {
            "x": x,
            "gradient": tape.gradient(loss, x),
            "flag": tf.logical_or(flag, False),
            "z": tf.complex(x, y) * tf.complex(0.0, 1.0),
            "drawn": tf.random.uniform([4], seed=5) + tf.random.normal([4], seed=6),
            "n": n * 3 // 2,
        }

    x, wanted = np.array([1, 2, 3], np.float32), np.array([True, True, False])
    given = [{"x": x, "n": np.array(n, np.int32), "wanted": wanted} for n in (3, 0, 9)]
    case = _one(function, *given, tolerance=3e-4)
    return case._replace(signatures={"call": case.signatures["call"][:1]})


def lists() -> Case:
    """Return nested loops with gradients, which save lists of lists.

    The case also has sums of lists, and convolution filters inside a loop that depend on Variables
    only.
    """
    filters = tf.Variable(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3) / 16, name="filters")
    scale = tf.Variable([1.0, 2.0, 0.5], name="scale")

    def function(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, items = x, tf.TensorArray(tf.float32, 3, element_shape=[1, 1, 2, 3])
            for i in tf.range(3):
                for _ in tf.range(n):
                    y = tf.sin(tf.nn.conv2d(y, filters, 1, "SAME") * scale)
                items = items.write(i, y)
            loss = tf.reduce_sum(items.stack() * 2.0) + tf.reduce_sum(items.read(n) ** 2)
        return {"gradient": tape.gradient(loss, x), "y": y}

    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(1, 1, 2, 3)
    given = [{"x": x, "n": np.array(n, np.int32)} for n in (2, 1)]
    case = _one(function, *given, tolerance=1e-4)
    return case._replace(signatures={"call": case.signatures["call"][:1]})


CASES: Mapping[str, Callable[[], Case]] = {
    "dense": dense,
    "digits": lambda: _network("digits", "logits", "images", 1e-5),
    "mobilenet_v2": lambda: _network("mobilenet_v2", "forward", "image", 1e-4),
    "lstm": lambda: _network("lstm", "forward", "sequence", 1e-4),
    "lstm_loop": lstm_loop,
    "training": training,
    "control_flow": control_flow,
    "lists": lists,
}


def assert_near(case: Case, found: Sequence[Mapping[str, Array]]) -> None:
    """Check that results equal the results in Python, relative to the largest number."""
    tf.random.set_seed(None)
    for number, (results, wanted) in enumerate(zip(found, case.expected(), strict=True)):
        assert results.keys() == wanted.keys()
        for name, array in wanted.items():
            assert (results[name].dtype, results[name].shape) == (array.dtype, array.shape)
            scale = max(1.0, float(np.abs(array.astype(np.complex64)).max()))
            difference = np.abs(results[name].astype(np.complex64) - array).max()
            assert difference <= case.tolerance * scale, (number, name, difference, scale)
