"""Tensors on meshes of several virtual devices are printed as by TensorFlow, with their layouts.

The number of devices is fixed for each process, so each library runs the script in its own one.
"""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import importlib, sys
import numpy as np
tf = importlib.import_module(sys.argv[1])
d = tf.experimental.dtensor
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 6)
names = [f"CPU:{i}" for i in range(6)]
line = d.create_mesh([("x", 6)], devices=names)
grid = d.create_mesh([("x", 3), ("y", 2)], devices=names)

def placed(array, specs, mesh):
    whole = d.copy_to_mesh(array, d.Layout.replicated(mesh, rank=len(specs)))
    return d.relayout(whole, d.Layout(specs, mesh))

def shown(x):
    print(x, repr(x), x.device)
    for part in d.unpack(x):
        print(part.device, part)

N = d.UNSHARDED
shown(placed([0, 1], [N], line))
shown(placed(tf.constant(1.5), [], line))
many = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) * 0.37
shown(placed(tf.constant(many), [N, N], grid))
shown(placed(tf.reshape(tf.range(6), [3, 2]), ["x", "y"], grid))
shown(placed(tf.reshape(tf.range(6), [3, 2]), ["x", N], grid))
shown(d.pack([[0, 1]] * 6, d.Layout([N], line)))
a = placed([[1, 2, 3], [4, 5, 6]], ["y", "x"], grid)
b = placed([[6, 5], [4, 3], [2, 1]], ["x", N], grid)
shown(tf.matmul(a, b))
ones = d.call_with_layout(tf.ones, d.Layout(["x", "y"], grid), shape=(6, 4))
results = [ones + ones, ones * 2.0, tf.sqrt(ones), tf.transpose(ones), tf.reduce_sum(ones, 0)]
results += [tf.reduce_sum(ones), tf.matmul(ones, ones, transpose_b=True), tf.cast(ones, tf.int32)]
for one in results:
    shown(one)
one = d.Layout([N, N], line)
v = d.DVariable(d.call_with_layout(tf.ones, layout=one, shape=(4, 2)))
shown(v + d.call_with_layout(tf.ones, layout=one, shape=(4, 2)))
v.assign(d.call_with_layout(tf.zeros, layout=one, shape=(4, 2)))
other = d.call_with_layout(tf.ones, layout=d.Layout([N, N], grid), shape=(4, 2))
try:
    v.assign(other)
except Exception:
    print("not assigned")
"""


def output(library: str) -> str:
    env = os.environ | {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    argv = [sys.executable, "-c", SCRIPT, library]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout


def test_layouts_are_printed() -> None:
    assert output("tfpy") == output("tensorflow")
