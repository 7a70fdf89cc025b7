"""The time of a training step on several devices with MirroredStrategy, compared with one device.

PYTHONPATH=src:. python -m bench.jax_scaling --device gpu
PYTHONPATH=src:. python -m bench.jax_scaling --device gpu --sharded

Each device has its own batch of the same size, so n devices train at most n times as many examples
in the same time (weak scaling). The step is also timed without the exchange of gradients. The
difference is the part of the collectives that computation does not hide. With ``--device cpu`` the
devices are virtual and share the cores, which only shows that the program runs.

With ``--sharded``, ``tf.experimental.dtensor`` splits the transformer's wide layers and its words
along the axis "model" of a mesh. All devices train one batch together (strong scaling). Each device
computes the whole attention.

On GPUs, a profile of the first device reports how long collectives run in a step, and how long no
other kernel runs at the same time.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
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
    """Returns the text of the program."""


def side(name: str, devices: int, work_name: str, work: Work, sizes: Sizes, exchange: bool) -> Side:
    """Return a training step of a strategy with this number of replicas."""
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
        gradients = tape.gradient(loss, variables)
        if exchange:
            context: Any = tf.distribute.get_replica_context()
            gradients = context.all_reduce("MEAN", gradients)
        update([tf.convert_to_tensor(g) for g in gradients])
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


CUT = {
    "words": ["model", "unsharded"],
    "wide/kernel": ["unsharded", "model"],
    "wide/bias": ["model"],
    "narrow/kernel": ["model", "unsharded"],
    "next/kernel": ["unsharded", "model"],
    "next/bias": ["model"],
}
"""The weights that are split, by the ends of their names."""


def sharded(devices: int, work: Work, sizes: Sizes) -> Side:
    """Return a training step of the transformer on a mesh of this number of devices."""
    import tfpy as tf
    from bench.networks.trained_tf import Network
    from tfpy.experimental import dtensor

    kind = tf.backend().processor
    names = [f"{kind}:{n}" for n in range(devices)]
    mesh = dtensor.create_mesh([("model", devices)], devices=names)
    network = Network(tf, work, sizes)
    for name, v in network.learned.items():
        specs = next((found for end, found in CUT.items() if name.endswith(end)), None)
        layout = dtensor.Layout(specs or ["unsharded"] * v.shape.rank, mesh)
        network.learned[name] = dtensor.DVariable(v, layout=layout)
    update, variables = network.adam(), list(network.learned.values())

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = network.transformer(x)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        update([tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)])
        return loss

    batch = [
        dtensor.copy_to_mesh(values, dtensor.Layout.replicated(mesh, values.ndim))
        for values in work.batch(sizes)
    ]
    name = ONE if devices == 1 else SEVERAL
    return Side(name, lambda: step(*batch), variables[-1].numpy, lambda: "")


def milliseconds(side: Side, steps: int) -> float:
    began = time.perf_counter()
    for _ in range(steps):
        side.step()
    side.wait()
    return (time.perf_counter() - began) / steps * 1e3


def exchanged(text: str) -> tuple[int, int]:
    """Return how many gradients a program exchanges, and their total number of elements."""
    reduced = re.findall(r"stablehlo\.all_reduce.*?\}\) : \(tensor<([\dx]*)[a-z]", text, re.DOTALL)
    swapped = re.findall(r"stablehlo\.collective_permute.*?: \(tensor<([\dx]*)[a-z]", text)
    shapes = reduced + swapped
    sizes = [int(np.prod([int(n) for n in shape.split("x") if n])) for shape in shapes]
    return len(sizes), sum(sizes)


Spans = list[tuple[float, float]]
"""Beginnings and ends, in nanoseconds."""


def kernels(side: Side, steps: int) -> tuple[Spans, Spans]:
    """Return when collectives and other kernels run on the first device in some steps."""
    import jax

    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            milliseconds(side, steps)
        (file,) = Path(folder).glob("**/*.xplane.pb")
        planes = jax.profiler.ProfileData.from_file(str(file)).planes
        found: tuple[Spans, Spans] = [], []
        for line in (x for plane in planes if "/device:GPU:0" in plane.name for x in plane.lines):
            for event in line.events if line.name.startswith("Stream") else ():
                is_other = "nccl" not in event.name.lower()
                found[is_other].append((event.start_ns, event.start_ns + event.duration_ns))
    return found


def together(spans: Spans) -> float:
    """Return the total time in which at least one of the spans lasts."""
    taken = until = 0.0
    for begin, end in sorted(spans):
        taken += max(0.0, end - max(begin, until))
        until = max(until, end)
    return taken


def report_collectives(side: Side, steps: int) -> None:
    collectives, others = kernels(side, steps)
    if not others:  # profiles of a CPU have no streams
        return
    alone = together(collectives + others) - together(others)
    print(
        f"  {side.name}: collectives run for {together(collectives) / steps / 1e6:.3f} ms of a "
        f"step, {alone / steps / 1e6:.3f} of them not overlapped; other kernels for "
        f"{together(others) / steps / 1e6:.3f}",
        flush=True,
    )


def warm(sides: list[Side]) -> None:
    for one in sides:
        began = time.perf_counter()
        loss = float(np.asarray(one.step()))
        seconds = time.perf_counter() - began
        print(f"  {one.name}: first step {seconds:.1f} s, loss {loss:.5f}", flush=True)
        milliseconds(one, 2)


def compare_sharded(sides: list[Side], devices: int, rounds: int, steps: int) -> None:
    warm(sides)
    turns = [[milliseconds(one, steps) for one in sides] for _ in range(rounds)]
    alone, several = (statistics.median(times) for times in zip(*turns, strict=True))
    print(f"  {alone:.3f} ms on one device, {several:.3f} on {devices} together", flush=True)
    print(f"  {devices} devices train a batch {alone / several:.3f} times as fast as one")
    report_collectives(sides[1], steps)


def compare(sides: list[Side], devices: int, rounds: int, steps: int) -> None:
    warm(sides)
    count, elements = exchanged(sides[1].text())
    print(f"  {count} gradients with {elements * 4 / 1e6:.1f} MB in total are exchanged")
    turns = [[milliseconds(one, steps) for one in sides] for _ in range(rounds)]
    alone, several, apart = (statistics.median(times) for times in zip(*turns, strict=True))
    for one, times in zip(sides, zip(*turns, strict=True), strict=True):
        print(f"  {one.name}: median {statistics.median(times):.3f} ms, fastest {min(times):.3f}")
    print(
        f"  {devices} devices train {devices * alone / several:.3f} times as fast as one, "
        f"efficiency {alone / several:.3f}; collectives that are not hidden take "
        f"{max(0.0, 1 - apart / several):.3f} of a step",
        flush=True,
    )
    for one in sides[1:]:
        report_collectives(one, steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--work", nargs="+", choices=list(WORKS), default=["transformer"])
    parser.add_argument("--sharded", action="store_true", help="split the transformer by dtensor")
    parser.add_argument("--batch", type=int, help="examples per device and step")
    parser.add_argument("--size", type=int, help="pixels per side, or tokens")
    parser.add_argument("--layers", type=int, help="layers of the transformer")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, help="steps per turn")
    options = parser.parse_args()
    if options.sharded and options.work != ["transformer"]:
        parser.error("--sharded supports only the transformer")
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
        work = work._replace(values=functools.cache(work.values))  # computing these takes seconds
        sizes = (work.on_gpu if options.device == "gpu" else work.on_cpu)._replace(**given)
        steps = options.steps or (10 if options.device == "gpu" else 2)
        if options.sharded:
            print(f"transformer, {sizes} on all devices together", flush=True)
            sides = [sharded(n, work, sizes) for n in (1, options.devices)]
            compare_sharded(sides, options.devices, options.rounds, steps)
            continue
        print(f"{name}, {sizes} on each device", flush=True)
        kinds = [(ONE, 1, True), (SEVERAL, options.devices, True), (APART, options.devices, False)]
        sides = [side(kind, n, name, work, sizes, exchange) for kind, n, exchange in kinds]
        compare(sides, options.devices, options.rounds, steps)


if __name__ == "__main__":
    main()
