"""A worker of a MultiWorkerMirroredStrategy, which ``TF_CONFIG`` tells of the others; prints what
the programs give that only look at all replicas together."""

from __future__ import annotations

import json
import sys

import strategies

import tfpy as tf

tf.set_backend("jax")
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
            "local": strategies.plain(strategies.PROGRAMS["local_results"](tf, strategy)[2]),
        }
    )
)
