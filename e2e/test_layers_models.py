"""Layers-models in a page: TensorFlow.js and Keras on tfpy read the same files and each other's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buildsys import model_files, npm
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SITE = Path(__file__).parents[1] / "build" / "site"
BLANK = "models/blank.html"
SHAPE = [1, 224, 224, 3]

OPEN = """async (backend, flags) => {
  const script = document.createElement("script");
  script.src = "/node_modules/@tensorflow/tfjs/dist/tf.es2017.min.js";
  const loaded = new Promise((resolve) => script.addEventListener("load", resolve));
  document.head.append(script);
  await loaded;
  await tf.setBackend("cpu");
  const { loadTfpy } = await import("/tfpy.mjs");
  globalThis.tfpy = await loadTfpy({ packages: ["keras"], backend, flags });
}"""

FETCHED = """
import json
import numpy as np
import tfpy as tf

model = await tf.load_layers_model_async("/models/mobilenet_v2/model.json")
shape = [1, 224, 224, 3]
x = (np.arange(np.prod(shape)) * 7919 % 1009 / 1009).astype("float32").reshape(shape)
json.dumps((await model.predict_async(x, verbose=0)).ravel().tolist())
"""

BY_TENSORFLOW_JS = """async (shape) => {
  const model = await tf.loadLayersModel("/models/mobilenet_v2/model.json");
  const size = shape.reduce((a, b) => a * b);
  const x = Float32Array.from({ length: size }, (_, i) => ((i * 7919) % 1009) / 1009);
  return Array.from(model.predict(tf.tensor(x, shape)).dataSync());
}"""

SAVED = """
import base64, keras
from pathlib import Path

layers = keras.layers
model = keras.Sequential(
    [
        keras.Input((8, 8, 2)),
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.TimeDistributed(layers.Dense(3)),
        layers.Reshape((6, 18)),
        layers.Bidirectional(layers.LSTM(3)),
        layers.Dense(4, "softmax"),
    ]
)
tf.save_layers_model(model, "/tmp/saved", shard_size=500)
x = (np.arange(256) % 17 / 17 - 0.3).astype("float32").reshape(2, 8, 8, 2)
again = tf.load_layers_model("/tmp/saved")
y = [(await m.predict_async(x, verbose=0)).ravel().tolist() for m in (model, again)]
files = {p.name: base64.b64encode(p.read_bytes()).decode() for p in Path("/tmp/saved").iterdir()}
json.dumps({"files": files, "y": y, "x": x.ravel().tolist()})
"""

LOADED_BY_TENSORFLOW_JS = """async ({ files, x }) => {
  const bytes = (name) => Uint8Array.from(atob(files[name]), (c) => c.charCodeAt(0));
  const json = new File([bytes("model.json")], "model.json");
  const shards = Object.keys(files).filter((n) => n !== "model.json");
  const model = await tf.loadLayersModel(
    tf.io.browserFiles([json, ...shards.map((name) => new File([bytes(name)], name))]),
  );
  return Array.from(model.predict(tf.tensor(x, [2, 8, 8, 2])).dataSync());
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    """Serve the site, TensorFlow.js and nsfwjs's models on one server."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "blank.html").write_text("<!doctype html><title>models</title>")
    (folder / "mobilenet_v2").symlink_to(model_files.ensure("nsfwjs") / "mobilenet_v2")
    with SiteServer(SITE, mounts={"models": folder, "node_modules": npm.ensure()}) as made:
        yield made


def call(page: OpenPage, function: str, *arguments: Any) -> Any:
    return page.evaluate(f"({function})(...{json.dumps(arguments)})", 300)


def python(page: OpenPage, source: str) -> Any:
    return json.loads(call(page, "(source) => tfpy.run(source)", source))


@pytest.mark.parametrize("backend", ["wasm", "webgl", "webgpu"])
def test_layers_models(tfpy_sessions: Sessions, server: SiteServer, backend: str) -> None:
    environment = ENVIRONMENTS["software"]
    page = tfpy_sessions.browsers.open("chromium", environment, server.url + BLANK)
    try:
        call(page, OPEN, backend, dict(environment.flags))
        found = python(page, FETCHED)
        wanted = call(page, BY_TENSORFLOW_JS, SHAPE)
        assert np.std(wanted) > 1e-3
        np.testing.assert_allclose(found, wanted, 0, 2e-5)
        saved = python(page, SAVED)
        first, again = saved.pop("y")
        np.testing.assert_array_equal(first, again)
        assert len(saved["files"]) > 3
        loaded = call(page, LOADED_BY_TENSORFLOW_JS, saved)
        np.testing.assert_allclose(loaded, first, 0, 1e-5)
    finally:
        page.close()
