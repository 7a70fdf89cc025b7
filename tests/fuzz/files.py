"""Broken files at the doors by which files come in: refused with a clear text, or read, soon."""

from __future__ import annotations

import functools
import io
import signal
import tempfile
import traceback
import wave
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import tensorflow as reference

import tfpy as tf
from tfpy._src.graphs.tensorflow import bundle, table

from . import seeds
from .mutate import mutated
from .values import Rng, choose

Files = Mapping[str, bytes]
SECONDS = 10
"""A file that takes longer hangs."""
NUMBERS = (0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


class Hangs(Exception):
    """A file that is read for too long."""


def run(seed: int, count: int | None, seconds: float | None) -> Counter[str]:
    """Tries broken files: see :func:`seeds.run`."""
    return seeds.run("files", tried_once, seed, count, seconds)


def tried_once(rng: Rng) -> list[str]:
    """What is wrong with one broken file of any kind, the last line saying where; or nothing."""
    name = choose(rng, list(DOORS))
    make, read = DOORS[name]
    broken = damaged(rng, make())
    try:
        with _limited():
            read(broken)
    except (ValueError, tf.errors.OpError) as error:
        text = str(error)
        return [] if len(text) >= 10 else [f"{name}: unclear: {error!r}"]
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.name}"
        shown = {path: data[:80] for path, data in broken.items()}
        return [str(shown), str(error), f"{name}: {type(error).__name__} in {where}"]
    return []


@contextmanager
def _limited() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise Hangs(f"after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def damaged(rng: Rng, files: Files) -> dict[str, bytes]:
    """One of the files with some bytes or, if it is JSON, some values changed."""
    found = dict(files)
    path = choose(rng, list(found))
    data = found[path]
    if rng.random() < 0.03:
        del found[path]
    elif path.endswith(".json") and rng.random() < 0.8:
        found[path] = mutated(rng, data.decode()).encode()
    else:
        found[path] = _changed(rng, data)
    return found


def _changed(rng: Rng, data: bytes) -> bytes:
    """Bytes changed, numbers of 4 or 8 bytes put in, a piece doubled or left out, the end cut."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        if not out:
            break
        at, kind = int(rng.integers(len(out))), int(rng.integers(5))
        end = at + int(rng.integers(1, 64))
        if kind == 0:
            out[at] = int(rng.integers(256))
        elif kind == 1:
            size = choose(rng, (2, 4, 8))
            number = choose(rng, NUMBERS) % 256**size
            out[at : at + size] = number.to_bytes(size, choose(rng, ("little", "big")))
        elif kind == 2:
            out[at:at] = out[at:end]
        elif kind == 3:
            del out[at:end]
        elif rng.random() < 0.3:
            del out[at:]
    return bytes(out)


# what is read


def _image() -> Files:
    picture = np.arange(20 * 9 * 3, dtype=np.uint8).reshape(20, 9, 3)
    return {"image": tf.io.encode_png(tf.constant(picture)).numpy()}


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
    """Reads files that lie in a folder."""

    def from_folder(files: Files) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for path, data in files.items():
                file = Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            read(Path(folder))

    return from_folder


def _saved(write: Callable[[Path], Any]) -> Files:
    """The files that a function writes to a folder."""
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
    """What holds a number, texts, a list and a table."""
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
    """A checksum that is right whatever the file says."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def _restore_unchecked(folder: Path) -> None:
    """As if who changed the file had put its checksums right."""
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


DOORS: dict[str, tuple[Callable[[], Files], Callable[[Files], Any]]] = {
    "png": (_image, lambda f: tf.io.decode_image(f.get("image", b""))),
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
    "saved-model": (_saved_model, _in_folder(lambda folder: tf.models.load(str(folder)))),
}
"""What makes a good file of each kind, and what reads such files."""
DOORS = {name: (functools.cache(make), read) for name, (make, read) in DOORS.items()}
