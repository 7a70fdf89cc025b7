"""A worker that trains, saves after each step, dies at a given step and prints its results.

Arguments: a folder, the number of steps, the step before which it dies (-1 for none), and the
signal that it sends itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import numpy as np

import tfpy as tf

FOLDER, STEPS, DEATH = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SIGNAL = signal.Signals[sys.argv[4]]

tf.set_backend("jax")
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    w, step = tf.Variable(tf.zeros([300, 1])), tf.Variable(0)
    rows = tf.Variable(
        0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )


@tf.function
def train(x: tf.Tensor) -> None:
    def replica(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - 1.0) ** 2)
        gradient = tf.distribute.get_replica_context().all_reduce("MEAN", tape.gradient(loss, w))
        w.assign_sub(0.001 * gradient)
        rows.assign_add(tf.shape(x)[0])

    strategy.run(replica, args=(x,))


checkpoint = tf.train.Checkpoint(w=w, step=step, rows=rows)
manager = tf.train.CheckpointManager(checkpoint, FOLDER, max_to_keep=2)
restored = manager.restore_or_initialize()
x = np.random.default_rng(0).normal(size=(STEPS, 4, 300)).astype(np.float32)
error = ""
try:
    while int(step) < STEPS:
        if int(step) == DEATH:
            os.kill(os.getpid(), SIGNAL)
        batches = tf.data.Dataset.from_tensors(x[int(step)])
        for batch in strategy.experimental_distribute_dataset(batches):
            train(batch)
        w.numpy()  # waits for it
        step.assign_add(1)
        manager.save()
        assert tf.train.latest_checkpoint(FOLDER) == manager.latest_checkpoint  # in all processes
except tf.errors.UnavailableError as failure:
    error = failure.message
said = {"restored": restored, "error": error}
if error:  # values on devices may wait for the lost worker
    print(json.dumps(said), flush=True)
    sys.exit(1)
said |= {"step": int(step), "w": w.numpy().sum().item(), "rows": int(rows)}
time.sleep(2 * strategy.cluster_resolver.task_id)  # the first worker waits for the others
print(json.dumps(said), flush=True)
