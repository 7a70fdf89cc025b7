"""NaN in comparisons, sorts and reductions, and triangles that decompositions do not read.

Each backend returns the same as NumPy.
"""

from __future__ import annotations

import numpy as np

from tfpy.testing import run_in_browser


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
async def test_nan(tf, backend):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(40, 50)).astype(np.float32)
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    upper = np.triu_indices(30, 1)
    lower = np.tril(rng.normal(size=(30, 30))).astype(np.float32) + 9 * np.eye(30, dtype=np.float32)
    lower[upper] = np.nan

    def results():
        x, m = tf.constant(numbers), tf.constant(lower)
        with tf.GradientTape() as tape:
            tape.watch(m)
            factor = tf.linalg.cholesky(m)
        ones = tf.ones([30, 1])
        return {
            "cholesky": factor,
            "gradient of cholesky": tape.gradient(factor, m),
            "compiled cholesky": tf.function(tf.linalg.cholesky)(m),
            "cholesky_solve": tf.linalg.cholesky_solve(m, ones),
            "triangular_solve": tf.linalg.triangular_solve(m, ones),
            "eigvalsh": tf.linalg.eigvalsh(m),
            "sort": tf.sort(x),
            "argsort": tf.argsort(x),
            "argmax": tf.argmax(x, 1),
            "argmin": tf.argmin(x, 1),
            "reduce_max": tf.reduce_max(x, 1),
            "reduce_min": tf.reduce_min(x, 1),
            "maximum": tf.maximum(x, 0.0),
            "minimum": tf.minimum(x, 0.0),
            "clip_by_value": tf.clip_by_value(x, -0.5, 0.5),
            "relu": tf.nn.relu(x),
            "sign": tf.sign(x),
            "round": tf.round(x),
            "top_k": tf.math.top_k(x, 3)[0],
            "places of top_k": tf.math.top_k(x, 3)[1],
            "searchsorted": tf.searchsorted(tf.sort(tf.abs(x)), x),
            "segments": tf.math.unsorted_segment_max(x, tf.constant(np.arange(40) % 7), 7),
        }

    found = {name: await result.data() for name, result in results().items()}
    tf.set_backend("cpu")
    for name, result in results().items():
        np.testing.assert_allclose(found[name], result.numpy(), 1e-3, 1e-4, err_msg=name)
