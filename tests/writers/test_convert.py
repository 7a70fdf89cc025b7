"""Models converted from one format to another, by the function and by the command."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.formats.convert.converter import main

matrix = tf.Variable(np.linspace(-1, 1, 60).astype(np.float32).reshape(3, 20), name="matrix")
X = np.random.default_rng(4).normal(size=(2, 3)).astype(np.float32)
WANTED = np.tanh(X @ matrix.numpy())


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    tf.save_graph_model(lambda x: tf.tanh(x @ matrix), folder, [tf.TensorSpec([None, 3])])
    return folder


def _result(source: Path) -> np.ndarray:
    return tf.models.load(source)(tf.constant(X)).numpy()


def test_from_format_to_format(model: Path, tmp_path: Path) -> None:
    tf.models.convert(model, tmp_path / "a.onnx")
    np.testing.assert_allclose(_result(tmp_path / "a.onnx"), WANTED, 1e-5, 1e-6)
    tf.models.convert(tmp_path / "a.onnx", tmp_path / "again", quantization="uint16")
    np.testing.assert_allclose(_result(tmp_path / "again"), WANTED, 0, 1e-4)


def test_open_sizes_stay_open(tmp_path: Path) -> None:
    """Check that sizes stay open in ONNX files.

    Softmax is written in terms of simpler operations there.
    """
    spec = tf.TensorSpec([None, 3], name="x")
    tf.save_onnx(lambda x: tf.nn.softmax(x @ matrix), tmp_path / "a.onnx", [spec])
    tf.models.convert(tmp_path / "a.onnx", tmp_path / "again")
    wanted = tf.nn.softmax(X @ matrix)
    np.testing.assert_allclose(_result(tmp_path / "again"), wanted, 1e-5, 1e-6)


def test_weights_alone(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "w.safetensors"
    tf.models.convert(model, file)
    data = file.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    (entry,) = (e for e in header.values() if e["shape"] == [3, 20])
    assert entry["dtype"] == "F32"
    begin, end = entry["data_offsets"]
    found = np.frombuffer(data[8 + size + begin : 8 + size + end], np.float32).reshape(3, 20)
    np.testing.assert_array_equal(found, matrix.numpy())


def test_command(model: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "tfpy.convert", model, tmp_path / "half", "--quantize", "float16"]
    more = ["--shard-size", "1KiB", "--signature", "float32[?,3]"]
    subprocess.run([*argv, *more], check=True)
    np.testing.assert_allclose(_result(tmp_path / "half"), WANTED, 0, 2e-3)
    argv = [sys.executable, "-m", "tfpy.convert", model, tmp_path / "p.tfpy"]
    subprocess.run([*argv, "--signature", "float32[2,3]"], check=True)
    assert (tmp_path / "p.tfpy").stat().st_size > 240


@pytest.mark.parametrize(
    ("to", "file", "more"),
    [
        ("tfjs", "graph", ["--quantize", "uint16"]),
        ("onnx", "graph.bin", []),
        ("program", "graph.bin", ["--signature", "float32[2,3]", "--quantize", "int8"]),
        ("safetensors", "graph.bin", ["--quantize", "float16"]),
    ],
)
def test_command_to_each_format(
    model: Path, tmp_path: Path, to: str, file: str, more: list[str]
) -> None:
    assert main([str(model), str(tmp_path / file), "--to", to, *more]) == 0
    made = tmp_path / file
    if to in ("tfjs", "onnx"):
        found = tf.models.load(made if to == "tfjs" else made.read_bytes())(tf.constant(X))
        np.testing.assert_allclose(found.numpy(), WANTED, 0, 1e-4)
        return
    data = made.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    about = header.pop("__metadata__", {})
    if to == "safetensors":
        assert {entry["dtype"] for entry in header.values()} == {"F16"}
    else:
        (one,) = json.loads(about["tfpy"])["functions"]
        assert one["signatures"][0]["inputs"][0]["shape"] == [2, 3]


def test_command_that_fails(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    target = str(tmp_path / "made")
    for arguments, text in (
        ([str(tmp_path / "missing.onnx"), target], "missing.onnx"),
        ([str(tmp_path / "broken.onnx"), target], "broken|no ONNX|bytes|wire"),
        ([str(model), target, "--to", "onnx", "--quantize", "uint8"], "supports no dtype"),
    ):
        assert main(arguments) == 1
        heard = capsys.readouterr().err
        assert heard.startswith("tfpy.convert: ")
        assert re.search(text, heard), heard
        assert not (tmp_path / "made").exists()
    for arguments in (["a"], ["a", "b", "--to", "coreml"], ["a", "b", "--signature", "float32"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2


def test_refusals(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="to must be one of"):
        tf.models.convert(model, tmp_path / "x", to="coreml")
    with pytest.raises(ValueError, match="'onnx' supports no dtype as quantization, got 'uint8'"):
        tf.models.convert(model, tmp_path / "x.onnx", quantization="uint8")
    with pytest.raises(SystemExit):
        main(["a", "b", "--shard-size", "many"])
