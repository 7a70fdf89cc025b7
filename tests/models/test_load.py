"""``tf.models.load``: TensorFlow's files, and detection of a file's format."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from models.test_graph_model import W, X, files

import tfpy as tf
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import Bundle, part_of
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy.testing import SiteServer

v1 = tensorflow.compat.v1


class _Network(tensorflow.Module):
    """A module with Variables, a table from a file, state, a loop and nested functions."""

    def __init__(self, words: Path) -> None:
        self.w = tensorflow.Variable(W, name="w")
        self.bias = tensorflow.Variable([0.5, -0.5])
        self.calls = tensorflow.Variable(3)
        self.table = tensorflow.lookup.StaticHashTable(
            tensorflow.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )
        self.words = tensorflow.lookup.StaticVocabularyTable(
            tensorflow.lookup.TextFileInitializer(
                tensorflow.saved_model.Asset(str(words)),
                tensorflow.string,
                tensorflow.lookup.TextFileIndex.WHOLE_LINE,
                tensorflow.int64,
                tensorflow.lookup.TextFileIndex.LINE_NUMBER,
            ),
            1,
        )

    @tensorflow.function(input_signature=[tensorflow.TensorSpec([None, 3])])
    def run(self, x: Any) -> Any:
        return {"y": tensorflow.nn.relu(x @ self.w + self.bias), "sum": tensorflow.reduce_sum(x)}

    @tensorflow.function(input_signature=[tensorflow.TensorSpec([None], tensorflow.string)])
    def look(self, keys: Any) -> Any:
        return self.table.lookup(keys), tensorflow.cast(self.words.lookup(keys), tensorflow.int32)

    @tensorflow.function(input_signature=[])
    def count(self) -> Any:
        return self.calls.assign_add(1)

    @tensorflow.function(input_signature=[tensorflow.TensorSpec([], tensorflow.int32)])
    def loop(self, n: Any) -> Any:
        r = tensorflow.ones([2])
        for _ in tensorflow.range(n):
            r = r * 2 if tensorflow.reduce_sum(r) < 100 else r + self.bias
        return r


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    words = folder / "words.txt"
    words.write_text("x\nb\n")
    network = _Network(words)
    signatures = {
        "serving_default": network.run,
        **{name: getattr(network, name) for name in ("look", "count", "loop")},
    }
    tensorflow.saved_model.save(
        network,
        str(folder / "model"),
        {name: function.get_concrete_function() for name, function in signatures.items()},
    )
    return folder / "model"


def check(model: Any) -> None:
    found = model(X)
    assert list(found) == ["sum", "y"]
    np.testing.assert_allclose(found["y"], np.maximum(X @ W + [0.5, -0.5], 0), rtol=1e-6)
    np.testing.assert_allclose(found["sum"], X.sum(), atol=1e-6)


def test_saved_model(saved: Path) -> None:
    model = tf.models.load(saved)
    check(model)
    assert list(model.signatures) == ["serving_default", "count", "look", "loop"]
    look = model.signatures["look"](["a", "q", "b"])
    np.testing.assert_array_equal(look["output_0"], [1, -1, 2])
    np.testing.assert_array_equal(look["output_1"], [2, 2, 1])
    wanted = tensorflow.saved_model.load(str(saved)).signatures["loop"](tensorflow.constant(9))
    np.testing.assert_allclose(model.signatures["loop"](9)["output_0"], wanted["output_0"])


def test_models_with_shared_outputs(tmp_path: Path) -> None:
    """Load a model in which one output appears twice and an input is also an output."""
    keras = tensorflow.keras
    x = keras.Input((3,), name="x")
    y = keras.layers.Dense(2)(x)
    model = keras.Model(x, [y, x, y])
    wanted = [array.numpy() for array in model(X)]
    model.export(tmp_path / "saved", verbose=False)
    lite = tensorflow.lite.TFLiteConverter.from_saved_model(str(tmp_path / "saved")).convert()
    for source in (tmp_path / "saved", lite):
        found = tf.models.load(source)(X)
        assert list(found) == ["output_0", "output_1", "output_2"]
        for mine, other in zip(found.values(), wanted, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-6)


def test_state_belongs_to_the_model(saved: Path) -> None:
    models = [tf.models.load(saved), tf.models.load(saved)]
    counts = [m.signatures["count"]()["output_0"].numpy() for m in (*models, models[0])]
    assert counts == [4, 4, 5]


class _Tables(tensorflow.Module):
    """Tables that a program filled before it saved them."""

    def __init__(self) -> None:
        keys, values = tensorflow.constant([5], "int64"), tensorflow.constant([8], "int64")
        self.words = tensorflow.lookup.experimental.MutableHashTable("string", "int64", -1)
        self.words.insert(["a"], values)
        self.numbers = tensorflow.lookup.experimental.DenseHashTable("int64", "int64", -1, -2, -3)
        self.numbers.insert(keys, values)

    @tensorflow.function(input_signature=[tensorflow.TensorSpec([None], "string")])
    def look(self, x: Any) -> Any:
        numbers = self.numbers.lookup(tensorflow.constant([5, 6], "int64"))
        return {"words": self.words.lookup(x), "numbers": numbers}


def test_saved_model_with_tables_that_change(tmp_path: Path) -> None:
    tables = _Tables()
    tensorflow.saved_model.save(tables, str(tmp_path), {"serving_default": tables.look})
    found = tf.models.load(tmp_path)(["a", "b"])
    np.testing.assert_array_equal(found["words"], [8, -1])
    np.testing.assert_array_equal(found["numbers"], [8, -1])


def test_saved_model_in_an_archive_and_in_memory(saved: Path, tmp_path: Path) -> None:
    contents = {
        f"net/{path.relative_to(saved).as_posix()}": path.read_bytes()
        for path in saved.rglob("*")
        if path.is_file()
    }
    check(tf.models.load(contents))
    with zipfile.ZipFile(tmp_path / "net.zip", "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    check(tf.models.load(tmp_path / "net.zip"))
    check(asyncio.run(tf.models.load_async((tmp_path / "net.zip").read_bytes())))
    with SiteServer(tmp_path) as server:
        check(tf.models.load(f"{server.url}net.zip"))


def test_progress(saved: Path) -> None:
    heard: list[float] = []
    tf.models.load(saved, progress=heard.append)
    assert heard == [1]


def test_training_a_saved_model(saved: Path) -> None:
    model = tf.models.load(saved, trainable=True)
    assert {tuple(v.shape) for v in model.trainable_variables} == {(3, 2), (2,)}
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(X)["y"])
    gradients = tape.gradient(loss, model.trainable_variables)
    assert all(np.any(g.numpy()) for g in gradients)


def test_saved_model_of_tensorflow_1(tmp_path: Path) -> None:
    with tensorflow.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tensorflow.float32, [None, 3], "x")
        for i, resource in enumerate((False, True)):
            name = f"w{i}"
            v1.get_variable(name, initializer=W * (i + 1), use_resource=resource)
        kernel = sum(v1.global_variables())
        y = v1.cond(tensorflow.reduce_sum(x) > 9, lambda: x @ kernel, lambda: -x @ kernel)
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(tmp_path / "old"), {"x": x}, {"y": y})
    np.testing.assert_allclose(tf.models.load(tmp_path / "old")(X), -X @ (3 * W), rtol=1e-5)


def test_saved_model_with_variables_in_parts(tmp_path: Path) -> None:
    with tensorflow.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tensorflow.int32, [None], "x")
        cut = v1.fixed_size_partitioner(4)
        parts = v1.get_variable("table", [300, 7], partitioner=cut)
        table = tensorflow.convert_to_tensor(parts)
        session.run(v1.global_variables_initializer())
        whole = session.run(table)
        inputs, outputs = {"x": x}, {"y": tensorflow.gather(table, x)}
        v1.saved_model.simple_save(session, str(tmp_path / "parts"), inputs, outputs)
    at = np.array([0, 74, 75, 150, 299], np.int32)
    np.testing.assert_array_equal(tf.models.load(tmp_path / "parts")(at), whole[at])


def test_parts_of_a_checkpoint(tmp_path: Path) -> None:
    values = np.arange(90000, dtype=np.int32).reshape(9000, 2, 5)
    for name, cuts in {
        "rows": ["0,63:-:-", "63,2:-:-", "65,8935:-:-"],
        "axes": ["-:-:0,3", "0,8192:0,1:3,2", "0,8192:1,1:3,2", "8192,808:-:3,2"],
        "gap": ["0,63:-:-", "65,8935:-:-"],
    }.items():
        parts = [
            values[
                tuple(
                    slice(None) if part == "-" else slice(int(a), int(a) + int(n))
                    for part in cut.split(":")
                    for a, _, n in [part.partition(",")]
                )
            ]
            for cut in cuts
        ]
        prefix = str(tmp_path / name)
        where = [f"9000 2 5 {cut}" for cut in cuts]
        tensorflow.raw_ops.SaveV2(
            prefix=prefix, tensor_names=["v"] * len(cuts), shape_and_slices=where, tensors=parts
        )
        data = Path(f"{prefix}.data-00000-of-00001").read_bytes()
        index = Path(f"{prefix}.index").read_bytes()
        bundle = Bundle(index, lambda i, n, at, size, data=data: data[at : at + size])
        assert list(bundle.entries) == ["v"]
        if name == "gap":
            with pytest.raises(ModelFileError, match="its parts do not cover the whole array"):
                bundle["v"]
        else:
            np.testing.assert_array_equal(bundle["v"], values)
            for part in (((60, 70), (0, 2), (0, 5)), ((8190, 8199), (1, 2), (2, 5))):
                found = bundle.part("v", part)
                np.testing.assert_array_equal(found, values[tuple(slice(*r) for r in part)])
    np.testing.assert_array_equal(part_of(values, "9000 2 5 7,2:-:0,1"), values[7:9, :, :1])
    assert part_of(values, "") is not None
    for wrong in (
        "9000 2 5 8999,2:-:-",
        "9000 2 -:-",
        "9000 2 5 -:-",
        "9000 2 5 a:-:-",
        "9 2 5 -:-:-",
    ):
        with pytest.raises(ModelFileError, match="is not a part of an array"):
            part_of(values, wrong)


def test_frozen_graph(tmp_path: Path) -> None:
    graph = tensorflow.Graph()
    with graph.as_default():
        x = v1.placeholder(tensorflow.float32, [None, 3], "x")
        tensorflow.nn.relu(x @ W, "y")
    (tmp_path / "frozen.pb").write_bytes(graph.as_graph_def().SerializeToString())
    model = tf.models.load(tmp_path / "frozen.pb")
    assert repr(model) == "<tf.GraphModel (x: float32[?, 3]) -> (y)>"
    np.testing.assert_allclose(model(X), np.maximum(X @ W, 0), rtol=1e-6)


def test_graph_model_of_tensorflow_js(tmp_path: Path) -> None:
    for name, data in files().items():
        (tmp_path / name).write_bytes(data)
    for source in (tmp_path, tmp_path / "model.json", str(tmp_path), files()):
        np.testing.assert_allclose(tf.models.load(source)(X)[0], np.maximum(X @ W, 0), rtol=1e-6)


@pytest.mark.parametrize(
    ("contents", "text"),
    [
        (b"nothing of the kind", "The source is not a model: it begins with b'nothing of the "),
        ({"a.txt": b""}, "there must be one saved_model.pb"),
        ({"saved_model.pb": b"\x08\x01"}, "has no graph"),
        ({"saved_model.pb": b"\x08\x01\x12\x02\x12\x00"}, "has no signatures"),
        ({"model.json": b"{"}, "not valid JSON"),
    ],
)
def test_what_is_no_model(contents: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tf.models.load(contents)


def test_no_file() -> None:
    with pytest.raises(FileNotFoundError):
        tf.models.load("no/such/model")


@pytest.mark.parametrize("at", range(100))
def test_mutated_files_end_in_clear_errors(saved: Path, at: int) -> None:
    """Check that a file with any byte changed loads or raises an error.

    A program can catch the error.
    """
    contents = {
        path.relative_to(saved).as_posix(): path.read_bytes()
        for path in saved.rglob("*")
        if path.is_file()
    }
    random = np.random.default_rng(at)
    for name in ("saved_model.pb", "variables/variables.index"):
        data = bytearray(contents[name])
        for place in random.integers(0, len(data), 3):
            data[place] = random.integers(0, 256)
        with contextlib.suppress(ValueError, tf.errors.OpError, TypeError):
            tf.models.load({**contents, name: bytes(data)})


def _without_nodes(model: Any) -> None:
    del model["modelTopology"]["node"]


def _of_no_ops(model: Any) -> None:
    model["modelTopology"]["node"][-1].update(op="NoOp", input=[])


def _of_nothing(model: Any) -> None:
    model["signature"]["outputs"]["output_0"]["name"] = "nothing"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (_without_nodes, "model.json: modelTopology has no node, .* Write it again"),
        (_of_no_ops, "model.json: .*the output 'Identity' is a NoOp, which has no value"),
        (_of_nothing, "model.json: .*nothing makes the output 'nothing'. Name one of"),
    ],
)
def test_graphs_that_give_nothing(broken: Any, message: str, tmp_path: Path) -> None:
    """Check that graphs without results are rejected when they are loaded."""
    tf.save_graph_model(lambda x: x * 2, str(tmp_path), [tf.TensorSpec([None])])
    model = json.loads((tmp_path / "model.json").read_text())
    broken(model)
    (tmp_path / "model.json").write_text(json.dumps(model))
    with pytest.raises(ValueError, match=message):
        asyncio.run(tf.load_graph_model_async(str(tmp_path)))


def test_an_output_that_an_operation_has_not(tmp_path: Path) -> None:
    tf.save_graph_model(lambda x: x * 2, str(tmp_path), [tf.TensorSpec([None])])
    text = (tmp_path / "model.json").read_text().replace("Identity:0", "Identity:3")
    (tmp_path / "model.json").write_text(text)
    model = asyncio.run(tf.load_graph_model_async(str(tmp_path)))
    with pytest.raises(ValueError, match="is not an output of its node: Identity has 1"):
        model(tf.constant([1.0]))
