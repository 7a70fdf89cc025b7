"""MobileNetV1 1.0 224 (Howard et al., 2017) with seeded weights and folded batch normalization.

The network is written with ``tf.nn`` ops and takes their module as an argument, so the same code
runs on TensorFlow and tfpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SIZE = 224
CLASSES = 1000
STEM = 32  # channels of the first convolution
BLOCKS = (  # stride of the depthwise convolution, channels of the pointwise one
    (1, 64),
    (2, 128),
    (1, 128),
    (2, 256),
    (1, 256),
    (2, 512),
    (1, 512),
    (1, 512),
    (1, 512),
    (1, 512),
    (1, 512),
    (2, 1024),
    (1, 1024),
)


def weights(seed: int = 0) -> dict[str, Array]:
    """Return filters ([h, w, in, out] or, depthwise, [h, w, in, 1]) and biases by name, float32.

    They are scaled (He et al., 2015) so that activations keep their size from layer to layer.
    """
    rng = np.random.default_rng(seed)
    made: dict[str, Array] = {}

    def layer(name: str, shape: tuple[int, ...], fan_in: int, channels: int) -> None:
        scale = np.float32(np.sqrt(2 / fan_in))
        made[f"{name}/filter"] = rng.standard_normal(shape, dtype=np.float32) * scale
        made[f"{name}/bias"] = rng.uniform(-0.1, 0.3, channels).astype(np.float32)

    layer("stem", (3, 3, 3, STEM), 27, STEM)
    channels = STEM
    for i, (_, out) in enumerate(BLOCKS):
        layer(f"depthwise{i}", (3, 3, channels, 1), 9, channels)
        layer(f"pointwise{i}", (1, 1, channels, out), channels, out)
        channels = out
    layer("classes", (channels, CLASSES), channels, CLASSES)
    return made


def image(batch: int = 1, seed: int = 1) -> Array:
    """Return noise in [-1, 1) of shape [batch, 224, 224, 3]."""
    shape = (batch, SIZE, SIZE, 3)
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def forward(tf: Any, w: Mapping[str, Any], x: Any) -> Any:
    """Return probabilities [batch, 1000] of images [batch, 224, 224, 3]. ``w`` has tensors."""
    return tf.nn.softmax(logits(tf, w, x))


def logits(tf: Any, w: Mapping[str, Any], x: Any) -> Any:
    """Return the input of the softmax in :func:`forward`. ``w`` has tensors or Variables."""

    def activate(y: Any, name: str) -> Any:
        return tf.nn.relu6(tf.nn.bias_add(y, w[f"{name}/bias"]))

    y = activate(tf.nn.conv2d(x, w["stem/filter"], 2, "SAME"), "stem")
    for i, (stride, _) in enumerate(BLOCKS):
        name = f"depthwise{i}"
        strides = [1, stride, stride, 1]
        y = activate(tf.nn.depthwise_conv2d(y, w[f"{name}/filter"], strides, "SAME"), name)
        name = f"pointwise{i}"
        y = activate(tf.nn.conv2d(y, w[f"{name}/filter"], 1, "SAME"), name)
    pooled = tf.reshape(tf.nn.avg_pool2d(y, y.shape[1], 1, "VALID"), [x.shape[0], -1])
    return tf.nn.bias_add(tf.matmul(pooled, w["classes/filter"]), w["classes/bias"])
