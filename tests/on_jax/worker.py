"""A worker of a MultiWorkerMirroredStrategy, described by ``TF_CONFIG``.

It prints the results of programs that show all replicas together.
"""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import strategies

import tfpy as tf

tf.set_backend("jax")
tf.as_tensorflow(replace=True)
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * int(sys.argv[1])
)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
with strategy.scope():
    begun = [
        tf.Variable([resolver.task_id + 1.0]),
        tf.Variable(lambda: resolver.task_id == 0),
        tf.Variable(
            resolver.task_id + 3,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
        ),
    ]


def learnt(scope: AbstractContextManager[Any], weights: list[Any] | None = None) -> list[Any]:
    """Return a Keras model's initial weights, its logs and its predictions.

    The initial weights depend on the worker unless `weights` are given.
    """
    import keras

    keras.utils.set_random_seed(resolver.task_id)
    with scope:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1)])
        model.compile(keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    if weights:
        model.set_weights(weights)
    begun = model.get_weights()
    x = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    given = {"x": x, "y": x[:, :1], "batch_size": 8, "verbose": 0}
    told = model.fit(**given, shuffle=False).history
    told |= model.evaluate(**given, return_dict=True)
    return [begun, sorted(told.items()), model.predict(x, batch_size=8, verbose=0)]


fitted = learnt(strategy.scope())
print(
    json.dumps(
        {
            "number": resolver.task_id,
            "replicas": strategy.num_replicas_in_sync,
            "own": strategy.extended.worker_devices,
            "begun": strategies.plain(begun),
            "results": {
                name: strategies.plain(strategies.PROGRAMS[name](tf, strategy))
                for name in ("reduce", "training")
            },
            "fitted": strategies.plain([fitted, learnt(nullcontext(), fitted[0])]),
            "local": strategies.plain(strategies.PROGRAMS["local_results"](tf, strategy)[2]),
        }
    )
)
