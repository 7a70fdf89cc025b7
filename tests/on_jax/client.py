"""One of two clients of ``tf.experimental.dtensor``, each with two devices of a mesh of four."""

from __future__ import annotations

import json

import numpy as np

import tfpy as tf
from tfpy.experimental import dtensor

tf.set_backend("jax")
dtensor.initialize_accelerator_system("CPU", num_logical_cpu_devices=2)
mesh = dtensor.create_distributed_mesh([("batch", 2), ("model", 2)])
values = np.arange(32, dtype=np.float32).reshape(8, 4)
x = dtensor.copy_to_mesh(values, dtensor.Layout(["batch", "model"], mesh))
w = dtensor.DVariable(np.ones([4, 2], np.float32), layout=dtensor.Layout(["model", "batch"], mesh))


@tf.function
def step() -> tf.Tensor:
    y = tf.matmul(x, w)
    w.assign_add(tf.reshape(tf.reduce_sum(x, 0), [4, 1]) * tf.ones([1, 2]))
    return dtensor.relayout(y, dtensor.Layout.replicated(mesh, 2))


y = step()
parts = dtensor.unpack(x)
dtensor.barrier(mesh)
print(
    json.dumps(
        {
            "id": dtensor.client_id(),
            "devices": mesh.local_devices(),
            "parts": [part.numpy().tolist() for part in parts],
            "packed": dtensor.pack(parts, dtensor.fetch_layout(x)).numpy().tolist(),
            "product": y.numpy().tolist(),
            "moved": dtensor.relayout(x, dtensor.Layout(["model", "batch"], mesh)).numpy().tolist(),
            "variable": w.numpy().tolist(),
        }
    )
)
