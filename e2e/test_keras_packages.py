"""The packages that Keras needs, from the site, in each browser."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BROWSERS
from tfpy.testing.sessions import OpenPage

EVERY_BROWSER = tuple(BROWSERS)
KERAS_NEEDS = ("absl-py", "h5py", "ml-dtypes", "optree", "packaging", "rich", "tfpy-stdlib")


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
    assert optree.tree_map(abs, {"a": [-1, (2.0,)]}) == {"a": [1, (2.0,)]}


LOAD = """async (asked) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const tfpy = await loadTfpy({ packages: asked });
  const rest = "xml.sax, xml.etree.ElementTree, email.mime.text"; // beside what Keras imports
  const import_ = `import tfpy; tfpy.as_tensorflow(); import keras, http.client as client, ${rest}`;
  const answer = asked.length
    ? await tfpy.run(`${import_}; f"{keras.__version__} {client.__file__}"`)
    : "";
  return [Object.keys(tfpy.pyodide.loadedPackages), answer];
}"""


def test_packages_come_when_a_page_asks(tfpy_page: Callable[..., OpenPage]) -> None:
    """Keras imports the standard library from bytecode."""
    page = tfpy_page("tfpy-testing/blank.html")
    loaded, _ = page.evaluate(f"({LOAD})([])", 120.0)
    assert set(loaded) == {"numpy", "tfpy"}

    page = tfpy_page("tfpy-testing/blank.html")
    loaded, answer = page.evaluate(f"({LOAD})(['keras'])", 120.0)
    assert set(loaded) == {"numpy", "tfpy", "keras", *KERAS_NEEDS}
    assert answer.startswith("3.15.")
    assert answer.endswith("tfpy_stdlib/http/client.pyc")
