"""Waves on a grid: the wave equation, solved with finite differences on the device."""

from __future__ import annotations

import tfpy as tf


@tf.function
def step(now: tf.Tensor, before: tf.Tensor, speed: float = 0.5) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the heights ``[rows, columns]`` after a step, and the present heights.

    Waves that leave the grid at one edge enter it at the opposite edge.
    """
    around = tf.add_n([tf.roll(now, shift, axis) for axis in (0, 1) for shift in (1, -1)])
    after = 2.0 * now - before + speed * speed * (around - 4.0 * now)
    return after, now


def drop(rows: int, columns: int) -> tf.Tensor:
    """Return still water with a drop in the middle."""
    y = tf.range(rows, dtype=tf.float32)[:, tf.newaxis] - rows / 2
    x = tf.range(columns, dtype=tf.float32) - columns / 2
    return tf.exp(-(x * x + y * y) / 8.0)
