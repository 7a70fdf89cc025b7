"""What a training step takes on several devices by MirroredStrategy, beside one.

PYTHONPATH=src:. python -m bench.jax_scaling --device gpu

Each device has a batch of its own size, so that n devices at their best train n times as many
examples in the time of one (weak scaling). The step is timed without its exchange of gradients,
too: what that takes off is the collectives' share that computation does not hide. With
``--device cpu`` the devices are virtual and share the cores: that shows that it runs.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.networks.trained import WORKS, Sizes, Work

ONE, SEVERAL, APART = "one device", "several", "several, nothing exchanged"


class Side(NamedTuple):
    """A step on some devices."""

    name: str
    step: Callable[[], Any]
    wait: Callable[[], Any]
    text: Callable[[], str]
    """The program."""


def side(name: str, devices: int, work_name: str, work: Work, sizes: Sizes, exchange: bool) -> Side:
    """A training step of a strategy with so many replicas."""
    import tfpy as tf
    from bench.networks.trained_tf import Network

    kind = tf.backend().processor
    strategy = tf.distribute.MirroredStrategy([f"{kind}:{n}" for n in range(devices)])
    with strategy.scope():
        network = Network(tf, work, sizes)
        update = network.adam() if work.is_adam else network.momentum()
    variables = list(network.learned.values())

    def replica(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = getattr(network, work_name)(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]
        if exchange:
            context: Any = tf.distribute.get_replica_context()
            gradients = context.all_reduce("MEAN", gradients)
        update(gradients)
        return loss

    @tf.function
    def step(batch: Any) -> Any:
        losses = strategy.run(replica, args=batch)
        return strategy.reduce("MEAN", losses, axis=None)

    whole = work.batch(sizes._replace(batch=devices * sizes.batch))
    data = tf.data.Dataset.from_tensors(whole)
    (batch,) = strategy.experimental_distribute_dataset(data)
    wait = variables[-1].numpy
    return Side(name, lambda: step(batch), wait, lambda: str(step.lower(batch).as_text()))


def milliseconds(side: Side, steps: int) -> float:
    began = time.perf_counter()
    for _ in range(steps):
        side.step()
    side.wait()
    return (time.perf_counter() - began) / steps * 1e3


def exchanged(text: str) -> tuple[int, int]:
    """How many all-reduces a program has, and of how many elements together."""
    shapes = re.findall(r"stablehlo\.all_reduce.*?\}\) : \(tensor<([\dx]*)[a-z]", text, re.DOTALL)
    sizes = [int(np.prod([int(n) for n in shape.split("x") if n])) for shape in shapes]
    return len(sizes), sum(sizes)


def compare(sides: list[Side], devices: int, rounds: int, steps: int) -> None:
    for one in sides:
        began = time.perf_counter()
        loss = float(np.asarray(one.step()))
        seconds = time.perf_counter() - began
        print(f"  {one.name}: first step {seconds:.1f} s, loss {loss:.5f}", flush=True)
        milliseconds(one, 2)
    count, elements = exchanged(sides[1].text())
    print(f"  {count} all-reduces of {elements * 4 / 1e6:.1f} MB together")
    turns = [[milliseconds(one, steps) for one in sides] for _ in range(rounds)]
    alone, several, apart = (statistics.median(times) for times in zip(*turns, strict=True))
    for one, times in zip(sides, zip(*turns, strict=True), strict=True):
        print(f"  {one.name}: median {statistics.median(times):.3f} ms, least {min(times):.3f}")
    print(
        f"  {devices} devices train {devices * alone / several:.3f} times as fast as one, "
        f"efficiency {alone / several:.3f}; collectives that nothing hides take "
        f"{max(0.0, 1 - apart / several):.3f} of a step",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--work", nargs="+", choices=list(WORKS), default=["transformer"])
    parser.add_argument("--batch", type=int, help="examples of a device's step")
    parser.add_argument("--size", type=int, help="pixels of a side, or tokens")
    parser.add_argument("--layers", type=int, help="of the transformer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, help="of a turn")
    options = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = {"cpu": "cpu", "gpu": "cuda"}[options.device]
    import tfpy

    tfpy.set_backend("jax")
    if options.device == "cpu":
        (cpu,) = tfpy.config.list_physical_devices("CPU")
        several = [tfpy.config.LogicalDeviceConfiguration()] * options.devices
        tfpy.config.set_logical_device_configuration(cpu, several)
    given = {k: v for k in ("batch", "size", "layers") if (v := getattr(options, k)) is not None}
    for name in options.work:
        work = WORKS[name]
        sizes = (work.on_gpu if options.device == "gpu" else work.on_cpu)._replace(**given)
        print(f"{name}, {sizes} on each device", flush=True)
        kinds = [(ONE, 1, True), (SEVERAL, options.devices, True), (APART, options.devices, False)]
        sides = [side(kind, n, name, work, sizes, exchange) for kind, n, exchange in kinds]
        compare(
            sides,
            options.devices,
            options.rounds,
            options.steps or (10 if options.device == "gpu" else 2),
        )


if __name__ == "__main__":
    main()
