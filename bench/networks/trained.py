"""Networks for training steps: their sizes, initial values and examples.

The computation is next to this module, written by hand for TensorFlow's names (``trained_tf.py``)
and for JAX (``trained_jax.py``). Both use the values by these names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

Values = dict[str, np.ndarray[Any, Any]]

WIDTH, HEADS = 768, 12
EPSILON = 1e-3
"""Epsilon of normalization."""
KEEP = 0.9
"""Decay of the moving averages, and of the momentum."""
RATE = 1e-3


class Sizes(NamedTuple):
    """The sizes of a network and of its batch."""

    batch: int
    size: int
    """Pixels of a side, or tokens."""
    classes: int = 1000
    """Number of classes, or of words."""
    layers: int = 0


class Block(NamedTuple):
    """One block of a convolutional network."""

    name: str
    before: int
    inner: int
    after: int
    stride: int


def mobilenet_blocks() -> Iterator[Block]:
    """Yield the blocks of MobileNetV2 (Sandler et al., 2018, table 2)."""
    rows = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1)]
    rows += [(6, 160, 3, 2), (6, 320, 1, 1)]
    before, number = 32, 0
    for expansion, after, count, stride in rows:
        for i in range(count):
            inner = expansion * before
            yield Block(f"block{number}", before, inner, after, stride if i == 0 else 1)
            before, number = after, number + 1


def resnet_blocks() -> Iterator[Block]:
    """Yield the blocks of ResNet-50 (He et al., 2015, table 1), with the stride in the middle."""
    before, number = 64, 0
    for inner, count, stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for i in range(count):
            yield Block(f"block{number}", before, inner, 4 * inner, stride if i == 0 else 1)
            before, number = 4 * inner, number + 1


class _Maker:
    """A maker of initial values: of trainable weights and of moving averages."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self.learned: Values = {}
        self.averages: Values = {}

    def _normal(self, shape: tuple[int, ...], deviation: float) -> np.ndarray[Any, Any]:
        return self._rng.normal(0, deviation, shape).astype(np.float32)

    def convolution(self, name: str, *shape: int) -> None:
        """Make a filter and its normalization. The third of four sizes is 1 if it is depthwise."""
        depthwise = name.endswith("depthwise")
        fan = shape[0] * shape[1] * (1 if depthwise else shape[2])
        self.learned[name] = self._normal(shape, (2 / fan) ** 0.5)
        channels = shape[2] if depthwise else shape[3]
        self.norm(name, channels)
        self.averages[f"{name}/mean"] = np.zeros(channels, np.float32)
        self.averages[f"{name}/variance"] = np.ones(channels, np.float32)

    def norm(self, name: str, channels: int) -> None:
        self.learned[f"{name}/scale"] = np.ones(channels, np.float32)
        self.learned[f"{name}/offset"] = np.zeros(channels, np.float32)

    def dense(self, name: str, before: int, after: int) -> None:
        self.learned[f"{name}/kernel"] = self._normal((before, after), 0.02)
        self.learned[f"{name}/bias"] = np.zeros(after, np.float32)

    def table(self, name: str, rows: int, width: int) -> None:
        self.learned[name] = self._normal((rows, width), 0.02)


def _mobilenet(sizes: Sizes) -> tuple[Values, Values]:
    make = _Maker()
    make.convolution("stem", 3, 3, 3, 32)
    for b in mobilenet_blocks():
        if b.inner != b.before:
            make.convolution(f"{b.name}/expand", 1, 1, b.before, b.inner)
        make.convolution(f"{b.name}/depthwise", 3, 3, b.inner, 1)
        make.convolution(f"{b.name}/project", 1, 1, b.inner, b.after)
    make.convolution("head", 1, 1, 320, 1280)
    make.dense("classes", 1280, sizes.classes)
    return make.learned, make.averages


def _resnet(sizes: Sizes) -> tuple[Values, Values]:
    make = _Maker()
    make.convolution("stem", 7, 7, 3, 64)
    for b in resnet_blocks():
        if b.before != b.after:
            make.convolution(f"{b.name}/shortcut", 1, 1, b.before, b.after)
        make.convolution(f"{b.name}/reduce", 1, 1, b.before, b.inner)
        make.convolution(f"{b.name}/middle", 3, 3, b.inner, b.inner)
        make.convolution(f"{b.name}/expand", 1, 1, b.inner, b.after)
    make.dense("classes", 2048, sizes.classes)
    return make.learned, make.averages


def _transformer(sizes: Sizes) -> tuple[Values, Values]:
    make = _Maker()
    make.table("words", sizes.classes, WIDTH)
    make.table("places", sizes.size, WIDTH)
    for i in range(sizes.layers):
        make.norm(f"layer{i}/before", WIDTH)
        make.dense(f"layer{i}/attention", WIDTH, 3 * WIDTH)
        make.dense(f"layer{i}/heads", WIDTH, WIDTH)
        make.norm(f"layer{i}/between", WIDTH)
        make.dense(f"layer{i}/wide", WIDTH, 4 * WIDTH)
        make.dense(f"layer{i}/narrow", 4 * WIDTH, WIDTH)
    make.norm("last", WIDTH)
    make.dense("next", WIDTH, sizes.classes)
    return make.learned, make.averages


def _pictures(sizes: Sizes) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(sizes.batch, sizes.size, sizes.size, 3)).astype(np.float32)
    return x, rng.integers(0, sizes.classes, sizes.batch).astype(np.int32)


def _texts(sizes: Sizes) -> tuple[Any, Any]:
    words = np.random.default_rng(1).integers(0, sizes.classes, (sizes.batch, sizes.size + 1))
    words = words.astype(np.int32)
    return words[:, :-1].copy(), words[:, 1:].copy()


class Work(NamedTuple):
    """A network and the way it is trained."""

    values: Callable[[Sizes], tuple[Values, Values]]
    """Returns the initial values of trainable weights and of moving averages."""
    batch: Callable[[Sizes], tuple[Any, Any]]
    """Returns examples and their labels."""
    is_adam: bool
    """True if it is trained with Adam, False with momentum."""
    on_gpu: Sizes
    on_cpu: Sizes


WORKS = {
    "mobilenet": Work(_mobilenet, _pictures, False, Sizes(128, 224), Sizes(4, 96)),
    "resnet": Work(_resnet, _pictures, False, Sizes(128, 224), Sizes(2, 96)),
    "transformer": Work(
        _transformer, _texts, True, Sizes(8, 512, 32768, 12), Sizes(1, 128, 2048, 4)
    ),
}
