"""Saving of checkpoints in processes that are killed before each change of a file.

A test runs it.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import tfpy as tf

CHANGES = {"open", "os.rename", "os.remove", "os.mkdir"}


def save_until(change: int, folder: Path) -> None:
    """Overwrite a checkpoint in both ways until the process is killed before a change."""
    left = change

    def count(event: str, args: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGES and str(args[0]).startswith(str(folder)):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    checkpoint, manager = made(folder, 0.0)
    manager.restore_or_initialize()
    checkpoint.v.assign(tf.fill([1000], 2.0))
    manager.save()
    checkpoint.write(folder / "twice")


def made(folder: Path, value: float) -> tuple[tf.train.Checkpoint, tf.train.CheckpointManager]:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(tf.fill([1000], value)))
    return checkpoint, tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)


def check(folder: Path) -> None:
    """Check that the files contain the complete, latest checkpoint."""
    checkpoint, manager = made(folder, 0.0)
    assert manager.restore_or_initialize()
    known = float(checkpoint.v[0])
    assert known in (1.0, 2.0)
    checkpoint.read(folder / "twice").assert_consumed()
    assert float(checkpoint.v[0]) in (known, known - 1)
    # A restart continues despite the leftovers of the previous attempt.
    checkpoint.v.assign(tf.fill([1000], 9.0))
    path = manager.save()
    checkpoint.write(folder / "twice")
    assert path
    for one in (path, folder / "twice"):
        checkpoint.v.assign(tf.zeros([1000]))
        checkpoint.read(one).assert_consumed()
        assert float(tf.reduce_min(checkpoint.v)) == 9.0
    assert not (left := list(folder.glob("*.partial"))), left


def main(root: Path) -> None:
    for change in range(1000):
        folder = root / str(change)
        checkpoint, manager = made(folder, 1.0)
        manager.save()
        checkpoint.write(folder / "twice")
        if not (child := os.fork()):
            save_until(change, folder)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        check(folder)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            print(change)
            return


main(Path(sys.argv[1]))
