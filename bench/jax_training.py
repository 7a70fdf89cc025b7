"""The time of a training step on the jax backend and of the same network written in JAX by hand.

PYTHONPATH=src:. python -m bench.jax_training --device gpu

On a CPU, TensorFlow with ``jit_compile=True`` is the third side, if it is installed. The sides take
turns in one process, and their losses must agree. The program needs only JAX and NumPy.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bench.networks.trained import WORKS, Sizes, Work

FIRST = 2  # number of steps with compared losses
DIFFERS = {"cpu": 1e-3, "gpu": 1e-2}
"""Allowed difference of losses. From the second step on, gradients are rounded differently. GPUs
multiply with the ten bits of TF32."""


class Side(NamedTuple):
    """One side of the comparison."""

    name: str
    step: Callable[[], Any]
    wait: Callable[[], Any]
    """Returns when the steps are done."""


def tfpy_side(name: str, work: Work, sizes: Sizes) -> Side:
    import tfpy
    from bench.networks import trained_tf

    tfpy.set_backend("jax")
    step, variable = trained_tf.trainer(tfpy, name, work, sizes)
    return Side("tfpy", step, lambda: variable.numpy())


def jax_side(name: str, work: Work, sizes: Sizes) -> Side:
    from bench.networks import trained_jax

    return Side("JAX", *trained_jax.trainer(name, work, sizes))


def tensorflow_side(name: str, work: Work, sizes: Sizes) -> Side:
    import tensorflow

    from bench.networks import trained_tf

    step, variable = trained_tf.trainer(tensorflow, name, work, sizes)
    return Side("TensorFlow", step, lambda: variable.numpy())


def started(side: Side) -> list[float]:
    """Return the losses of the first steps, and print how long they took."""
    seconds, losses = [], []
    for _ in range(FIRST):
        began = time.perf_counter()
        losses.append(float(np.asarray(side.step())))
        side.wait()
        seconds.append(time.perf_counter() - began)
    print(f"  {side.name}: first steps {', '.join(f'{s:.2f}' for s in seconds)} s", flush=True)
    return losses


def milliseconds(side: Side, steps: int) -> float:
    began = time.perf_counter()
    for _ in range(steps):
        side.step()
    side.wait()
    return (time.perf_counter() - began) / steps * 1e3


def compare(sides: list[Side], device: str, rounds: int, steps: int) -> None:
    """Print the median and the fastest time of each side, and the ratios to the first one."""
    losses = [started(side) for side in sides]
    for side, found in zip(sides, losses, strict=True):
        same = np.allclose(found, losses[0], rtol=DIFFERS[device])
        print(f"  {side.name}: losses {found}{'' if same else ' DIFFER'}")
    turns = [[milliseconds(side, steps) for side in sides] for _ in range(rounds)]
    mine = [turn[0] for turn in turns]
    for side, times in zip(sides, zip(*turns, strict=True), strict=True):
        ratios = [a / b for a, b in zip(mine, times, strict=True)]
        print(
            f"  {side.name}: median {statistics.median(times):.3f} ms, fastest {min(times):.3f}; "
            f"tfpy takes {statistics.median(ratios):.3f} times as long, "
            f"{min(mine) / min(times):.3f} by the fastest",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--work", nargs="+", choices=list(WORKS), default=list(WORKS))
    parser.add_argument("--batch", type=int, help="examples per step")
    parser.add_argument("--size", type=int, help="pixels per side, or tokens")
    parser.add_argument("--layers", type=int, help="layers of the transformer")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, help="steps per turn")
    options = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = {"cpu": "cpu", "gpu": "cuda"}[options.device]
    makers = [tfpy_side, jax_side]
    if options.device == "cpu" and importlib.util.find_spec("tensorflow"):
        makers.append(tensorflow_side)
    given = {k: v for k in ("batch", "size", "layers") if (v := getattr(options, k)) is not None}
    for name in options.work:
        work = WORKS[name]
        sizes = (work.on_gpu if options.device == "gpu" else work.on_cpu)._replace(**given)
        print(f"{name}, {sizes}", flush=True)
        sides = [make(name, work, sizes) for make in makers]
        steps = options.steps or (10 if options.device == "gpu" else 2)
        compare(sides, options.device, options.rounds, steps)


if __name__ == "__main__":
    main()
