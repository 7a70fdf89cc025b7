"""Models at handles of hubs: `tf.models`, `tf.load_graph_model` and Keras."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hub_server import HubServer

import tfpy as tf
from tfpy._src.keras_support import hub_packages


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HubServer]:
    """Return a server that stands in for the hubs."""
    with HubServer() as made:
        endpoints = {"hf": made.url, "kaggle": made.url}
        tf.hub.configure(folder=tmp_path / "store", endpoints=endpoints)
        yield made
        tf.hub.configure()


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("handle", ["hf://o/net", "hf://o/net/tfjs", "hf://o/net/tfjs/model.json"])
def test_graph_model(server: HubServer, tmp_path: Path, handle: str) -> None:
    tf.save_graph_model(tf.square, tmp_path / "net", [tf.TensorSpec([None])])
    server.models["o/net"] = {f"tfjs/{path}": d for path, d in contents(tmp_path / "net").items()}
    model = tf.load_graph_model(handle)
    assert model(tf.constant([1.0, 3.0])).numpy().tolist() == [1.0, 9.0]
    fractions: list[float] = []
    tf.models.load(handle, progress=fractions.append)
    assert fractions[-1] == 1.0


def test_weights_of_graph_models(server: HubServer, tmp_path: Path) -> None:
    factor = tf.Variable([[2.0] * 100] * 100)
    tf.save_graph_model(lambda x: x @ factor, tmp_path / "net", [tf.TensorSpec([None, 100])])
    server.models["o/net"] = contents(tmp_path / "net")
    fractions: list[float] = []
    model = tf.models.load("hf://o/net", progress=fractions.append)
    assert model(tf.ones([1, 100])).numpy()[0, 0] == 200.0
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_files_of_other_formats(server: HubServer, tmp_path: Path) -> None:
    tf.save_onnx(tf.square, tmp_path / "square.onnx", [tf.TensorSpec([None])])
    data = (tmp_path / "square.onnx").read_bytes()
    server.models["o/net"] = {"README.md": b"#", "onnx/model.onnx": data}
    assert tf.models.load("hf://o/net")(tf.constant([3.0])).numpy().tolist() == [9.0]
    server.models["o/net/onnx/small"] = {"model.onnx": data}
    assert tf.models.load("kaggle://o/net/onnx/small")(tf.constant([3.0])).numpy().tolist() == [9.0]
    assert [f.address for f in asyncio.run(tf.hub.list_files())] == [
        "hf://o/net/onnx/model.onnx",  # only what is read is downloaded
        "kaggle://o/net/onnx/small/model.onnx",
    ]


PROGRAM = """
import asyncio, shutil, sys
from pathlib import Path
import numpy as np
import tfpy as tf
from hub_server import HubServer

tf.as_tensorflow(replace=True)
import keras

model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
model.set_weights([np.arange(6, dtype=np.float32).reshape(3, 2), np.ones(2, np.float32)])
folder = Path(sys.argv[1])
names = ["net.keras", "net.h5"]
for name in names:
    model.save(folder / name)
shutil.unpack_archive(folder / "net.keras", folder / "net", "zip")


def check(model):
    assert model.predict(np.array([[1, 2, 3]], np.float32), verbose=0).tolist() == [[17.0, 23.0]]


with HubServer() as server:
    tf.hub.configure(folder=folder / "store", endpoints={"hf": server.url})
    server.models["o/files"] = {name: (folder / name).read_bytes() for name in names}
    parts = {path.name: path.read_bytes() for path in (folder / "net").iterdir()}
    server.models["o/net"] = parts
    for name in names:
        check(tf.models.load(f"hf://o/files/{name}"))
        server.files[f"/plain/{name}"] = (folder / name).read_bytes()
        path = asyncio.run(tf.hub.fetch(f"{server.url}plain/{name}"))
        check(keras.saving.load_model(path))
    check(keras.saving.load_model("hf://o/net"))
    check(tf.models.load("hf://o/net"))
    path = asyncio.run(tf.hub.fetch("hf://o/net"))
    check(tf.models.load(path))
    server.asked.clear()
    check(keras.saving.load_model("hf://o/net"))
    assert server.asked == []
print("done")
"""


def test_keras(tmp_path: Path) -> None:
    """Keras runs on tfpy in a process without TensorFlow."""
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    tests = str(Path(__file__).parents[1])
    paths = os.pathsep.join([os.environ["PYTHONPATH"], tests])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout.endswith("done\n"), done.stderr[-3000:]


def test_errors_of_handles(server: HubServer, tmp_path: Path) -> None:
    server.models["o/net"] = {"README.md": b"#"}
    with pytest.raises(ValueError, match="does not have the form"):
        tf.models.load("hf://")
    with pytest.raises(tf.errors.NotFoundError):
        tf.models.load("hf://o/missing")
    with pytest.raises(ValueError, match="there must be one"):
        tf.models.load("hf://o/net")


def test_missing_weights(server: HubServer, tmp_path: Path) -> None:
    factor = tf.Variable([2.0] * 1000)
    tf.save_graph_model(lambda x: x * factor, tmp_path / "net", [tf.TensorSpec([1000])])
    files = contents(tmp_path / "net")
    server.models["o/net"] = {"model.json": files["model.json"]}
    with pytest.raises(ValueError, match="is not there"):
        tf.load_graph_model("hf://o/net")


def test_substitutes(server: HubServer) -> None:
    """KerasHub calls these functions of the packages that a page does not have."""
    names: Any = types.ModuleType("names")
    vars(names).update(huggingface_hub=None, kagglehub=None)
    hub_packages.replace(names)
    server.models["o/net"] = {"config.json": b"{}"}
    server.models["o/net/keras/small"] = {"config.json": b"[]"}
    path = names.huggingface_hub.hf_hub_download(repo_id="o/net", filename="config.json")
    assert Path(path).read_bytes() == b"{}"
    with pytest.raises(names.EntryNotFoundError):
        names.huggingface_hub.hf_hub_download(repo_id="o/net", filename="task.json")
    with pytest.raises(names.HFValidationError):
        names.huggingface_hub.hf_hub_download(repo_id="o/../net", filename="config.json")
    for _ in range(2):
        path = names.kagglehub.model_download("o/net/keras/small", "config.json")
        assert Path(path).read_bytes() == b"[]"
    with pytest.raises(ValueError, match="is not present in the model files"):
        names.kagglehub.model_download("o/net/keras/small/3", "task.json")


def test_installed_packages_are_kept() -> None:
    names: Any = types.ModuleType("names")
    vars(names).update(huggingface_hub=np)
    hub_packages.replace(names)
    assert names.huggingface_hub is np
    assert not hasattr(names, "kagglehub")
