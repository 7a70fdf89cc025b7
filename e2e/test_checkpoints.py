"""Checkpoints in a page's files, on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.testing import run_in_browser


@run_in_browser()
async def test_training_goes_on(tf: Any) -> None:
    """Check that a restored checkpoint has the saved values.

    This includes an object that is created later.
    """

    def made() -> Any:
        module = tf.Module()
        module.weights = [tf.Variable(tf.ones([40, 30])), {"bias": tf.Variable(tf.zeros([30]))}]
        module.generator = tf.random.Generator.from_seed(1)
        return module

    module, step = made(), tf.Variable(0)
    checkpoint = tf.train.Checkpoint(module=module, step=step)
    manager = tf.train.CheckpointManager(checkpoint, "/tmp/checkpoints", max_to_keep=1)
    for _ in range(2):
        module.weights[0].assign_add(module.generator.uniform([40, 30]))
        step.assign_add(1)
        await manager.save_async()
    wanted, drawn = await module.weights[0].data(), module.generator.uniform([3])
    assert len(tf.io.gfile.glob("/tmp/checkpoints/*.index")) == 1
    other = tf.train.Checkpoint(step=tf.Variable(0))
    status = other.restore(tf.train.latest_checkpoint("/tmp/checkpoints"))
    other.module = made()
    status.assert_consumed()
    np.testing.assert_array_equal(await other.module.weights[0].data(), wanted)
    again = other.module.generator.uniform([3])
    np.testing.assert_array_equal(await again.data(), await drawn.data())
    assert (await other.step.data()).item() == 2
    tf.io.gfile.rmtree("/tmp/checkpoints")
