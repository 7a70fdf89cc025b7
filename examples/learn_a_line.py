"""Fit a line by gradient descent, with Variables in a module, a tape and one compiled step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tfpy as tf

Floats = NDArray[np.float32]


class Line(tf.Module):
    """A slope for each input, and an offset."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.slopes = tf.Variable(tf.zeros([inputs, 1]), name="slopes")
        self.offset = tf.Variable(tf.zeros([1]), name="offset")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(x @ self.slopes, self.offset)

    @tf.function
    def step(self, x: tf.Tensor, y: tf.Tensor, rate: tf.Tensor) -> tf.Tensor:
        """Update the Variables by gradient descent, and return the loss before the update."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x) - y)) + 1e-4 * tf.nn.l2_loss(self.slopes)
        variables = self.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            if gradient is not None:
                variable.assign_sub(rate * gradient)
        return loss


def examples(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return points near y = 3 a - 2 b + 1."""
    x = rng.uniform(-1, 1, [count, 2]).astype(np.float32)
    noise = rng.normal(0, 0.01, [count, 1]).astype(np.float32)
    y = x @ np.array([[3], [-2]], np.float32) + 1 + noise
    return x, y.astype(np.float32)


def learn(steps: int = 300) -> tuple[Line, list[float]]:
    """Return a line that is learned from examples, and the loss of each step."""
    x, y = (tf.constant(a) for a in examples(200, np.random.default_rng(0)))
    line, rate = Line(2), tf.constant(0.3)
    return line, [float(line.step(x, y, rate)) for _ in range(steps)]


if __name__ == "__main__":
    line, losses = learn()
    slopes: Floats = line.slopes.numpy()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.5f}")
    print(f"slopes {slopes.reshape(-1).round(2)}, offset {float(line.offset.numpy()[0]):.2f}")
