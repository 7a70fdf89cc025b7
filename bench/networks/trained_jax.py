"""Training steps of the networks of ``trained.py``, written in JAX by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax, nn, numpy as jnp

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

_LAYOUT = ("NHWC", "HWIO", "NHWC")


class Network:
    """The values of one step: trainable weights, and moving averages, which the step updates."""

    def __init__(self, learned: dict[str, Any], averages: dict[str, Any]) -> None:
        self.learned = learned
        self.averages = averages
        self.moved = dict(averages)

    def _scaled(self, name: str, x: Any, axes: tuple[int, ...]) -> tuple[Any, Any, Any]:
        keeps = axes == (-1,)
        mean, variance = x.mean(axes, keepdims=keeps), x.var(axes, keepdims=keeps)
        scale = self.learned[f"{name}/scale"] * lax.rsqrt(variance + EPSILON)
        return x * scale + (self.learned[f"{name}/offset"] - mean * scale), mean, variance

    def norm(self, name: str, x: Any) -> Any:
        x, mean, variance = self._scaled(name, x, (0, 1, 2))
        for what, value in (("mean", mean), ("variance", variance)):
            average = self.averages[f"{name}/{what}"]
            self.moved[f"{name}/{what}"] = KEEP * average + (1 - KEEP) * value
        return x

    def convolution(self, name: str, x: Any, stride: int = 1) -> Any:
        filters = self.learned[name]
        x = lax.conv_general_dilated(
            x, filters, (stride, stride), "SAME", dimension_numbers=_LAYOUT
        )
        return self.norm(name, x)

    def depthwise(self, name: str, x: Any, stride: int) -> Any:
        filters = self.learned[name]
        height, width, channels, _ = filters.shape
        x = lax.conv_general_dilated(
            x,
            filters.reshape(height, width, 1, channels),
            (stride, stride),
            "SAME",
            dimension_numbers=_LAYOUT,
            feature_group_count=channels,
        )
        return self.norm(name, x)

    def dense(self, name: str, x: Any) -> Any:
        return x @ self.learned[f"{name}/kernel"] + self.learned[f"{name}/bias"]

    def mobilenet(self, x: Any) -> Any:
        x = nn.relu6(self.convolution("stem", x, 2))
        for b in mobilenet_blocks():
            y = x if b.inner == b.before else nn.relu6(self.convolution(f"{b.name}/expand", x))
            y = nn.relu6(self.depthwise(f"{b.name}/depthwise", y, b.stride))
            y = self.convolution(f"{b.name}/project", y)
            x = x + y if b.before == b.after and b.stride == 1 else y
        x = nn.relu6(self.convolution("head", x))
        return self.dense("classes", x.mean((1, 2)))

    def resnet(self, x: Any) -> Any:
        x = nn.relu(self.convolution("stem", x, 2))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        for b in resnet_blocks():
            y = nn.relu(self.convolution(f"{b.name}/reduce", x))
            y = nn.relu(self.convolution(f"{b.name}/middle", y, b.stride))
            y = self.convolution(f"{b.name}/expand", y)
            if b.before != b.after:
                x = self.convolution(f"{b.name}/shortcut", x, b.stride)
            x = nn.relu(x + y)
        return self.dense("classes", x.mean((1, 2)))

    def layer_norm(self, name: str, x: Any) -> Any:
        return self._scaled(name, x, (-1,))[0]

    def attention(self, name: str, x: Any) -> Any:
        batch, count, _ = x.shape
        together = self.dense(f"{name}/attention", x)
        q, k, v = together.reshape(batch, count, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
        weights = nn.softmax(jnp.where(np.tri(count, dtype=bool), scores, -1e9))
        heads = jnp.einsum("bhqk,bhkd->bhqd", weights, v).transpose(0, 2, 1, 3)
        return self.dense(f"{name}/heads", heads.reshape(batch, count, WIDTH))

    def transformer(self, words: Any) -> Any:
        x = self.learned["words"][words] + self.learned["places"]
        layers = sum(name.endswith("/wide/bias") for name in self.learned)
        for i in range(layers):
            name = f"layer{i}"
            x = x + self.attention(name, self.layer_norm(f"{name}/before", x))
            y = self.dense(f"{name}/wide", self.layer_norm(f"{name}/between", x))
            x = x + self.dense(f"{name}/narrow", nn.gelu(y))
        return self.dense("next", self.layer_norm("last", x))


def _momentum(learned: Any, state: Any, gradients: Any) -> tuple[Any, Any]:
    (speeds,) = state
    speeds = jax.tree.map(lambda speed, g: KEEP * speed + g, speeds, gradients)
    return jax.tree.map(lambda v, speed: v - RATE * speed, learned, speeds), (speeds,)


def _adam(learned: Any, state: Any, gradients: Any) -> tuple[Any, Any]:
    firsts, seconds, count = state
    count = count + 1
    rate = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    firsts = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, firsts, gradients)
    seconds = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * (g * g), seconds, gradients)
    learned = jax.tree.map(
        lambda v, m, s: v - rate * m / (jnp.sqrt(s) + 1e-7), learned, firsts, seconds
    )
    return learned, (firsts, seconds, count)


def _loss(name: str, learned: Any, averages: Any, x: Any, y: Any) -> tuple[Any, Any]:
    network = Network(learned, averages)
    logits = nn.log_softmax(getattr(network, name)(x))
    loss = -jnp.take_along_axis(logits, y[..., None], axis=-1).mean()
    return loss, network.moved


def trainer(name: str, work: Work, sizes: Sizes) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a function that runs a step and returns its loss, and one that waits for the steps."""
    learned, averages = (jax.device_put(values) for values in work.values(sizes))
    x, y = map(jax.device_put, work.batch(sizes))
    zeros = partial(jax.tree.map, jnp.zeros_like)
    slots = (zeros(learned), zeros(learned), jnp.float32(0)) if work.is_adam else (zeros(learned),)
    state = learned, averages, slots

    @partial(jax.jit, donate_argnums=0)
    def step(state: Any, x: Any, y: Any) -> tuple[Any, Any]:
        learned, averages, slots = state
        found = jax.value_and_grad(partial(_loss, name), has_aux=True)(learned, averages, x, y)
        (loss, averages), gradients = found
        learned, slots = (_adam if work.is_adam else _momentum)(learned, slots, gradients)
        return (learned, averages, slots), loss

    def run() -> Any:
        nonlocal state
        state, loss = step(state, x, y)
        return loss

    return run, lambda: jax.block_until_ready(state)
