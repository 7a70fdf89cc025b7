"""The part of a matrix test that runs in the page: compare the reports, and train."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

STEPS, RATE = 5, 0.1


async def check(tf: Any, backend: str, answers: list[list[Any]], one_digit: bool) -> None:
    """Check which backend was chosen, then open the backends that were not tried.

    Args:
        answers: For each backend by priority, its name, True if it opens, and a pattern.
        one_digit: If True, the device has only about three significant digits.
    """
    opening = [name for name, opens, _ in answers if opens]
    assert backend == opening[0], tf.backend_report()
    tried = [name for name, _, _ in answers].index(backend)
    for place, (name, opens, pattern) in enumerate(answers):
        report = tf.backend_report()[name]
        if place > tried:
            assert report["status"] == "not tried"
            assert await _opens(tf, name) == opens
            report = tf.backend_report()[name]
        assert (report["status"] == "chosen") == opens, report
        said = report["variant"] if opens else report["reason"]
        assert re.fullmatch(pattern, said), (name, said)
        if opens:
            tolerance = 1e-2 if one_digit and name == "webgl" else 1e-5
            await _trains(tf, tolerance)
    await tf.set_backend_async(backend)


async def _opens(tf: Any, name: str) -> bool:
    try:
        return bool(await tf.set_backend_async(name))
    except RuntimeError:
        return False


async def _trains(tf: Any, tolerance: float) -> None:
    """Compare steps of a small network, eager and compiled, with NumPy, in both kinds of reads."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(16, 8)).astype(np.float32)
    y = rng.normal(size=(16, 3)).astype(np.float32)
    start = rng.normal(size=(8, 3)).astype(np.float32)
    wanted = start.copy()
    for _ in range(STEPS):
        out = np.maximum(x @ wanted, 0)
        wanted = wanted - RATE * x.T @ ((out - y) * (out > 0)) * np.float32(2 / y.size)

    def step(w: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.nn.relu(tf.constant(x) @ w) - y) ** 2)
        w.assign_sub(RATE * tape.gradient(loss, w))

    for take in (step, tf.function(step)):
        w = tf.Variable(start)
        for _ in range(STEPS):
            take(w)
        np.testing.assert_allclose(await w.data(), wanted, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(w.numpy(), wanted, rtol=tolerance, atol=tolerance)
