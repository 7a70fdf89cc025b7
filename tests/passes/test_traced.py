"""The passes on typical user functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.passes.pipeline import optimize_with_weights, simplify

Weights = Callable[..., tf.Variable]


@pytest.fixture
def weights(rng: np.random.Generator) -> Weights:
    """Return a function that creates Variables, ``weights(3, 4)``, all positive like variances."""

    def make(*shape: int) -> tf.Variable:
        return tf.Variable((rng.uniform(0.2, 1.2, shape) / np.sqrt(shape[-1])).astype(np.float32))

    return make


def optimized(function: Any, x: Any, *, has_weights: bool) -> tuple[Graph, Graph, Graph]:
    """Return the traced Graph, the prelude and main, which together compute the same."""
    concrete = tf.function(function).get_concrete_function(x)
    graph = concrete.traced.graph
    positions = range(1, len(graph.inputs)) if has_weights else ()
    prelude, main = optimize_with_weights(graph, NumpyTarget(), positions)
    inputs = [x.numpy(), *(v.numpy() for v in concrete.variables)]
    inputs += [np.ones(graph.avals[v].shape, np.float32) for v in graph.inputs[len(inputs) :]]
    computed: list[Any] = []
    if prelude.outputs:
        verify(prelude)
        computed = evaluate(prelude, [inputs[i] for i in positions])
    verify(main)
    expected, found = evaluate(graph, inputs), evaluate(main, [*inputs, *computed])
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-4, atol=2e-5)
    return graph, prelude, main


def names(graph: Graph) -> list[str]:
    return [eqn.op.name for eqn in graph.eqns if not eqn.op.is_alias]


class InvertedResidual:
    """A block of MobileNetV2 with batch normalization for inference."""

    def __init__(self, make: Weights) -> None:
        self.expand, self.depthwise, self.project = (
            make(1, 1, 4, 8),
            make(3, 3, 8, 1),
            make(1, 1, 8, 4),
        )
        self.norms = [[make(n) for _ in range(4)] for n in (8, 8, 4)]

    def norm(self, x: tf.Tensor, number: int) -> tf.Tensor:
        return tf.nn.batch_normalization(x, *self.norms[number], 1e-3)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        y = tf.nn.relu6(self.norm(tf.nn.conv2d(x, self.expand, 1, "SAME"), 0))
        y = tf.pad(y, [[0, 0], [1, 1], [1, 1], [0, 0]])
        y = tf.nn.depthwise_conv2d(y, self.depthwise, [1, 1, 1, 1], "VALID")
        y = tf.nn.relu6(self.norm(y, 1))
        return x + self.norm(tf.nn.conv2d(y, self.project, 1, "SAME"), 2)


def test_mobilenet_block(weights: Weights, rng: np.random.Generator) -> None:
    x = tf.constant(rng.normal(size=(1, 6, 6, 4)).astype(np.float32))
    _, prelude, main = optimized(InvertedResidual(weights), x, has_weights=True)
    assert names(main) == [
        *("conv2d", "add", "relu6"),
        *("depthwise_conv2d", "add", "relu6"),
        *("conv2d", "add", "add"),
    ]
    assert len(prelude.outputs) == 6


def test_channels_first_block(weights: Weights, rng: np.random.Generator) -> None:
    first, second = weights(3, 3, 4, 4), weights(3, 3, 4, 4)
    bias = weights(4)

    def conv(x: tf.Tensor, filters: tf.Variable) -> tf.Tensor:
        y = tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), filters, 1, "SAME")
        return tf.transpose(y, [0, 3, 1, 2])

    def block(x: tf.Tensor) -> tf.Tensor:
        y = conv(tf.nn.relu(conv(x, first) + tf.reshape(bias, [4, 1, 1])), second)
        return tf.reduce_mean(y, [2, 3])

    x = tf.constant(rng.normal(size=(1, 4, 6, 6)).astype(np.float32))
    _, _, main = optimized(block, x, has_weights=True)
    assert Counter(names(main)) == Counter(
        {"transpose": 1, "conv2d": 2, "add": 1, "relu": 1, "reduce_sum": 1, "multiply": 1}
    )


class Encoder:
    """A layer of a transformer: 2 heads of 4, 6 tokens."""

    def __init__(self, make: Weights) -> None:
        self.dense = {k: (make(8, 8), make(8)) for k in ("query", "key", "value", "out")}
        self.wide, self.narrow = (make(8, 16), make(16)), (make(16, 8), make(8))
        self.norms = [(make(8), make(8)) for _ in range(2)]

    def heads(self, x: tf.Tensor, name: str) -> tf.Tensor:
        w, b = self.dense[name]
        return tf.transpose(tf.reshape(tf.matmul(x, w) + b, [-1, 6, 2, 4]), [0, 2, 1, 3])

    def attention(self, x: tf.Tensor) -> tf.Tensor:
        query, key, value = (self.heads(x, k) for k in ("query", "key", "value"))
        scores = tf.matmul(query, tf.transpose(key, [0, 1, 3, 2])) / np.float32(np.sqrt(4.5))
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
        w, b = self.dense["out"]
        return tf.matmul(tf.reshape(mixed, [-1, 6, 8]), w) + b

    def norm(self, x: tf.Tensor, number: int) -> tf.Tensor:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, *self.norms[number], 1e-6)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        x = self.norm(x + self.attention(x), 0)
        hidden = tf.nn.gelu(tf.matmul(x, self.wide[0]) + self.wide[1])
        return self.norm(x + tf.matmul(hidden, self.narrow[0]) + self.narrow[1], 1)


def test_attention(weights: Weights, rng: np.random.Generator) -> None:
    """Check that the two products absorb the transposes.

    The scale is in the weights of the queries.
    """
    x = tf.constant(rng.normal(size=(2, 6, 8)).astype(np.float32))
    _, prelude, main = optimized(Encoder(weights).attention, x, has_weights=True)
    assert names(prelude) == ["real_div", "real_div"]
    softmax = {"reduce_max": 1, "subtract": 1, "exp": 1, "reduce_sum": 1, "real_div": 1}
    assert Counter(names(main)) == Counter({"matmul": 6, "add": 4, "transpose": 4, **softmax})


def test_biases_follow_their_products(weights: Weights, rng: np.random.Generator) -> None:
    x = tf.constant(rng.normal(size=(2, 6, 8)).astype(np.float32))
    graph = simplify(tf.function(Encoder(weights)).get_concrete_function(x).traced.graph)
    products = 0
    for eqn, after in zip(graph.eqns, graph.eqns[1:], strict=False):
        if eqn.op.name == "matmul" and graph.avals[eqn.outputs[0]].rank == 2:
            assert after.op.name == "add"
            products += 1
    assert products == 6


def test_training_step(weights: Weights, rng: np.random.Generator) -> None:
    encoder = Encoder(weights)

    def step(x: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(encoder(x)))
        watched = tape.watched_variables()
        return [loss, *tape.gradient(loss, watched)]

    x = tf.constant(rng.normal(size=(2, 6, 8)).astype(np.float32))
    graph, prelude, main = optimized(step, x, has_weights=False)
    found = Counter(names(main))
    assert found["transpose"] == 8
    assert found["broadcast_to"] == 0
    assert found["matmul"] == 21
    assert len(names(main)) < len(names(graph))
    assert not prelude.outputs
