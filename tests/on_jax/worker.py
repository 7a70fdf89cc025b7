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
print(
    json.dumps(
        {
            "number": resolver.task_id,
            "replicas": strategy.num_replicas_in_sync,
            "own": len(strategy.extended.worker_devices),
            "results": {
                name: strategies.plain(strategies.PROGRAMS[name](tf, strategy))
                for name in ("reduce", "training")
            },
            "local": strategies.plain(strategies.PROGRAMS["local_results"](tf, strategy)[2]),
        }
    )
)
