"""Several programs that write one checkpoint, dataset or file concurrently, and failing writers."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import resource
import signal
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.base import atomic_files
from tfpy._src.base.atomic_files import remove_abandoned, whole_file
from tfpy._src.formats.tensorflow.checkpoint_files.bundle_writer import ShardWriter


def checkpoint(value: float) -> tf.train.Checkpoint:
    return tf.train.Checkpoint(**{name: tf.Variable(tf.fill([100], value)) for name in "abc"})


def saved(path: Any) -> set[float]:
    """Return the distinct numbers of a checkpoint."""
    reader = tf.train.load_checkpoint(path)
    found = [reader.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE") for name in "abc"]
    return set(np.concatenate(found).tolist())


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("before", [False, True])
def test_two_writers_of_one_checkpoint(
    before: bool, fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run a second save completely within the first one, which then ends or fails."""
    if before:
        checkpoint(1.0).write(tmp_path / "of")
    add = ShardWriter.add
    calls: list[str] = []

    def adding(self: ShardWriter, key: str, *args: Any) -> None:
        calls.append(key)
        if len(calls) == 2:
            checkpoint(2.0).write(tmp_path / "of")
            assert saved(tmp_path / "of") == {2.0}
            if fails:
                raise OSError("the disk is full")
        add(self, key, *args)

    monkeypatch.setattr(ShardWriter, "add", adding)
    with pytest.raises(OSError, match="full") if fails else contextlib.nullcontext():
        checkpoint(3.0).write(tmp_path / "of")
    assert saved(tmp_path / "of") == ({2.0} if fails else {3.0})
    checkpoint(4.0).write(tmp_path / "of")
    assert saved(tmp_path / "of") == {4.0}
    assert len(list(tmp_path.iterdir())) == 2, [*tmp_path.iterdir()]


def test_a_dataset_stays_until_the_new_one_is_written(tmp_path: Path) -> None:
    place = str(tmp_path / "of")

    def rows() -> list[int]:
        return [int(x) for x in tf.data.Dataset.load(place)]

    def failing() -> Iterator[int]:
        yield 7
        raise OSError("the disk is full")

    tf.data.Dataset.range(5).save(place, shard_func=lambda x: x % 2)
    first = rows()
    assert sorted(first) == [0, 1, 2, 3, 4]
    broken = tf.data.Dataset.from_generator(failing, output_signature=tf.TensorSpec([], tf.int64))
    with pytest.raises(tf.errors.OpError):
        broken.save(place)
    assert rows() == first
    assert len(os.listdir(place)) == 3
    tf.data.Dataset.range(3).save(place, compression="GZIP")
    assert rows() == [0, 1, 2]
    assert len(os.listdir(place)) == 2
    facts = tmp_path / "of" / "dataset.json"
    facts.write_text(facts.read_text().replace('"files": ["', '"files": ["../'))
    with pytest.raises(tf.errors.DataLossError, match="not the name of a shard file"):
        rows()


@contextlib.contextmanager
def small_disk() -> Iterator[None]:
    """Limit files to 20 bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


W = tf.Variable(tf.ones([64, 2]), name="w")


@tf.function(input_signature=[tf.TensorSpec([None, 64])])
def line(x: Any) -> Any:
    return x @ W


@tf.function(input_signature=[tf.TensorSpec([2, 64])])
def fixed(x: Any) -> Any:
    return x @ W


WRITERS: dict[str, Callable[[str], Any]] = {
    "graph_model": lambda path: tf.save_graph_model(line, path, shard_size=100),
    "onnx": lambda path: tf.save_onnx(line, path),
    "program": lambda path: tf.export(fixed, path),
    "write_file": lambda path: tf.io.write_file(path, "text" * 99),
    "trace": lambda path: asyncio.run(tf.profile_async(lambda: tf.square(2.0))).save(path),
    "checkpoint": lambda path: checkpoint(1.0).save(f"{path}/of"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_was_written_stays_when_the_disk_is_full(name: str, tmp_path: Path) -> None:
    def files() -> dict[str, bytes]:
        found = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in found}

    WRITERS[name](str(tmp_path / "of"))
    before = files()
    assert before
    W.assign_add(tf.ones([64, 2]))
    with small_disk(), pytest.raises((OSError, tf.errors.OpError)):
        WRITERS[name](str(tmp_path / "of"))
    assert files() == before


def test_places_of_files(tmp_path: Path) -> None:
    """Check that links are followed and that permissions are kept.

    Special files are written in place.
    """
    place, link, pipe = tmp_path / "of", tmp_path / "link", tmp_path / "pipe"
    tf.io.write_file(place, "one")
    plain = place.stat().st_mode
    place.chmod(0o640)
    link.symlink_to(place)
    tf.io.write_file(link, "two")
    assert (link.is_symlink(), place.read_text()) == (True, "two")
    assert (place.stat().st_mode & 0o777, plain & 0o777) == (0o640, 0o666 & ~_umask())
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    tf.io.write_file(pipe, "three")
    assert os.read(end, 10) == b"three"
    os.close(end)
    with pytest.raises(tf.errors.OpError):
        tf.io.write_file(tmp_path, "four")


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


@pytest.mark.filterwarnings("ignore:os.fork")  # of JAX, if another test has loaded it
def test_files_of_processes_that_ended_are_removed(tmp_path: Path) -> None:
    place = str(tmp_path / "of")
    if not (child := os.fork()):
        with whole_file(place) as file:
            file.write(b"part")
            os._exit(0)
    os.waitpid(child, 0)
    with whole_file(place) as file:
        file.write(b"whole")
        assert len(list(tmp_path.glob("*.partial"))) == 2
        remove_abandoned(place)
        assert [str(path) for path in tmp_path.iterdir()] == [file.name]
    assert (tmp_path / "of").read_bytes() == b"whole"


@pytest.mark.parametrize("module", [None, types.ModuleType("fcntl")], ids=["none", "empty"])
def test_without_locks(
    module: types.ModuleType | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Write files where fcntl does not exist, and where it is empty, as in JupyterLite."""
    monkeypatch.setitem(sys.modules, "fcntl", module)
    monkeypatch.delitem(sys.modules, atomic_files.__name__)
    own = importlib.import_module(atomic_files.__name__)
    assert own is not atomic_files
    for text in (b"first", b"second"):
        own.replace_file(tmp_path / "file", text, durable=True)
        assert (tmp_path / "file").read_bytes() == text
    begun = tmp_path / "file.1.partial"
    begun.touch()
    own.remove_abandoned(str(tmp_path / "file"))
    assert begun.exists(), "another process may be writing it"
    os.utime(begun, (0, 0))
    own.remove_abandoned(str(tmp_path / "file"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
