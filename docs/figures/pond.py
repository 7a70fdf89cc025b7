"""Draw pond.webp of docs/speed.md: the program of the guide after some frames; needs Pillow.

PYTHONPATH=src python docs/figures/pond.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import tfpy as tf

ROWS, COLUMNS, STEPS = 240, 480, 180
DROPS = [(90, 150, 1.0), (170, 330, 0.8), (60, 400, 0.5)]  # row, column, height

rows, columns = np.mgrid[:ROWS, :COLUMNS].astype(np.float32)
height = sum(
    a * np.exp(-((rows - r) ** 2 + (columns - c) ** 2) / 30, dtype=np.float32) for r, c, a in DROPS
)


@tf.function
def step(height: tf.Tensor, speed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the state after one step."""
    around = tf.pad(height, [[1, 1], [1, 1]])
    down, up = around[:-2, 1:-1], around[2:, 1:-1]
    right, left = around[1:-1, :-2], around[1:-1, 2:]
    speed = 0.999 * (speed + 0.3 * (down + up + right + left - 4.0 * height))
    return height + speed, speed


water, speed = tf.constant(height), tf.zeros([ROWS, COLUMNS])
for _ in range(STEPS):
    water, speed = step(water, speed)
light = np.gradient(water.numpy(), axis=1) - np.gradient(water.numpy(), axis=0)
light = np.clip(0.5 + 20 * light, 0, 1)[..., None]
dark, bright = np.array([8.0, 48.0, 107.0]), np.array([222.0, 240.0, 252.0])
pixels = (dark + (bright - dark) * light).astype(np.uint8)
file = Path(__file__).with_suffix(".webp")
Image.fromarray(pixels).save(file, quality=85)
print(file.stat().st_size, "bytes")
