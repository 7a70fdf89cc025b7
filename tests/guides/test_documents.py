"""The programs in README.md and in docs/ run as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from guides.documents import ROOT, blocks, indented, run, run_all

import tfpy
from tests.models.tflite import converted


def test_the_readme_under_both() -> None:
    both, only = blocks("README.md", "python")
    names: dict[str, Any] = {}
    mine = run(both, names)
    assert mine == run(both.replace("import tfpy as tf", "import tensorflow as tf"), {})
    assert mine == "[[2.0], [-3.0]] [0.5]\n"
    assert run(only, names).startswith("cpu [[ 2.")


def test_the_script_tag_of_the_readme() -> None:
    _, page = blocks("README.md", "html")  # the first has Keras: it runs in a browser
    (program,) = re.findall(r'<script type="text/tfpy">\n(.*?)</script>', page, re.S)
    assert run(program, {}).endswith(", shape=(3,), dtype=float32) cpu\n")


def test_the_functions_page() -> None:
    names: dict[str, Any] = {}
    printed = "".join(run(program, names) for program in blocks("docs/functions.md", "python"))
    assert "100% compiled" in printed
    tf = names["tf"]
    images, labels = tf.fill([3, 784], 0.05), tf.one_hot([1, 2, 3], 10)
    losses = [float(names["step"](images, labels)) for _ in range(3)]
    assert losses[2] < losses[0]
    assert names["model"](tf.ones([1, 28, 28])).shape == (1, 10)
    assert names["predict"](images).shape == (3, 10)


FLOAT = {"T": {"type": "DT_FLOAT"}}
GRAPH = [
    {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}},
    {"name": "block_13/relu", "op": "Relu", "input": ["x"], "attr": FLOAT},
    {"name": "probabilities", "op": "Softmax", "input": ["block_13/relu"], "attr": FLOAT},
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


def test_the_models_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses are paths here."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "net").mkdir(parents=True)
    (tmp_path / "models" / "net" / "model.json").write_text(json.dumps(GRAPH_MODEL))
    (tmp_path / "models" / "network.tflite").write_bytes(
        converted(tensorflow.nn.relu, np.zeros([1, 3], np.float32))
    )
    tfpy.save_onnx(lambda x: tfpy.nn.relu(x), "network.onnx", [tfpy.TensorSpec([1, 3])])
    loading, using, writing = blocks("docs/models.md", "py")
    x = np.float32([[1, -1, 2]])
    names: dict[str, Any] = {"x": tfpy.constant(x)}
    run(loading, names)
    assert "Softmax" in run(using, names)
    np.testing.assert_array_equal(names["feature"], np.maximum(x, 0))
    np.testing.assert_allclose(names["y"], tensorflow.nn.softmax(np.maximum(x, 0)), 1e-5)
    run(writing, names)
    wanted = names["classify"](tfpy.constant(x))["probabilities"]
    for source, tolerance in (("classifier", 1e-2), ("classifier.onnx", 1e-5)):
        found = tfpy.models.load(source)(x)
        found = found["probabilities"] if isinstance(found, dict) else found
        np.testing.assert_allclose(found, wanted, atol=tolerance)


def test_the_export_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its script for pages runs in tests/wasm/test_exported.py."""
    monkeypatch.chdir(tmp_path)
    (program,) = blocks("docs/export.md", "python")
    names: dict[str, Any] = {}
    run(program.replace("/tmp/", f"{tmp_path}/"), names)
    assert (tmp_path / "digits.tfpy").stat().st_size > 784 * 10 * 4
    names["model"] = tfpy.function(lambda x: tfpy.reduce_mean(x, [1, 2]))
    names["predict"] = tfpy.function(lambda x: x * 2)
    names["step"] = tfpy.function(
        lambda x, labels: tfpy.reduce_sum(x) + tfpy.cast(labels[0], "float32")
    )
    several_sizes, several_functions = indented("docs/export.md")
    for program in (several_sizes, several_functions):
        (tmp_path / "m.tfpy").unlink(missing_ok=True)
        run(program, names)
        assert (tmp_path / "m.tfpy").exists()


@pytest.mark.parametrize(
    "page",
    [
        "autodiff",
        "data",
        "environment",
        "memory",
        "notebooks",
        "sharp_bits",
        "site/index",
        "speed",
        "tensors",
        "tour",
    ],
)
def test_a_guide(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program runs after those before it, and prints what it says."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # where what was fastest is remembered
    assert run_all(f"docs/{page}.md")["tf"] is tfpy


def test_pages_with_keras(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}", "TF_CPP_MIN_LOG_LEVEL": "3"}
    script = Path(__file__).with_name("documents.py")
    pages = ("docs/keras.md", "docs/training.md", "docs/tensorflow_js.md")
    done = subprocess.run(
        [sys.executable, script, *pages],
        cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {"history", "loss", "model", "y"} <= set(re.findall(r"\w+", done.stdout))
    assert (tmp_path / "my-model" / "model.json").exists()


def test_fragments(tmp_path: Path) -> None:
    """Those that a guide shows without all that they need, and that register what stays."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT / "tests")))}
    script = Path(__file__).with_name("fragments.py")
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "call.trace.json").exists()
    assert (tmp_path / "logs").is_dir()
