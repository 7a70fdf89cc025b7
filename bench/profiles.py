"""The share of a call's time that a profile accounts for, and its cost; for page/profile.mjs."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from statistics import median
from time import perf_counter
from typing import Any

import tfpy as tf
from bench.networks import digits, mobilenet_v2

ROUNDS = 7

Call = Callable[[], Awaitable[Any]]


def _mobilenet() -> Call:
    weights = {name: tf.constant(array) for name, array in mobilenet_v2.weights().items()}
    image = tf.constant(mobilenet_v2.image())
    forward = tf.function(lambda x: mobilenet_v2.forward(tf, weights, x))

    async def call() -> Any:
        return await forward(image).data()

    return call


def _training(compiled: bool) -> Call:
    weights = {name: tf.Variable(array) for name, array in digits.weights().items()}
    images = tf.constant(digits.images())
    labels = tf.one_hot(tf.range(digits.BATCH) % digits.CLASSES, digits.CLASSES)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = digits.logits(tf, weights, x)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))
        for weight, gradient in zip(
            weights.values(), tape.gradient(loss, list(weights.values())), strict=True
        ):
            weight.assign_sub(gradient * 0.01)
        return loss

    run = tf.function(step) if compiled else step

    async def call() -> Any:
        return await run(images).data()

    return call


WORKS: dict[str, Callable[[], Call]] = {
    "mobilenet_v2": _mobilenet,
    "training step": lambda: _training(compiled=True),
    "training op by op": lambda: _training(compiled=False),
}


async def measured(name: str, rounds: int = ROUNDS, trace: bool = False) -> str:
    """Return the record of a work as JSON: medians in milliseconds, with and without a profile. If
    `trace` is set, it includes the trace of the profile with the median time."""
    call = WORKS[name]()
    first = await tf.profile_async(call)
    for _ in range(rounds):
        await call()
    plain: list[float] = []
    infos: list[Any] = []
    for _ in range(rounds):
        began = perf_counter()
        await call()
        plain.append((perf_counter() - began) * 1e3)
        infos.append(await tf.profile_async(call))
    info = sorted(infos, key=lambda i: i.wall_ms)[rounds // 2]
    kinds: dict[str, float] = {}
    for track in info.tracks:
        for event in track.events:
            kinds[event.kind] = kinds.get(event.kind, 0.0) + (event.ended - event.began) * 1e3
    record = {
        "work": name,
        "backend": tf.get_backend(),
        "plain_ms": round(median(plain), 3),
        "profiled_ms": round(info.wall_ms, 3),
        "kernel_ms": info.kernel_ms and round(info.kernel_ms, 3),
        "kernels": len(info.kernels),
        "accounted": round(info.accounted, 4),
        "least_accounted": round(min(i.accounted for i in infos), 4),
        "first_ms": round(first.wall_ms, 1),
        "first_accounted": round(first.accounted, 4),
        "kinds_ms": {kind: round(ms, 2) for kind, ms in kinds.items()},
        "reason": info.reason,
    }
    return json.dumps(record | ({"trace": info.trace()} if trace else {}))
