"""Training steps of the networks of ``trained.py`` with TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.networks.trained import (
    EPSILON,
    HEADS,
    KEEP,
    RATE,
    WIDTH,
    Sizes,
    Work,
    mobilenet_blocks,
    resnet_blocks,
)


class Network:
    """The trainable weights as Variables, and the ops of a module: tfpy or TensorFlow."""

    def __init__(self, tf: Any, work: Work, sizes: Sizes) -> None:
        self.tf = tf
        self.sizes = sizes
        learned, averages = work.values(sizes)
        self.learned = {name: tf.Variable(value) for name, value in learned.items()}
        self.averages = {name: tf.Variable(value) for name, value in averages.items()}

    def norm(self, name: str, x: Any) -> Any:
        """Apply batch normalization, and update the moving averages."""
        tf = self.tf
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        for what, value in (("mean", mean), ("variance", variance)):
            average = self.averages[f"{name}/{what}"]
            average.assign(KEEP * average + (1 - KEEP) * value)
        scale, offset = self.learned[f"{name}/scale"], self.learned[f"{name}/offset"]
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, EPSILON)

    def convolution(self, name: str, x: Any, stride: int = 1) -> Any:
        x = self.tf.nn.conv2d(x, self.learned[name], stride, "SAME")
        return self.norm(name, x)

    def depthwise(self, name: str, x: Any, stride: int) -> Any:
        strides = [1, stride, stride, 1]
        x = self.tf.nn.depthwise_conv2d(x, self.learned[name], strides, "SAME")
        return self.norm(name, x)

    def dense(self, name: str, x: Any) -> Any:
        return x @ self.learned[f"{name}/kernel"] + self.learned[f"{name}/bias"]

    def mobilenet(self, x: Any) -> Any:
        relu6 = self.tf.nn.relu6
        x = relu6(self.convolution("stem", x, 2))
        for b in mobilenet_blocks():
            y = x if b.inner == b.before else relu6(self.convolution(f"{b.name}/expand", x))
            y = relu6(self.depthwise(f"{b.name}/depthwise", y, b.stride))
            y = self.convolution(f"{b.name}/project", y)
            x = x + y if b.before == b.after and b.stride == 1 else y
        x = relu6(self.convolution("head", x))
        return self.dense("classes", self.tf.reduce_mean(x, [1, 2]))

    def resnet(self, x: Any) -> Any:
        relu = self.tf.nn.relu
        x = relu(self.convolution("stem", x, 2))
        x = self.tf.nn.max_pool2d(x, 3, 2, "SAME")
        for b in resnet_blocks():
            y = relu(self.convolution(f"{b.name}/reduce", x))
            y = relu(self.convolution(f"{b.name}/middle", y, b.stride))
            y = self.convolution(f"{b.name}/expand", y)
            if b.before != b.after:
                x = self.convolution(f"{b.name}/shortcut", x, b.stride)
            x = relu(x + y)
        return self.dense("classes", self.tf.reduce_mean(x, [1, 2]))

    def layer_norm(self, name: str, x: Any) -> Any:
        tf = self.tf
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        scale, offset = self.learned[f"{name}/scale"], self.learned[f"{name}/offset"]
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, EPSILON)

    def attention(self, name: str, x: Any, mask: Any) -> Any:
        tf, (batch, count) = self.tf, self.sizes[:2]
        together = self.dense(f"{name}/attention", x)
        together = tf.reshape(together, [batch, count, 3, HEADS, WIDTH // HEADS])
        q, k, v = tf.unstack(tf.transpose(together, [2, 0, 3, 1, 4]))
        scores = tf.matmul(q, k, transpose_b=True) * (WIDTH // HEADS) ** -0.5
        weights = tf.nn.softmax(tf.where(mask, scores, -1e9))
        heads = tf.transpose(weights @ v, [0, 2, 1, 3])
        return self.dense(f"{name}/heads", tf.reshape(heads, [batch, count, WIDTH]))

    def transformer(self, words: Any) -> Any:
        tf = self.tf
        mask = tf.constant(np.tri(self.sizes.size, dtype=bool))
        x = tf.gather(self.learned["words"], words) + self.learned["places"]
        for i in range(self.sizes.layers):
            name = f"layer{i}"
            x = x + self.attention(name, self.layer_norm(f"{name}/before", x), mask)
            y = self.dense(f"{name}/wide", self.layer_norm(f"{name}/between", x))
            x = x + self.dense(f"{name}/narrow", tf.nn.gelu(y, approximate=True))
        return self.dense("next", self.layer_norm("last", x))

    def momentum(self) -> Callable[[list[Any]], None]:
        tf, variables = self.tf, list(self.learned.values())
        speeds = [tf.Variable(tf.zeros_like(v)) for v in variables]

        def update(gradients: list[Any]) -> None:
            for v, speed, g in zip(variables, speeds, gradients, strict=True):
                moved = KEEP * speed + g
                speed.assign(moved)
                v.assign_sub(RATE * moved)

        return update

    def adam(self) -> Callable[[list[Any]], None]:
        tf, variables = self.tf, list(self.learned.values())
        firsts = [tf.Variable(tf.zeros_like(v)) for v in variables]
        seconds = [tf.Variable(tf.zeros_like(v)) for v in variables]
        steps = tf.Variable(0.0)

        def update(gradients: list[Any]) -> None:
            count = steps + 1.0
            steps.assign(count)
            rate = RATE * tf.sqrt(1 - 0.999**count) / (1 - 0.9**count)
            for v, first, second, g in zip(variables, firsts, seconds, gradients, strict=True):
                mean = 0.9 * first + 0.1 * g
                square = 0.999 * second + 0.001 * (g * g)
                first.assign(mean)
                second.assign(square)
                v.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))

        return update


def trainer(tf: Any, name: str, work: Work, sizes: Sizes) -> tuple[Callable[[], Any], Any]:
    """Return a function that runs a step and returns its loss, and a Variable that steps change."""
    network = Network(tf, work, sizes)
    update = network.adam() if work.is_adam else network.momentum()
    x, y = (tf.constant(a) for a in work.batch(sizes))
    variables = list(network.learned.values())

    @tf.function(jit_compile=True)
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = getattr(network, name)(x)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_mean(losses)
        update([tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)])
        return loss

    return lambda: step(x, y), variables[-1]
