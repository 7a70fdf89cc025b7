"""A head on a pretrained network, and further training of the network's last block."""

from __future__ import annotations

from typing import Any

import numpy as np
from models.test_graph_models import loaded

import tfpy as tf

FEATURES = "StatefulPartitionedCall/model_1/add_2/add"
KINDS = 3


def images() -> tuple[Any, Any]:
    """Return images of rows, columns and spots, and the class of each image."""
    rng = np.random.default_rng(7)
    row, column = np.indices((64, 64))
    patterns = [row % 8 < 4, column % 8 < 4, (row // 6 + column // 6) % 2 < 1]
    made = [np.where(p, 0.8, 0.2) + rng.normal(0, 0.1, (64, 64)) for p in patterns for _ in "ab"]
    return np.float32(made)[..., None], np.arange(len(made)) // 2


class FineTuned:
    """An emotion classifier up to its last features, with a layer that classifies patterns."""

    def __init__(self) -> None:
        self.base = loaded("emotion", trainable=True)
        channels = self.base.execute(np.zeros((1, 64, 64, 1), np.float32), FEATURES).shape[-1]
        self.kernel = tf.Variable(tf.zeros([channels, KINDS]), name="head")
        self.bias = tf.Variable(tf.zeros([KINDS]), name="bias")
        self.head = [self.kernel, self.bias]
        self.block = [v for v in self.base.trainable_variables if "conv2d_4" in v.name]

    def scores(self, x: Any) -> Any:
        features = self.base.execute(x, FEATURES)
        return tf.reduce_mean(features, [1, 2]) @ self.kernel + self.bias

    @tf.function(input_signature=[tf.TensorSpec([None, 64, 64, 1], tf.float32, "image")])
    def predict(self, image: Any) -> Any:
        return {"probabilities": tf.nn.softmax(self.scores(image))}

    def train(self, steps: int) -> list[float]:
        """Train, and return the losses."""
        x, labels = (tf.constant(array) for array in images())

        @tf.function
        def step() -> Any:
            with tf.GradientTape() as tape:
                each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.scores(x))
                loss = tf.reduce_mean(each)
            variables = [*self.head, *self.block]
            rates = [0.3] * len(self.head) + [1e-3] * len(self.block)
            gradients = tape.gradient(loss, variables)
            for variable, gradient, rate in zip(variables, gradients, rates, strict=True):
                variable.assign_sub(rate * gradient)
            return loss

        return [float(step()) for _ in range(steps)]
