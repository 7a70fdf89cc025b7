"""Dtypes that devices do not support: from typed arrays, computed on the host, and back."""

from __future__ import annotations

import numpy as np
import pytest

from tfpy.testing import run_in_browser

ARRAYS = {
    "Int16Array": ("int16", "[1, -300, 7]"),
    "Uint16Array": ("uint16", "[1, 65535, 7]"),
    "BigUint64Array": ("uint64", "[1n, 18446744073709551615n, 7n]"),
}


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_typed_arrays(tf, backend):
    from pyodide.code import run_js
    from pyodide.ffi import to_js

    for kind, (dtype, text) in ARRAYS.items():
        x = tf.constant(run_js(f"{kind}.from({text})"))
        assert x.dtype == dtype
        assert to_js(x.numpy()).constructor.name == kind
        values = x.numpy()
        np.testing.assert_array_equal((x * 3 + 1).numpy(), values * 3 + 1)
        halves = tf.cast(x // 2, tf.float32) * 0.5  # to the device
        assert halves.storage.place == backend
        np.testing.assert_allclose(halves.numpy(), (values // 2).astype(np.float32) * 0.5)
        again = tf.cast(tf.function(lambda y: y + 1.0)(tf.constant([1.0, 299.0])), x.dtype)
        np.testing.assert_array_equal(again.numpy(), np.array([2, 300], dtype))


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_what_to_load_for_bfloat16(tf, backend):
    """Check that only values of the dtype need its package.

    The dtype's name needs no package. Creating values raises an error that names the package.
    """
    assert tf.bfloat16.is_floating
    with pytest.raises(ImportError, match="ml-dtypes"):
        tf.cast([1.0], tf.bfloat16)
