"""Folders of checkpoints: retention, the latest checkpoint, and leftovers of killed processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tensorflow
from api.same import same

import tfpy

HERE = Path(__file__).parent


def seen(folder: Path) -> list[Any]:
    """Return the files of a folder, and the text file ``checkpoint`` without its times."""
    text = re.sub(r"(stamps?): [\d.e+]+", r"\1: …", (folder / "checkpoint").read_text())
    return [sorted(os.listdir(folder)), sorted(set(text.split("\n")))]


@pytest.mark.parametrize("library", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_manager(library: ModuleType, tmp_path: Path) -> None:
    found = managed(library, tmp_path / "a")
    assert found == managed(tensorflow, tmp_path / "b") if library is tfpy else found


def managed(tf: ModuleType, folder: Path) -> list[Any]:
    found: list[Any] = []
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    make = tf.train.CheckpointManager
    manager = make(checkpoint, str(folder), max_to_keep=2, checkpoint_name="m")
    found += [manager.latest_checkpoint, manager.restore_or_initialize()]
    for _ in range(3):
        step.assign_add(1)
        found.append(os.path.basename(manager.save()))
    found += [[os.path.basename(p) for p in manager.checkpoints], *seen(folder)]
    step.assign(0)
    manager = make(
        checkpoint, folder, max_to_keep=1, step_counter=step, checkpoint_interval=2,
        keep_checkpoint_every_n_hours=1e-9,
    )  # fmt: skip
    found += [os.path.basename(manager.restore_or_initialize()), int(step)]
    for _ in range(5):
        step.assign_add(1)
        found.append(manager.save() is None)
    found += [
        manager.save(check_interval=False) is None,
        manager.save(check_interval=False) is None,
    ]
    found += [os.path.basename(manager.save(checkpoint_number=40) or ""), *seen(folder)]
    state = tf.train.get_checkpoint_state(str(folder))
    found.append(os.path.basename(state.model_checkpoint_path))
    found.append([os.path.basename(p) for p in state.all_model_checkpoint_paths])
    found.append(os.path.basename(tf.train.latest_checkpoint(str(folder))))
    found.append(next(tf.train.checkpoints_iterator(str(folder))) == state.model_checkpoint_path)
    found.append(len(list(islice(tf.train.checkpoints_iterator(str(folder), timeout=0), 2))))
    return found


@same
def test_refusals(tf: ModuleType) -> Any:
    found = []
    for options in ({"max_to_keep": 0}, {"max_to_keep": 1, "checkpoint_interval": 3}):
        with pytest.raises(ValueError, match=r"max_to_keep|step_counter") as caught:
            tf.train.CheckpointManager(tf.train.Checkpoint(), "/nowhere", **options)
        found.append(str(caught.value))
    return [*found, str(tf.train.latest_checkpoint("/nowhere"))]


def test_states_that_are_no_states(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    for text in ("", "nonsense", 'model_checkpoint_path: "a', "x: 3", 'model_checkpoint_path: ""'):
        file.write_text(text)
        assert tfpy.train.get_checkpoint_state(tmp_path) is None
        assert tfpy.train.latest_checkpoint(tmp_path) is None
    tfpy.compat.v1.train.update_checkpoint_state(
        tmp_path, f'{tmp_path}/a "b\\', ["/far/c", f'{tmp_path}/a "b\\'], latest_filename="other"
    )
    for lib in (tfpy, tensorflow):
        state = lib.train.get_checkpoint_state(str(tmp_path), "other")
        assert state.model_checkpoint_path == f'{tmp_path}/a "b\\'
        assert list(state.all_model_checkpoint_paths) == ["/far/c", f'{tmp_path}/a "b\\']


def test_callbacks(tmp_path: Path) -> None:
    called: list[Any] = []
    options = tfpy.train.CheckpointOptions(
        experimental_write_callbacks=[called.append, lambda: called.append(None)]
    )
    path = tfpy.train.Checkpoint(v=tfpy.Variable(1)).save(tmp_path / "of", options)
    assert called == [path, None]


def test_a_process_that_dies_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    """Kill a process before each file operation in turn, while it saves and deletes."""
    argv = [sys.executable, str(HERE / "dying.py"), str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 12


def test_checkpoints_of_other_folders_are_not_deleted(tmp_path: Path) -> None:
    """Check that only checkpoints in the folder are deleted.

    A folder from an untrusted source may name any path.
    """
    folder, other = tmp_path / "mine", tmp_path / "other"
    folder.mkdir()
    (folder / "link").symlink_to(other)
    checkpoint = tfpy.train.Checkpoint(v=tfpy.Variable(1.0))
    kept = tfpy.train.Checkpoint(v=tfpy.Variable(2.0)).write(str(other / "kept"))
    own = checkpoint.write(str(folder / "own"))
    paths = [kept, "../other/kept", "link/kept", "link/../../other/kept", own]
    text = "".join(f'all_model_checkpoint_paths: "{path}"\n' for path in paths)
    text += "".join(f"all_model_checkpoint_timestamps: {1e9 + i}\n" for i in range(len(paths)))
    (folder / "checkpoint").write_text(f'model_checkpoint_path: "own"\n{text}')
    before = sorted(os.listdir(other))
    manager = tfpy.train.CheckpointManager(checkpoint, str(folder), max_to_keep=1)
    assert manager.checkpoints == [own]
    saved = manager.save()
    assert manager.checkpoints == [saved]
    assert not os.path.exists(f"{own}.index")
    assert sorted(os.listdir(other)) == before
