"""MobileNetV2 1.0 224 (Sandler et al., 2018) with seeded weights and folded normalization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from bench.networks import mobilenet_v1

Array = np.ndarray[Any, Any]

CLASSES = 1000
STEM = 32
HEAD = 1280
STAGES = (  # expansion, channels, repeats, stride of the first
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class Block(NamedTuple):
    """An inverted residual block. ``expanded`` is 0 if the block does not expand."""

    name: str
    channels: int
    expanded: int
    out: int
    stride: int


def blocks() -> Iterator[Block]:
    """Yield the blocks in order."""
    channels, number = STEM, 0
    for expansion, out, repeats, first in STAGES:
        for i in range(repeats):
            expanded = channels * expansion if expansion > 1 else 0
            yield Block(f"block{number}", channels, expanded, out, first if i == 0 else 1)
            channels, number = out, number + 1


def weights(seed: int = 0) -> dict[str, Array]:
    """Return filters and biases by name, float32, scaled as in the module of MobileNetV1."""
    rng = np.random.default_rng(seed)
    made: dict[str, Array] = {}

    def layer(name: str, shape: tuple[int, ...], fan_in: int, channels: int, gain: float) -> None:
        scale = np.float32(np.sqrt(gain / fan_in))
        made[f"{name}/filter"] = rng.standard_normal(shape, dtype=np.float32) * scale
        made[f"{name}/bias"] = rng.uniform(-0.1, 0.3, channels).astype(np.float32)

    layer("stem", (3, 3, 3, STEM), 27, STEM, 2)
    for block in blocks():
        inner = block.expanded or block.channels
        if block.expanded:
            shape = (1, 1, block.channels, inner)
            layer(f"{block.name}/expand", shape, block.channels, inner, 2)
        layer(f"{block.name}/depthwise", (3, 3, inner, 1), 9, inner, 2)
        layer(f"{block.name}/project", (1, 1, inner, block.out), inner, block.out, 1)
    layer("head", (1, 1, 320, HEAD), 320, HEAD, 2)
    layer("classes", (HEAD, CLASSES), HEAD, CLASSES, 1)
    return made


image = mobilenet_v1.image


def forward(tf: Any, w: Mapping[str, Any], x: Any) -> Any:
    """Return probabilities [batch, 1000] of images [batch, 224, 224, 3]. ``w`` has tensors."""

    def biased(y: Any, name: str) -> Any:
        return tf.nn.bias_add(y, w[f"{name}/bias"])

    def conv(y: Any, name: str, stride: int) -> Any:
        return biased(tf.nn.conv2d(y, w[f"{name}/filter"], stride, "SAME"), name)

    y = tf.nn.relu6(conv(x, "stem", 2))
    for name, channels, expanded, out, stride in blocks():
        before = y
        if expanded:
            y = tf.nn.relu6(conv(y, f"{name}/expand", 1))
        strides = [1, stride, stride, 1]
        depthwise = tf.nn.depthwise_conv2d(y, w[f"{name}/depthwise/filter"], strides, "SAME")
        y = conv(tf.nn.relu6(biased(depthwise, f"{name}/depthwise")), f"{name}/project", 1)
        if stride == 1 and channels == out:
            y = before + y
    y = tf.nn.relu6(conv(y, "head", 1))
    pooled = tf.reshape(tf.nn.avg_pool2d(y, y.shape[1], 1, "VALID"), [x.shape[0], -1])
    return tf.nn.softmax(biased(tf.matmul(pooled, w["classes/filter"]), "classes"))
