"""The packages that Keras needs, loaded from the site in each browser."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BROWSERS

EVERY_BROWSER = tuple(BROWSERS)


@run_in_browser(backends=(), browsers=EVERY_BROWSER, packages=("h5py", "ml-dtypes", "optree"))
def test_compiled_packages() -> None:
    import h5py
    import ml_dtypes
    import optree

    x = np.arange(6000, dtype="float32").reshape(60, 100)
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        file.create_dataset("layers/dense/kernel", data=x, compression="gzip", chunks=(7, 30))
        file["layers"].attrs["names"] = np.array([b"dense"])
        file["layers"].attrs["text"] = "grün"
    with h5py.File(io.BytesIO(memory.getvalue())) as file:
        np.testing.assert_array_equal(file["layers"]["dense/kernel"], x)
        assert list(file["layers"].attrs["names"]) == [b"dense"]
        assert file["layers"].attrs["text"] == "grün"
    with pytest.raises(OSError, match="truncated"):
        h5py.File(io.BytesIO(memory.getvalue()[:4000]))

    half = np.linspace(-2, 2, 9, dtype=ml_dtypes.bfloat16)
    assert (half * half).dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(np.exp(half).astype("float32")[4:6], [1.0, 1.6484375])
    tree: Any = {"a": [-1, (2.0,)]}
    assert optree.tree_map(abs, tree) == {"a": [1, (2.0,)]}
