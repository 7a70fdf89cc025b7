"""Models cannot act outside of themselves through any reader."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import acting

import tfpy as tf
from tfpy._src.formats.convert import converter
from tfpy._src.formats.raw_ops import resources
from tfpy._src.formats.raw_ops.outside import OUTSIDE
from tfpy._src.library.io.checked_json import ModelFileError

EFFECTS = {name: effect for effect, names in OUTSIDE.items() for name in names.split()}
EFFECTS["PrintV2"] = "writes files"
HERE = ("ReadFile", "WriteFile", "PrintV2", "InitializeTableFromTextFileV2")
"""Operations that tfpy has."""

READERS: Mapping[str, Callable[[str, str, Path], dict[str, bytes]]] = {
    "GraphDef": lambda op, path, _: acting.graph_def(at_the_output(op, path)),
    "graph-model": lambda op, path, _: acting.graph_model(at_the_output(op, path)),
    "graph-model with a signature": lambda op, path, _: acting.graph_model(
        at_the_output(op, path), signature=acting.SIGNATURE
    ),
    "modelInitializer": lambda op, path, _: acting.initialized(op, path),
    "SavedModel": lambda op, path, _: acting.saved_model(at_the_output(op, path)),
    "init op": lambda op, path, _: acting.starting(acting.acting(op, path)),
    "init op of TensorFlow 1": lambda op, path, _: acting.starting(acting.acting(op, path), True),
    "restore op": lambda op, path, folder: acting.restoring(acting.acting(op, path), folder),
    "TFLite": lambda op, path, _: acting.flex(acting.acting(op, path)),
    "TFLite that begins": lambda op, path, _: acting.flex(acting.acting(op, path), first=True),
}


def at_the_output(op: str, path: str) -> acting.Graph:
    return acting.graph(op, path, "before the output")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "touched.txt")


def refusal(files: Any) -> str:
    """Return the error of loading a model."""
    with pytest.raises(ModelFileError) as error:
        tf.models.load(files)
    return str(error.value)


@pytest.mark.parametrize("reader", READERS)
def test_every_operation_through_every_reader(reader: str, path: str, tmp_path: Path) -> None:
    own = {"restore op": ("RestoreV2",)}.get(reader, ())  # reads the file's variables
    for op, effect in EFFECTS.items():
        if op not in own:
            text = refusal(READERS[reader](op, path, tmp_path))
            assert f"{op} (node" in text, (op, text)
            assert effect in text or "is not an asset" in text, (op, text)
            assert not Path(path).exists(), op


@pytest.mark.parametrize("place", acting.PLACES)
def test_every_place_in_a_graph(place: str, path: str) -> None:
    for op in HERE:
        made = acting.graph(op, path, place)
        for files in (acting.graph_def(made), acting.graph_model(made), acting.saved_model(made)):
            assert f"{op} (node 'w') is refused" in refusal(files)
    assert not Path(path).exists()


def test_operations_of_onnx(path: str) -> None:
    """Check that unknown operations are rejected.

    ONNX does not have operations with effects.
    """
    for op in EFFECTS:
        with pytest.raises(tf.errors.UnimplementedError, match=f"ONNX's operation {op}"):
            tf.models.load(acting.onnx(op))(np.ones(2))


def test_archives_and_the_converter(path: str, tmp_path: Path, capfd: Any) -> None:
    files = acting.graph_model(at_the_output("WriteFile", path))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("net/model.json", files["model.json"])
    assert "WriteFile" in refusal(archive.getvalue())
    (tmp_path / "model.json").write_bytes(files["model.json"])
    for target in ("out", "out.onnx", "out.tfpy"):
        assert converter.main([str(tmp_path), str(tmp_path / target)]) == 1
        assert "WriteFile (node 'w') is refused, because it writes files" in capfd.readouterr().err
        assert not (tmp_path / target).exists()
    assert not Path(path).exists()


def test_what_no_output_needs_is_allowed_and_does_not_run(path: str) -> None:
    """Check that unused operations are allowed and do not run.

    A SavedModel always contains operations that write checkpoints.
    """
    Path(path).write_text("secret")
    nodes = [*acting.IDLE["node"], *acting.acting("ReadFile", path), acting.node("z", "SaveV2")]
    nodes.append(acting.node("u", "StringUpper", "w"))
    idle = {"node": nodes, "library": acting.graph("WriteFile", path, "in a loop")["library"]}
    for files in (
        acting.saved_model(idle),
        acting.graph_model(idle, signature=acting.SIGNATURE),
    ):
        model = tf.models.load(files)
        np.testing.assert_array_equal(model(np.ones(2, np.float32)), [1, 1])
        with pytest.raises(ModelFileError, match=r"ReadFile .*is refused"):
            model.execute({"x": np.ones(2, np.float32)}, "w")


@pytest.mark.parametrize("reader", [name for name in READERS if name != "restore op"])
def test_a_caller_may_allow_it(reader: str, path: str, tmp_path: Path) -> None:
    if reader.startswith("TFLite"):
        Path(path).write_text("mine")
        model = tf.models.load(READERS[reader]("ReadFile", path, tmp_path), safe_mode=False)
        assert "begins" in reader or model(np.ones(2, np.float32)).numpy() == b"mine"
        return
    model = tf.models.load(READERS[reader]("WriteFile", path, tmp_path), safe_mode=False)
    if "init" not in reader.lower():
        model(np.ones(2, np.float32))
    assert Path(path).read_text() == "evil"


def test_a_registered_operation_is_the_programs(path: str) -> None:
    seen = []
    tf.register_op("WriteFile", lambda node: seen.append(node.name) or [])
    try:
        tf.models.load(acting.graph_def(at_the_output("WriteFile", path)))(np.ones(2, np.float32))
    finally:
        tf.deregister_op("WriteFile")
    assert seen == ["w"]
    assert not Path(path).exists()


def test_programs_may_still_act(path: str) -> None:
    @tf.function
    def write() -> Any:
        tf.raw_ops.WriteFile(filename=path, contents="mine")
        return tf.raw_ops.ReadFile(filename=path)

    assert write().numpy() == b"mine"
    tf.raw_ops.PrintV2(input="more", output_stream=f"file://{path}")
    assert Path(path).read_text().startswith("mine")


def test_standard_streams_may_be_printed_to(capfd: Any) -> None:
    nodes = [
        acting.text("p", "hello"),
        acting.node("w", "PrintV2", "p", T=acting.kind(acting.STRING)),
    ]
    y = acting.node("y", "Identity", "x", "^w", T=acting.kind(acting.FLOAT))
    made = {"node": [acting.IDLE["node"][0], *nodes, y]}
    tf.models.load(acting.graph_def(made))(np.ones(2, np.float32))
    assert "hello" in capfd.readouterr().err


# Tables of SavedModels


def vocabulary(**more: Any) -> dict[str, bytes]:
    """Return a SavedModel that fills a table from the file named by its constant "p"."""
    return acting.starting(acting.acting("InitializeTableFromTextFileV2", "/etc/passwd"), **more)


def looked_up(model: Any, key: str) -> Any:
    (table,) = (one for (kind, *_), one in model._resources.items() if kind == "table")
    return int(table.lookup(tf.constant(key)))


def test_tables_are_filled_from_assets(tmp_path: Path) -> None:
    files = {**vocabulary(assets=[("p:0", "words.txt")]), "assets/words.txt": b"a\nb\n"}
    assert looked_up(tf.models.load(files), "b") == 1
    (tmp_path / "assets").mkdir()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert looked_up(tf.models.load(tmp_path), "b") == 1


def test_tables_are_not_filled_from_other_files(path: str) -> None:
    Path(path).write_text("secret\n")
    assert "reads '/etc/passwd', which is not an asset of the model" in refusal(vocabulary())
    joined = [
        acting.text("a", "words.txt"),
        acting.text("b", "/../../touched.txt"),
        acting.node("p", "StringJoin", "a", "b", N={"i": "2"}),
        *acting.acting("InitializeTableFromTextFileV2", "")[1:],
    ]
    files = acting.starting(joined, assets=[("a:0", "words.txt")])
    text = refusal({**files, "assets/words.txt": b"a\n"})
    assert "reads 'assets/words.txt/../../touched.txt', which is not an asset" in text


def test_a_model_does_not_share_what_programs_name(tmp_path: Path) -> None:
    """Check the rule while Variables are restored and in graphs that TFLite runs first."""
    dtypes = {"key_dtype": {"type": 7}, "value_dtype": {"type": 9}}
    table = acting.node("w", "HashTableV2", shared_name={"s": "bWluZQ=="}, **dtypes)
    before = dict(resources.current.get())
    tf.models.load(acting.flex([table], first=True))
    tf.models.load(acting.starting([table]))
    tf.models.load(acting.restoring([table], tmp_path))
    assert resources.current.get() == before
