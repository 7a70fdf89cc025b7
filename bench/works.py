"""tfpy's side of the benchmark: the works, their arrays, and the timing of a sample.

Runs inside Pyodide. The page (``page/bench.mjs``) passes the same arrays to the other sides
(``page/tfjs.mjs``, ``page/onnx.mjs``), which compute the same. tfpy computes in a ``tf.function``,
except in works that measure the cost of a call.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import tfpy as tf
from bench import fits
from bench.networks import digits, lstm, mobilenet_v1, mobilenet_v2, transformer
from tfpy._src.backends import registry

Array = np.ndarray[Any, Any]
Tensors = dict[str, Any]
Run = Callable[[], Any]


@dataclass(frozen=True)
class Work:
    """A work. ``prepare`` takes the arrays as tensors and returns a function for samples to await.

    ``amount`` is the work of one run in ``unit``: a rate ("GFLOP", "GB": shown per second) or a
    number of calls ("op": shown as time per op). A work in int8 is compared with ``exact``, the
    same work in float32, and with its peers.
    """

    arrays: Callable[[], dict[str, Array]]
    prepare: Callable[[Tensors], Run]
    amount: float
    unit: str
    exact: str = ""
    tolerance: float = 2e-3
    """Largest error relative to the largest value, with which results still agree."""


MATMUL_SIZES = (256, 512, 1024, 2048, 4096)
CHAIN_COUNT = 1 << 22
CHAIN_LENGTH = 20
SOFTMAX_SIZE = 1024
SMALL_OPS = 1000
CALLS = 1000
MLP_SIZES = (784, 128, 10)
MLP_BATCH = 128
MLP_STEPS = 20
RATES = {"mlp_training": 0.05, "digits_training": 0.05, "mobilenet_training": 1e-4}

PARAMETERS = {
    "mobilenetV1": [stride for stride, _ in mobilenet_v1.BLOCKS],
    "mobilenetV2": [block._asdict() for block in mobilenet_v2.blocks()],
    "transformer": {
        "layers": transformer.LAYERS,
        "heads": transformer.HEADS,
        "epsilon": transformer.EPSILON,
    },
    "chainLength": CHAIN_LENGTH,
    "smallOps": SMALL_OPS,
    "mlpSteps": MLP_STEPS,
    "rates": RATES,
    "fitBatches": fits.BATCHES,
    "fitRate": fits.RATE,
}
"""Facts that the other sides need in addition to the arrays."""


def _uniform(*shape: int, seed: int, scale: float = 1.0) -> Array:
    return np.random.default_rng(seed).uniform(-scale, scale, shape).astype(np.float32)


def _one_hot(count: int, classes: int) -> Array:
    labels = np.random.default_rng(5).integers(0, classes, count)
    return np.eye(classes, dtype=np.float32)[labels]


def _forward(
    network: Any, data: Callable[[], Array], amount: float, unit: str, quantize: str | None = None
) -> Work:
    """Return a work that runs a network on ``data``, the argument of the compiled function."""

    def arrays() -> dict[str, Array]:
        return {**network.weights(), "input": data()}

    def prepare(x: Tensors) -> Run:
        compiled = tf.function(lambda given: network.forward(tf, x, given), quantize=quantize)
        return lambda: compiled(x["input"])

    return Work(arrays, prepare, amount, unit)


def _int8(exact: str, work: Work) -> Work:
    return replace(work, exact=exact, tolerance=0.1)


def _matmul_arrays(n: int) -> dict[str, Array]:
    return {"a": _uniform(n, n, seed=0), "b": _uniform(n, n, seed=1)}


def _matmul_int8(n: int) -> Work:
    """Return a product with weights."""

    def prepare(x: Tensors) -> Run:
        compiled = tf.function(lambda a: tf.matmul(a, x["b"])[0], quantize="int8")
        return lambda: compiled(x["a"])

    return Work(lambda: _matmul_arrays(n), prepare, 2 * n**3 / 1e9, "GFLOP")


def _matmul(n: int) -> Work:

    def prepare(x: Tensors) -> Run:
        compiled = tf.function(lambda a, b: tf.matmul(a, b)[0])
        return lambda: compiled(x["a"], x["b"])

    return Work(lambda: _matmul_arrays(n), prepare, 2 * n**3 / 1e9, "GFLOP")


def _chain_arrays() -> dict[str, Array]:
    return {name: _uniform(CHAIN_COUNT, seed=i) for i, name in enumerate("xab")}


def _chain(x: Tensors) -> Run:
    @tf.function
    def compiled(y: Any, a: Any, b: Any) -> Any:
        for _ in range(CHAIN_LENGTH):
            y = tf.nn.relu(y * a + b)
        return y, y[:16]

    return lambda: compiled(x["x"], x["a"], x["b"])[1]


def _softmax(x: Tensors) -> Run:
    compiled = tf.function(lambda given: tf.nn.softmax(given)[0])
    return lambda: compiled(x["x"])


def _small_arrays() -> dict[str, Array]:
    return {"x": _uniform(10, seed=0), "y": _uniform(10, seed=1, scale=0.01)}


def _small_ops(total: Any, y: Any) -> Any:
    """Compute additions and products in turns, which no algebra can simplify."""
    for _ in range(SMALL_OPS // 2):
        total = (total + y) * y
    return total


def _eager_ops(x: Tensors) -> Run:
    return lambda: _small_ops(x["x"], x["y"])


def _compiled_ops(x: Tensors) -> Run:
    compiled = tf.function(_small_ops)
    return lambda: compiled(x["x"], x["y"])


def _calls(x: Tensors) -> Run:
    compiled = tf.function(lambda total, y: total + y)

    def run() -> Any:
        total, y = x["x"], x["y"]
        for _ in range(CALLS):
            total = compiled(total, y)
        return total

    return run


def _training(
    name: str,
    arrays: Callable[[], dict[str, Array]],
    logits: Callable[[Tensors, Any], Any],
    steps: int,
) -> Work:
    """Return steps of gradient descent on all arrays except the input and the labels."""
    rate = RATES[name]

    def prepare(x: Tensors) -> Run:
        variables = {k: tf.Variable(v) for k, v in x.items() if k not in ("input", "labels")}

        @tf.function
        def step(given: Any, labels: Any) -> Any:
            with tf.GradientTape() as tape:
                losses = tf.nn.softmax_cross_entropy_with_logits(labels, logits(variables, given))
                loss = tf.reduce_mean(losses)
            gradients = tape.gradient(loss, list(variables.values()))
            for variable, gradient in zip(variables.values(), gradients, strict=True):
                variable.assign_sub(gradient * rate)
            return loss

        def run() -> Any:
            for _ in range(steps):
                loss = step(x["input"], x["labels"])
            return loss

        return run

    return Work(arrays, prepare, steps, "step")


def _mlp_arrays() -> dict[str, Array]:
    inputs, hidden, classes = MLP_SIZES
    return {
        "input": _uniform(MLP_BATCH, inputs, seed=0),
        "labels": _one_hot(MLP_BATCH, classes),
        "w1": _uniform(inputs, hidden, seed=1, scale=0.05),
        "b1": np.zeros(hidden, np.float32),
        "w2": _uniform(hidden, classes, seed=2, scale=0.1),
        "b2": np.zeros(classes, np.float32),
    }


def _mlp_logits(w: Tensors, given: Any) -> Any:
    hidden = tf.nn.relu(tf.matmul(given, w["w1"]) + w["b1"])
    return tf.matmul(hidden, w["w2"]) + w["b2"]


def _digits_arrays() -> dict[str, Array]:
    labels = _one_hot(digits.BATCH, digits.CLASSES)
    return {**digits.weights(), "input": digits.images(), "labels": labels}


def _mobilenet_training_arrays() -> dict[str, Array]:
    labels = _one_hot(1, mobilenet_v1.CLASSES)
    return {**mobilenet_v1.weights(), "input": mobilenet_v1.image(), "labels": labels}


def _fit(name: str, arrays: Callable[[], dict[str, Array]]) -> Work:
    """Return one more epoch. Rounding differences grow, so the tolerance is large."""
    return Work(arrays, lambda x: fits.Fit(name, x), fits.STEPS, "step", tolerance=0.3)


WORKS = {
    "mobilenet_v1": _forward(mobilenet_v1, mobilenet_v1.image, 1.14, "GFLOP"),
    "mobilenet_v2": _forward(mobilenet_v2, mobilenet_v2.image, 0.60, "GFLOP"),
    "transformer": _forward(transformer, transformer.tokens, 0.84, "GFLOP"),
    "lstm": _forward(lstm, lstm.sequence, lstm.STEPS, "step"),
    **{f"matmul_{n}": _matmul(n) for n in MATMUL_SIZES},
    "mobilenet_v1_int8": _int8(
        "mobilenet_v1", _forward(mobilenet_v1, mobilenet_v1.image, 1.14, "GFLOP", "int8")
    ),
    "mobilenet_v2_int8": _int8(
        "mobilenet_v2", _forward(mobilenet_v2, mobilenet_v2.image, 0.60, "GFLOP", "int8")
    ),
    "transformer_int8": _int8(
        "transformer", _forward(transformer, transformer.tokens, 0.84, "GFLOP", "int8")
    ),
    "matmul_1024_int8": _int8("matmul_1024", _matmul_int8(1024)),
    # One pass reads three arrays and writes one.
    "elementwise_chain": Work(_chain_arrays, _chain, 4 * CHAIN_COUNT * 4 / 1e9, "GB"),
    "softmax": Work(
        lambda: {"x": _uniform(SOFTMAX_SIZE, SOFTMAX_SIZE, seed=0)},
        _softmax,
        2 * SOFTMAX_SIZE**2 * 4 / 1e9,
        "GB",
    ),
    "mlp_training": _training("mlp_training", _mlp_arrays, _mlp_logits, MLP_STEPS),
    "digits_training": _training(
        "digits_training", _digits_arrays, lambda w, given: digits.logits(tf, w, given), 1
    ),
    "mobilenet_training": _training(
        "mobilenet_training",
        _mobilenet_training_arrays,
        lambda w, given: mobilenet_v1.logits(tf, w, given),
        1,
    ),
    "mlp_fit": _fit("mlp_fit", fits.mlp_arrays),
    "digits_fit": _fit("digits_fit", fits.digits_arrays),
    "eager_ops": Work(_small_arrays, _eager_ops, SMALL_OPS, "op"),
    "compiled_ops": Work(_small_arrays, _compiled_ops, SMALL_OPS, "op"),
    "calls": Work(_small_arrays, _calls, CALLS, "call"),
}


class Session:
    """One work on the active backend, which the page calls through Pyodide."""

    def __init__(self, name: str) -> None:
        work = WORKS[name]
        self.amount = work.amount
        self.unit = work.unit
        self.exact = work.exact
        self.tolerance = work.tolerance
        self.arrays = work.arrays()
        self._run = work.prepare({k: tf.constant(v) for k, v in self.arrays.items()})
        self.values: Array | None = None

    def names(self) -> list[str]:
        return list(self.arrays)

    def shape(self, name: str) -> list[int]:
        return list(self.arrays[name].shape)

    def flat(self, name: str) -> Array:
        return self.arrays[name].reshape(-1)

    async def sample(self) -> float:
        """Return the milliseconds of one run, from the call until Python has the values."""
        start = time.perf_counter()
        self.values = await self._run().data()
        return (time.perf_counter() - start) * 1000

    def result(self) -> Array:
        """Return the values of the last sample, flat."""
        return np.ascontiguousarray(self.values, np.float32).reshape(-1)


def parameters() -> str:
    """Return :data:`PARAMETERS` as JSON."""
    return json.dumps(PARAMETERS)


def variant() -> str:
    """Return the variant of the active backend, for example "relaxed-threads"."""
    return str(tf.backend_report()[tf.get_backend()]["variant"])


def threads() -> int:
    """Return the number of threads of the active backend."""
    return int(registry.active_backend().memory().get("threads", 1))
