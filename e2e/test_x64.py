"""64-bit dtypes in a page that enables them. Devices do not have them, so NumPy computes."""

from __future__ import annotations

import json
from collections.abc import Callable

from tfpy.testing.sessions import OpenPage

STARTED = """import('/pyodide/pyodide.mjs').then(async ({ loadPyodide }) => {
  const flags = "SOFTWARE_WEBGL_ENABLED:true,WEBGPU_SOFTWARE_ENABLED:true";
  const env = { TFPY_ENABLE_X64: "1", TFPY_FLAGS: flags, HOME: "/home/pyodide" };
  const pyodide = await loadPyodide({ indexURL: "/pyodide/", env });
  await pyodide.loadPackagesFromImports("import tfpy");
  return pyodide.runPythonAsync(PROGRAM);
})"""

PROGRAM = """
import json
import numpy as np
import tfpy as tf

numbers = np.arange(12.0).reshape(3, 4) / 7
layer = tf.function(lambda x, w: tf.reduce_sum(tf.tanh(tf.matmul(x, w)) ** 2))

def ran(backend):
    x, w = tf.constant(numbers), tf.Variable(np.ones((4, 2)) / 3)
    with tf.GradientTape() as tape:
        loss = layer(x, w)
    slope = tape.gradient(loss, w)
    wanted = np.tanh(numbers @ np.full((4, 2), 1 / 3))
    by_hand = numbers.T @ (2 * wanted * (1 - wanted**2))
    large = tf.cast(2.0**40 * x, tf.int64) * 3
    narrow = tf.cast(x, tf.float32) * 2.0  # by the device
    return [
        tf.get_backend() == backend,
        slope.dtype.name,
        float(abs(slope.numpy() - by_hand).max()) < 1e-14,
        float(abs(loss.numpy() - (wanted**2).sum())) < 1e-14,
        large.numpy().tolist() == ((2.0**40 * numbers).astype(np.int64) * 3).tolist(),
        tf.argmax(large[0]).dtype.name,
        narrow.numpy().tolist() == (numbers.astype(np.float32) * 2).tolist(),
    ]

found = {}
for backend in ("wasm", "webgl", "webgpu"):
    await tf.set_backend_async(backend)
    found[backend] = ran(backend)
json.dumps(found)
"""


def test_on_the_host_beside_devices(tfpy_page: Callable[..., OpenPage]) -> None:
    script = STARTED.replace("PROGRAM", json.dumps(PROGRAM))
    found = json.loads(tfpy_page("tfpy-testing/blank.html").evaluate(script, 120.0))
    right = [True, "float64", True, True, True, "int64", True]
    assert found == dict.fromkeys(("wasm", "webgl", "webgpu"), right)
