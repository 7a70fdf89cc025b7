"""Interrupts of a running program: no leaks, Variables keep values, the backend still works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.testing import run_in_browser

INTERVAL = 50
"""Number of Python's calls and loop iterations between two checks for an interrupt."""
DEVICES = ("wasm", "webgl", "webgpu")


def interrupted(work: Callable[[], Any], runs: int, moment: int) -> bool:
    """Return True if an interrupt that arrives during a run of the backend ends the work.

    Args:
        runs: Number of runs before the interrupt.
        moment: Number of loop iterations by which Python's next check comes earlier.
    """
    import js
    import pyodide_js

    from tfpy._src.backends import registry

    backend = registry.active_backend()
    run, asked, seen = backend.run, js.Uint8Array.new(1), 0

    def running(*arguments: int) -> int:
        nonlocal seen
        first = run(*arguments)
        if seen == runs:
            asked[0] = 2
            for _ in range(moment):
                pass
        seen += 1
        return first

    vars(backend)["run"] = running
    pyodide_js.setInterruptBuffer(asked)
    try:
        work()
        for _ in range(2 * INTERVAL):
            pass
        return False
    except KeyboardInterrupt:
        return True
    finally:
        pyodide_js.setInterruptBuffer(None)
        del vars(backend)["run"]


@run_in_browser(backends=DEVICES)
def test_a_step_of_training(tf: Any) -> None:
    """Check that both Variables have the values of the same step after an interrupt at any time."""
    first, second = tf.Variable(tf.zeros([300])), tf.Variable(tf.zeros([300]))

    @tf.function
    def step() -> None:
        first.assign_add(tf.ones([300]))
        second.assign_add(tf.ones([300]))

    step()
    for moment in range(INTERVAL):
        assert interrupted(step, 0, moment), moment
        steps = first.numpy()
        np.testing.assert_array_equal(steps, second.numpy())
        assert steps[0] == moment + 2
    step()
    assert first.numpy()[0] == INTERVAL + 2


@run_in_browser(backends=DEVICES)
def test_ops_one_by_one(tf: Any) -> None:
    x = tf.constant(np.linspace(-1, 1, 500, dtype=np.float32))
    for moment in range(INTERVAL):
        assert interrupted(lambda: tf.sin(x) * 2.0 + tf.cos(x), moment % 4, moment), moment
    np.testing.assert_allclose(tf.sin(x).numpy(), np.sin(x.numpy()), atol=1e-3)


@run_in_browser(backends=DEVICES)
def test_a_compiled_loop(tf: Any) -> None:
    """Check that an interrupt ends a loop that would take hours.

    The Variable keeps its old value.
    """
    v = tf.Variable(tf.ones([500]))

    @tf.function
    def forever(count: Any) -> None:
        turn = tf.constant(0)
        while turn < count:
            v.assign(v * 0.5 + 1.0)
            turn += 1

    forever(tf.constant(3))
    before = v.numpy()
    for moment in range(0, INTERVAL, 7):
        assert interrupted(lambda: forever(tf.constant(10**9)), 10, moment)
        np.testing.assert_array_equal(v.numpy(), before)
    forever(tf.constant(1))
    np.testing.assert_allclose(v.numpy(), before * 0.5 + 1.0, rtol=1e-6)
