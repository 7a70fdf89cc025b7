"""Graph-models of TensorFlow.js in a page compute what TensorFlow does, on each device."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buildsys import model_files
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SITE = Path(__file__).parents[1] / "build" / "site"
BLANK = "models/blank.html"
PACKAGES = ("@vladmandic/human", "@spotify/basic-pitch")
CONDITIONING = {"basic_pitch": 4e-3}
"""How far float32 is from float64 in a network itself; 1e-4 is above that of the others."""

OPEN = """async (backend, flags) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  globalThis.tfpy = await loadTfpy({ backend, flags });
}"""

PREDICTED = """
import base64, io, json
import numpy as np
import tfpy as tf

given = dict(np.load(io.BytesIO(base64.b64decode(GIVEN))))
heard = []
model = await tf.load_graph_model("/models/NAME/NAME.json", progress=heard.append)
await model.warm_up({key: tf.TensorSpec(x.shape, x.dtype) for key, x in given.items()})
found = model.predict(given)
found = found if isinstance(found, list) else [found]
arrays = dict(zip(model.outputs, [await x.data() for x in found]))
buffer = io.BytesIO()
np.savez(buffer, **{key.replace("/", "|"): x for key, x in arrays.items()})
json.dumps([base64.b64encode(buffer.getvalue()).decode(), heard[-1]])
"""


@pytest.fixture(scope="module")
def references() -> dict[str, Path]:
    """What TensorFlow computes for each model."""
    folders = map(model_files.graph_references, PACKAGES)
    return {file.stem: file for folder in folders for file in sorted(folder.glob("*.npz"))}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    """The site and the models on one server."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "blank.html").write_text("<!doctype html><title>models</title>")
    for package in PACKAGES:
        for model in model_files.ensure(package).glob("*/*.json"):
            (folder / model.stem).symlink_to(model.parent)
    with SiteServer(SITE, mounts={"models": folder}) as made:
        yield made


def call(page: OpenPage, function: str, *arguments: Any) -> Any:
    return page.evaluate(f"({function})(...{json.dumps(arguments)})", 300)


def predicted(page: OpenPage, name: str, given: dict[str, Any]) -> dict[str, Any]:
    buffer = base64.b64encode(saved(given)).decode()
    source = PREDICTED.replace("GIVEN", repr(buffer)).replace("NAME", name)
    arrays, heard = json.loads(call(page, "(source) => tfpy.run(source)", source))
    assert heard == 1
    with np.load(io.BytesIO(base64.b64decode(arrays))) as found:
        return {key.replace("|", "/"): found[key] for key in found}


def saved(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize("backend", ["wasm", "webgl"])
def test_graph_models(
    tfpy_sessions: Sessions, server: SiteServer, references: dict[str, Path], backend: str
) -> None:
    environment = ENVIRONMENTS["software-webgl"]
    page = tfpy_sessions.browsers.open("chromium", environment, server.url + BLANK)
    try:
        call(page, OPEN, backend, dict(environment.flags))
        for name, file in references.items():
            arrays = np.load(file)
            given = {k.removeprefix("in "): arrays[k] for k in arrays if k.startswith("in ")}
            found = predicted(page, name, given)
            for key, value in found.items():
                wanted = arrays[f"out {key}"]
                tolerance = CONDITIONING.get(name, 1e-4) * np.abs(wanted).max()
                np.testing.assert_allclose(value, wanted, 0, tolerance, err_msg=f"{name} {key}")
    finally:
        page.close()
