"""tfpy's side of the benchmark: what is computed, on which arrays, and how a sample is timed.

Runs inside Pyodide. The page (``page/bench.mjs``) hands the same arrays to the other side,
``page/tfjs.mjs``, which computes the same in TensorFlow.js.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tfpy as tf
from bench import mobilenet

Array = np.ndarray[Any, Any]
Run = Callable[[], Any]


@dataclass(frozen=True)
class Workload:
    """``prepare`` takes the arrays as tensors and gives a function whose result a sample awaits.

    ``amount`` is the work of one run in ``unit``: a rate ("GFLOP", "GB": shown per second) or a
    number of calls ("op": shown as time per op).
    """

    arrays: Callable[[], dict[str, Array]]
    prepare: Callable[[dict[str, Any]], Run]
    amount: float
    unit: str


MATMUL_SIZE = 1024
CHAIN_COUNT = 1 << 20
CHAIN_LENGTH = 10
EAGER_CALLS = 1000
MLP_SIZES = (784, 128, 10)
MLP_BATCH = 128
MLP_STEPS = 20
MLP_RATE = 0.05

PARAMETERS = {
    "strides": [stride for stride, _ in mobilenet.BLOCKS],
    "chainLength": CHAIN_LENGTH,
    "eagerCalls": EAGER_CALLS,
    "mlpSteps": MLP_STEPS,
    "mlpRate": MLP_RATE,
}
"""What the other side must know besides the arrays."""


def _uniform(*shape: int, seed: int, scale: float = 1.0) -> Array:
    return np.random.default_rng(seed).uniform(-scale, scale, shape).astype(np.float32)


def _mobilenet_arrays() -> dict[str, Array]:
    return {**mobilenet.weights(), "image": mobilenet.image()}


def _mobilenet(x: dict[str, Any]) -> Run:
    return lambda: mobilenet.forward(tf, x, x["image"])


def _matmul_arrays() -> dict[str, Array]:
    n = MATMUL_SIZE
    return {"a": _uniform(n, n, seed=0), "b": _uniform(n, n, seed=1)}


def _matmul(x: dict[str, Any]) -> Run:
    return lambda: tf.matmul(x["a"], x["b"])[0]


def _chain_arrays() -> dict[str, Array]:
    return {name: _uniform(CHAIN_COUNT, seed=i) for i, name in enumerate("xab")}


def _chain(x: dict[str, Any]) -> Run:
    def run() -> Any:
        y = x["x"]
        for _ in range(CHAIN_LENGTH):
            y = tf.nn.relu(y * x["a"] + x["b"])
        return y[:16]

    return run


def _eager_arrays() -> dict[str, Array]:
    return {"x": _uniform(10, seed=0), "y": _uniform(10, seed=1)}


def _eager(x: dict[str, Any]) -> Run:
    def run() -> Any:
        total, y = x["x"], x["y"]
        for _ in range(EAGER_CALLS):
            total = total + y
        return total

    return run


def _mlp_arrays() -> dict[str, Array]:
    inputs, hidden, classes = MLP_SIZES
    labels = np.random.default_rng(5).integers(0, classes, MLP_BATCH)
    return {
        "x": _uniform(MLP_BATCH, inputs, seed=0),
        "labels": np.eye(classes, dtype=np.float32)[labels],
        "w1": _uniform(inputs, hidden, seed=1, scale=0.05),
        "b1": np.zeros(hidden, np.float32),
        "w2": _uniform(hidden, classes, seed=2, scale=0.1),
        "b2": np.zeros(classes, np.float32),
    }


def _mlp(x: dict[str, Any]) -> Run:
    variables = [tf.Variable(x[name]) for name in ("w1", "b1", "w2", "b2")]
    w1, b1, w2, b2 = variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x["x"], w1) + b1)
            logits = tf.matmul(hidden, w2) + b2
            losses = tf.nn.softmax_cross_entropy_with_logits(x["labels"], logits)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(gradient * MLP_RATE)
        return loss

    def run() -> Any:
        for _ in range(MLP_STEPS):
            loss = step()
        return loss

    return run


WORKLOADS = {
    "mobilenet_v1": Workload(_mobilenet_arrays, _mobilenet, 1.14, "GFLOP"),
    "matmul_1024": Workload(_matmul_arrays, _matmul, 2 * MATMUL_SIZE**3 / 1e9, "GFLOP"),
    "elementwise_chain": Workload(
        # each of three ops reads and writes: 2 + 1, 2 + 1 and 1 + 1 arrays
        _chain_arrays, _chain, CHAIN_LENGTH * 8 * CHAIN_COUNT * 4 / 1e9, "GB"
    ),
    "mlp_training": Workload(_mlp_arrays, _mlp, MLP_STEPS, "step"),
    "eager_add": Workload(_eager_arrays, _eager, EAGER_CALLS, "op"),
}  # fmt: skip


class Session:
    """One workload on the active backend; the page calls it through Pyodide."""

    def __init__(self, name: str) -> None:
        workload = WORKLOADS[name]
        self.amount = workload.amount
        self.unit = workload.unit
        self.arrays = workload.arrays()
        self._run = workload.prepare({k: tf.constant(v) for k, v in self.arrays.items()})
        self.values: Array | None = None

    def names(self) -> list[str]:
        return list(self.arrays)

    def shape(self, name: str) -> list[int]:
        return list(self.arrays[name].shape)

    def flat(self, name: str) -> Array:
        return self.arrays[name].reshape(-1)

    async def sample(self) -> float:
        """Milliseconds of one run, from the call to the values in Python's hands."""
        start = time.perf_counter()
        self.values = await self._run().data()
        return (time.perf_counter() - start) * 1000

    def result(self) -> Array:
        """The values of the last sample, flat."""
        return np.ascontiguousarray(self.values, np.float32).reshape(-1)


def parameters() -> str:
    """:data:`PARAMETERS` as JSON."""
    return json.dumps(PARAMETERS)


def variant() -> str:
    """The variant of the active backend, for example "relaxed-threads"."""
    return str(tf.backend_report()[tf.get_backend()]["variant"])
