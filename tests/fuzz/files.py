"""Corrupt files for each reader: rejected with a clear message, or read, within a time limit."""

from __future__ import annotations

import asyncio
import functools
import io
import tempfile
import wave
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import tensorflow as reference

import tfpy as tf
from tfpy._src.formats.tensorflow.checkpoint_files import bundle, table

from . import image_files, seeds, weight_files
from .damage import Files
from .trying import Door, tried_once


def run(seed: int, count: int | None, seconds: float | None) -> Counter[str]:
    """Try corrupt files. See `seeds.run`."""
    return seeds.run("files", partial(tried_once, DOORS), seed, count, seconds)


# Readers


def _sound() -> Files:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setparams((2, 2, 8000, 0, "NONE", ""))
        sound.writeframes(np.arange(200, dtype="<i2").tobytes())
    return {"sound": out.getvalue()}


def _records() -> Files:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "records"))
        with reference.io.TFRecordWriter(path) as writer:
            for n in (0, 5, 300):
                writer.write(bytes(n))
        return {"records": Path(path).read_bytes()}


def _in_folder(read: Callable[[Path], Any]) -> Callable[[Files], None]:
    """Return a function that writes files into a folder and reads them."""

    def from_folder(files: Files) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for path, data in files.items():
                file = Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            read(Path(folder))

    return from_folder


def _saved(write: Callable[[Path], Any]) -> Files:
    """Return the files that a function writes to a folder."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        files = (file for file in sorted(Path(folder).rglob("*")) if file.is_file())
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def _network(x: Any) -> Any:
    w = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3))
    return tf.nn.softmax(tf.nn.relu(x @ w + [1.0, 2.0, 3.0]))


SPEC = tf.TensorSpec([None, 4], tf.float32)


def _graph_model() -> Files:
    function = tf.function(_network, input_signature=[SPEC])
    return _saved(lambda folder: tf.save_graph_model(function, str(folder)))


def _onnx() -> Files:
    function = tf.function(_network, input_signature=[SPEC])
    return _saved(lambda folder: tf.save_onnx(function, str(folder / "model.onnx")))


def _saved_model() -> Files:
    made = reference.Module()
    made.w = reference.Variable(np.ones((4, 3), np.float32))
    spec = reference.TensorSpec([None, 4], reference.float32)
    made.call = reference.function(lambda x: x @ made.w, input_signature=[spec])
    return _saved(lambda folder: reference.saved_model.save(made, str(folder)))


def _checkpointed(lib: Any) -> Any:
    """Return an object with a number, strings, a list and a table."""
    module = lib.Module()
    module.w, module.texts = lib.Variable(np.ones((4, 3), np.float32)), lib.Variable([b"a", b"bc"])
    module.listed = [lib.Variable(1), {"n": lib.Variable(2.0)}]
    module.table = lib.lookup.experimental.MutableHashTable(lib.string, lib.int32, -1)
    module.table.insert(["a"], [1])
    return lib.train.Checkpoint(module)


def _checkpoint() -> Files:
    return _saved(lambda folder: _checkpointed(reference).save(str(folder / "of")))


def _restore(folder: Path) -> None:
    checkpoint = _checkpointed(tf)
    checkpoint.restore(tf.train.latest_checkpoint(folder)).expect_partial()
    for path in folder.glob("*.index"):
        checkpoint.restore(path.with_suffix("")).expect_partial()


class _Right:
    """A checksum that equals any value."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def _restore_unchecked(folder: Path) -> None:
    """Restore a checkpoint as if its checksums matched the changed file."""
    with patch.object(table, "masked", _right), patch.object(bundle, "masked", _right):
        _restore(folder)


def _right(checksum: int) -> _Right:
    return _Right()


def _archive() -> Files:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in _graph_model().items():
            archive.writestr(path, data)
    return {"model.zip": out.getvalue()}


def _csv() -> Files:
    return {"rows.csv": b'a,b,c\n1,0.5,"x, ""y"""\n2,-1e3,z\n3,7,q\n'}


def _read_csv(folder: Path) -> None:
    defaults: list[Any] = [tf.int32, tf.float32, tf.string]
    dataset = tf.data.experimental.CsvDataset(str(folder / "rows.csv"), defaults, header=True)
    for _ in dataset:
        pass


def _packed_records() -> Files:
    def write(folder: Path) -> None:
        with reference.io.TFRecordWriter(str(folder / "records"), "GZIP") as writer:
            for n in (0, 5, 300):
                writer.write(bytes(n))

    return _saved(write)


def _dataset(compression: str | None) -> Callable[[], Files]:
    def write(folder: Path) -> None:
        elements = {
            "n": [1, 2],
            "text": ["a", "bc"],
            "ragged": tf.ragged.constant([[1, 2], [3]]),
            "sparse": tf.sparse.from_dense([[0, 1], [2, 0]]),
        }
        tf.data.Dataset.from_tensor_slices(elements).save(str(folder), compression)

    return lambda: _saved(write)


def _frozen() -> Files:
    """Return a GraphDef with a loop of TensorFlow 1, a conditional, and single-value constants."""
    v1 = reference.compat.v1
    graph = reference.Graph()
    with graph.as_default():
        v1.disable_control_flow_v2()
        x = v1.placeholder(reference.float32, [2], name="x")
        y = reference.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x])[1]
        y = v1.cond(reference.reduce_sum(x) > 0, lambda: y + 1.0, lambda: y - [1.0, 2.0])
        reference.identity(y, name="y")
        v1.enable_control_flow_v2()
    return {"g.pb": graph.as_graph_def().SerializeToString()}


def _tflite() -> Files:
    w = np.arange(36, dtype=np.float32).reshape(3, 3, 2, 2)

    @reference.function(input_signature=[reference.TensorSpec([1, 4, 4, 2])])
    def call(x: Any) -> Any:
        x = reference.nn.relu(reference.nn.conv2d(x, w, 2, "SAME"))
        return reference.nn.softmax(reference.reshape(reference.pad(x, [[0, 0]] * 4), [1, 8]))

    converter = reference.lite.TFLiteConverter.from_concrete_functions(
        [call.get_concrete_function()]
    )
    return {"m.tflite": converter.convert()}


def _called(files: Files) -> None:
    """Load a model and call it with ones."""
    model = tf.models.load(dict(files))
    sizes = [[n or 1 for n in spec.shape] for spec in model.inputs if spec.shape.rank is not None]
    if all(np.prod(shape, dtype=float) < 10_000 for shape in sizes):
        model({s.name: tf.ones([n or 1 for n in s.shape or []], s.dtype) for s in model.inputs})


def _unpacked(folder: Path) -> None:
    source = tf.data.FileDataSource(folder / "model.zip")
    asyncio.run(tf.io.to_folder_async(source, folder / "unpacked"))


def _state() -> Files:
    text = 'model_checkpoint_path: "a-1"\nall_model_checkpoint_paths: "a-1"\n'
    return {"checkpoint": f"{text}all_model_checkpoint_timestamps: 1.5\n".encode()}


DOORS: dict[str, Door] = {
    **image_files.DOORS,
    **weight_files.DOORS,
    "wav": (_sound, lambda f: tf.audio.decode_wav(f.get("sound", b""))),
    "records": (
        _records,
        _in_folder(lambda folder: list(tf.data.TFRecordDataset(str(folder / "records")))),
    ),
    "checkpoint": (_checkpoint, _in_folder(_restore)),
    "checkpoint with its checksums": (_checkpoint, _in_folder(_restore_unchecked)),
    "csv": (_csv, _in_folder(_read_csv)),
    "graph-model": (_graph_model, _in_folder(lambda folder: tf.models.load(str(folder)))),
    "zip": (_archive, lambda f: tf.models.load(f.get("model.zip", b""))),
    "onnx": (_onnx, lambda f: tf.models.load(f.get("model.onnx", b""))),
    "records, packed": (
        _packed_records,
        _in_folder(lambda folder: list(tf.data.TFRecordDataset(str(folder / "records"), "GZIP"))),
    ),
    "dataset": (_dataset(None), _in_folder(lambda f: list(tf.data.Dataset.load(str(f))))),
    "dataset, packed": (_dataset("GZIP"), _in_folder(lambda f: list(tf.data.Dataset.load(str(f))))),
    "state": (_state, _in_folder(lambda folder: tf.train.latest_checkpoint(str(folder)))),
    "unpacked": (_archive, _in_folder(_unpacked)),
    "graph-def": (_frozen, _called),
    "tflite": (_tflite, _called),
    "saved-model": (_saved_model, _in_folder(lambda folder: tf.models.load(str(folder)))),
}
"""For each kind of file, a function that makes a valid file and one that reads such files."""
DOORS = {name: (functools.cache(make), read) for name, (make, read) in DOORS.items()}
