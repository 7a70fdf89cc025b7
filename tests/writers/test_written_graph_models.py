"""Written graph-models return the same results in TensorFlow and TensorFlow.js."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import graph_def
import numpy as np
import pytest
from programs import PROGRAMS, results
from samples import RANDOM, ignored, tensorflow_lacks

import tfpy as tf
from tfpy._src.compiler.ops import OPS
from tfpy._src.formats.tensorflow.writer import TABLE

HERE = Path(__file__).parent
MODULES = HERE.parents[1] / "node_modules"
CASES = [name for name in TABLE.records if OPS[name].samples and name not in RANDOM]


@pytest.mark.parametrize("name", PROGRAMS)
def test_tensorflow_runs_programs(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    tf.save_graph_model(tf.function(program.function), tmp_path, signatures=program.specs)
    found, wanted = graph_def.run(tmp_path, program.inputs), results(program)
    assert found.keys() == wanted.keys()
    for key in wanted:
        np.testing.assert_allclose(found[key], wanted[key], 1e-4, 1e-5)


@pytest.mark.parametrize("name", CASES)
def test_tensorflow_runs_primitives(name: str, tmp_path: Path) -> None:
    op = OPS[name]
    assert op.samples is not None
    count = 0
    for arrays, attrs in op.samples(np.random.default_rng(5)):
        if ignored(name, arrays, attrs) or tensorflow_lacks(name, arrays, attrs) or count == 6:
            continue
        count += 1
        specs = [tf.TensorSpec(a.shape, a.dtype.name) for a in arrays]
        tf.save_graph_model(lambda *xs, op=op, attrs=attrs: op(*xs, **attrs), tmp_path, specs)
        wanted = np.asarray(op.ref(*arrays, **attrs))
        found = graph_def.run(tmp_path, arrays)["output_0"]
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, 2e-4, 2e-4)


@pytest.fixture(scope="module")
def in_javascript(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return TensorFlow.js's results, from one process for all programs."""
    if shutil.which("node") is None or not MODULES.is_dir():
        pytest.skip("needs node and node_modules: python build.py demo")
    folder = tmp_path_factory.mktemp("programs")
    for name, program in PROGRAMS.items():
        tf.save_graph_model(program.function, folder / name, program.specs, shard_size=100)
        given = [
            {"shape": x.shape, "dtype": x.dtype.name, "values": x.ravel().tolist()}
            for x in program.inputs
        ]
        (folder / name / "io.json").write_text(json.dumps(given))
    folders = [str(folder / name) for name in PROGRAMS]
    subprocess.run(["node", HERE / "tfjs.mjs", MODULES.resolve(), *folders], check=True)
    return {name: json.loads((folder / name / "tfjs.json").read_text()) for name in PROGRAMS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tensorflow_js_runs_programs(name: str, in_javascript: dict[str, Any]) -> None:
    found, wanted = in_javascript[name], results(PROGRAMS[name])
    assert "error" not in found, found
    if name == "perceptron":
        assert found.keys() == wanted.keys()  # also a dictionary in TensorFlow
    for one, key in zip(found.values(), sorted(wanted), strict=True):
        array = np.array(one["values"]).reshape(one["shape"])
        np.testing.assert_allclose(array, wanted[key], 1e-4, 1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_read_again(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    tf.save_graph_model(program.function, tmp_path, program.specs)
    found = asyncio.run(tf.load_graph_model_async(tmp_path))(*map(tf.constant, program.inputs))
    wanted = results(program)
    if not isinstance(found, dict):
        found = dict(zip(wanted, found if isinstance(found, list) else [found], strict=True))
    for key in wanted:
        np.testing.assert_allclose(found[key].numpy(), wanted[key], 1e-4, 1e-5)


def test_a_model_that_was_read(tmp_path: Path) -> None:
    program = PROGRAMS["perceptron"]
    tf.save_graph_model(program.function, tmp_path / "one", program.specs)
    model = asyncio.run(tf.load_graph_model_async(tmp_path / "one"))
    tf.save_graph_model(model, tmp_path / "two")
    found, wanted = graph_def.run(tmp_path / "two", program.inputs), results(program)
    for key in wanted:
        np.testing.assert_allclose(found[key], wanted[key], 1e-4, 1e-5)


def test_a_model_of_keras(tmp_path: Path) -> None:
    subprocess.run([sys.executable, HERE / "keras_model.py", tmp_path], check=True)
    found = graph_def.run(tmp_path, [np.load(tmp_path / "x.npy")])
    wanted = np.load(tmp_path / "y.npy")
    np.testing.assert_allclose(found["output_0"], wanted, 1e-4, 1e-5)
    second, first = np.eye(2, dtype=np.float32), np.ones((2, 2), np.float32)
    outputs = graph_def.run(tmp_path / "shared", [second, first])
    inputs = {"second": second, "first": first}
    onnx = tf.models.load(tmp_path / "shared.onnx")(**inputs)
    for found in (list(outputs.values()), onnx):
        np.testing.assert_array_equal(found, [first + second, first, first + second])


def test_weights_are_quantized(tmp_path: Path) -> None:
    matrix = tf.Variable(np.linspace(-1, 1, 400).astype(np.float32).reshape(20, 20))
    x = np.ones((1, 20), np.float32)
    for kind, bytes_each in (("uint8", 1), ("uint16", 2), ("float16", 2)):
        tf.save_graph_model(lambda x: x @ matrix, tmp_path, [tf.TensorSpec([1, 20])], kind)
        assert (tmp_path / "group1-shard1of1.bin").stat().st_size == 400 * bytes_each
        found = asyncio.run(tf.load_graph_model_async(tmp_path))(x)
        np.testing.assert_allclose(found.numpy(), x @ matrix.numpy(), 1e-2, 5e-2)


def test_refusals(tmp_path: Path) -> None:
    matrix = tf.TensorSpec([2, 2])
    with pytest.raises(tf.errors.UnimplementedError, match=r"cannot express .*linear algebra"):
        tf.save_graph_model(tf.linalg.inv, tmp_path, [matrix])
    with pytest.raises(ValueError, match=r"[Pp]ass `signatures`"):
        tf.save_graph_model(tf.function(tf.exp), tmp_path)
    count = tf.Variable(0.0)
    with pytest.raises(ValueError, match="assigns Variables"):
        tf.save_graph_model(lambda x: count.assign_add(tf.reduce_sum(x)), tmp_path, [matrix])
    with pytest.raises(ValueError, match="nor a product of open sizes"):
        tf.save_graph_model(
            lambda x: tf.zeros([tf.shape(x)[0] - 1]), tmp_path, [tf.TensorSpec([None, 2])]
        )
    with pytest.raises(ValueError, match="different ops for small and for large open sizes"):
        tf.save_graph_model(
            lambda x: x + 1 if tf.shape(x)[0] > 3 else x * 2,
            tmp_path,
            [tf.TensorSpec([None, 2])],
        )
    with pytest.raises(ValueError, match="quantization must be"):
        tf.save_graph_model(tf.exp, tmp_path, [matrix], quantization="int3")
    assert not list(tmp_path.iterdir())
