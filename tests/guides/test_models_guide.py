"""The programs of docs/models.md that need external files, and the sizes that it shows."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow
from guides.documents import block, blocks, run
from hub_server import HubServer

import tfpy
from buildsys import model_files
from tests.models.tflite import converted

FLOAT = {"T": {"type": "DT_FLOAT"}}
GRAPH = [
    {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}},
    {"name": "probabilities", "op": "Softmax", "input": ["x"], "attr": FLOAT},
]
INFO = {"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": "-1"}, {"size": "3"}]}}
GRAPH_MODEL = {
    "format": "graph-model",
    "modelTopology": {"node": GRAPH},
    "signature": {
        "inputs": {"x": {"name": "x:0", **INFO}},
        "outputs": {"probabilities": {"name": "probabilities:0", **INFO}},
    },
    "weightsManifest": [],
}


def test_models_at_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load models from paths instead of addresses, and check that progress is printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "net").mkdir(parents=True)
    (tmp_path / "models" / "net" / "model.json").write_text(json.dumps(GRAPH_MODEL))
    (tmp_path / "models" / "network.tflite").write_bytes(
        converted(tensorflow.nn.relu, np.zeros([1, 3], np.float32))
    )
    loading = block("docs/models.md", "py", "load_async")
    names: dict[str, Any] = {"tf": tfpy}
    assert run(loading, names).endswith("1.0\n")
    x = np.float32([[1, -1, 2]])
    np.testing.assert_allclose(names["model"](x), tensorflow.nn.softmax(x), 1e-5)


def test_language_models_in_onnx_files() -> None:
    """Run a step of a small decoder, whose mask has another name, and compare with ONNX Runtime."""
    folder = model_files.onnx_references()
    arrays = np.load(folder / "int4_decoder.npz")
    given = {key[3:]: arrays[key] for key in arrays if key.startswith("in ")}
    wanted = [arrays[key] for key in arrays if key.startswith("out ")]
    model = tfpy.models.load(folder / "int4_decoder.onnx")

    def predict(step: dict[str, Any]) -> Any:
        return model.predict({"mask" if k == "attention_mask" else k: v for k, v in step.items()})

    shown = SimpleNamespace(predict=predict)
    tf = SimpleNamespace(models=SimpleNamespace(load=lambda path: shown))
    caches = {name: given[name] for name in ("past_key", "past_value")}
    names: dict[str, Any] = {"tf": tf, "ids": given["input_ids"], "mask": given["mask"]}
    names["caches"] = caches
    run(block("docs/models.md", "py", "model_q4.onnx"), names)
    found = [names["logits"], *names["caches"]]
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-5 * np.abs(y).max())


def test_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the programs about `tf.hub` with a server that stands in for the hubs."""
    tflite = converted(tensorflow.nn.relu, np.zeros([1, 3], np.float32))
    with HubServer() as server:
        endpoints = {"hf": server.url, "kaggle": server.url}
        tfpy.hub.configure(folder=tmp_path, endpoints=endpoints)
        server.files["/models/network.tflite"] = tflite
        server.models["owner/model"] = {"model.json": json.dumps(GRAPH_MODEL).encode()}
        kaggle = {"config.json": b"{}", "model.weights.h5": b"1", "README.md": b"#"}
        server.models["owner/model/keras/variation"] = kaggle
        names: dict[str, Any] = {"tf": tfpy, "DIGEST": hashlib.sha256(tflite).hexdigest()}
        single = block("docs/models.md", "py", "DIGEST")
        assert run(single.replace("models/", f"{server.url}models/"), names).endswith("1.0\n")
        np.testing.assert_array_equal(names["model"](np.float32([[1, -1, 2]])), [[1, 0, 2]])
        run(block("docs/models.md", "py", "kaggle://"), names)
        x = np.float32([[1, -1, 2]])
        np.testing.assert_allclose(names["model"](x), tensorflow.nn.softmax(x), 1e-5)
        assert {path.name for path in Path(names["folder"]).iterdir()} == {*kaggle} - {"README.md"}
        printed = run(block("docs/models.md", "py", "list_files"), names).splitlines()
        assert f"{server.url}models/network.tflite {len(tflite)} True" in printed
        assert printed[-1].endswith(" bytes in folder")
    tfpy.hub.configure()


def test_the_limit() -> None:
    before = tfpy.env().get("TFPY_MAX_UNPACKED_BYTES")
    try:
        run(block("docs/models.md", "py", "TFPY_MAX_UNPACKED_BYTES"), {"tf": tfpy})
        assert tfpy.env().get("TFPY_MAX_UNPACKED_BYTES") == 2**31
    finally:
        tfpy.env().set("TFPY_MAX_UNPACKED_BYTES", before)


def test_what_is_printed_below_a_loop(tmp_path: Path) -> None:
    """Check output in comment lines, such as the sizes of an exercise.

    `test_documents.py` checks comments on the line of a `print`.
    """
    names: dict[str, Any] = {}
    for program in blocks("docs/models.md", "python"):
        printed = run(program.replace("/tmp/", f"{tmp_path}/"), names)
        shown = "".join(f"{line}\n" for line in re.findall(r"^# (.*)$", program, re.M))
        assert not shown or printed == shown


def test_tensorflow_computes_what_was_written(tmp_path: Path) -> None:
    """Compare the graph model and the ONNX file of one function with TensorFlow."""
    kernel = tfpy.Variable(tfpy.random.normal([3, 2], seed=1))
    signature = [tfpy.TensorSpec([None, 3], name="x")]
    classify = tfpy.function(lambda x: {"p": tfpy.nn.softmax(x @ kernel)}, signature)
    tfpy.save_graph_model(classify, tmp_path / "net", quantization="float16")
    tfpy.save_onnx(classify, tmp_path / "net.onnx")
    x = np.float32([[1, -1, 2]])
    wanted = tensorflow.nn.softmax(x @ kernel.numpy())
    for name, tolerance in (("net", 1e-2), ("net.onnx", 1e-5)):
        found = tfpy.models.load(tmp_path / name)(x)
        found = found["p"] if isinstance(found, dict) else found
        np.testing.assert_allclose(found, wanted, atol=tolerance)
