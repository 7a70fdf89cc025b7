"""Implementation of `tf.train.CheckpointManager`, which keeps a folder's latest checkpoints."""

from __future__ import annotations

import glob
import logging
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base.atomic_files import partial_files
from tfpy._src.checkpoints.checkpoint import Checkpoint
from tfpy._src.checkpoints.options import CheckpointOptions
from tfpy._src.checkpoints.state import (
    get_checkpoint_state,
    latest_checkpoint,
    update_checkpoint_state,
)
from tfpy._src.core.typing import IntLike, PathLike
from tfpy._src.library.io.gfile import path_text
from tfpy._src.tensors.variables.variable import Variable

_log = logging.getLogger("tensorflow")
_HOUR = 3600.0


class CheckpointManager:
    """A manager that saves numbered checkpoints in a folder and deletes old ones.

    The file `checkpoint` in the folder lists its checkpoints. A new manager reads this file and
    continues with the checkpoints of an earlier one.

    Args:
        checkpoint: The `tf.train.Checkpoint` to save and restore.
        directory: Path of the folder.
        max_to_keep: Number of checkpoints to keep. None keeps all.
        keep_checkpoint_every_n_hours: Number of hours after which one more checkpoint is kept
            permanently, instead of being deleted. Default: none is kept permanently.
        checkpoint_name: Name of each checkpoint, to which a hyphen and its number are appended.
            Default: `"ckpt"`.
        step_counter: Integer Variable with the number of the current step. It is required if
            `checkpoint_interval` is given.
        checkpoint_interval: Minimum number of steps between two checkpoints; `save` does nothing
            if fewer steps have passed. Default: each call of `save` writes a checkpoint.
        init_fn: Function without arguments that `restore_or_initialize` calls if there is no
            checkpoint. Default: nothing is called.
        last_checkpoint_step: Step at which the last checkpoint was saved. Default: unknown, so that
            the next call of `save` writes a checkpoint.

    Raises:
        ValueError: If `max_to_keep` is not positive, or if `checkpoint_interval` is given without
            `step_counter`.

    Example:
        >>> import tfpy as tf
        >>> step = tf.Variable(0)
        >>> checkpoint = tf.train.Checkpoint(step=step)
        >>> manager = tf.train.CheckpointManager(checkpoint, "managed", max_to_keep=2)
        >>> for _ in range(3):
        ...     step.assign_add(1, read_value=False)
        ...     path = manager.save()
        >>> manager.checkpoints
        ['managed/ckpt-2', 'managed/ckpt-3']
        >>> status = checkpoint.restore(manager.latest_checkpoint).assert_consumed()

    See also: `tf.train.Checkpoint`, `tf.train.checkpoints_iterator`.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: PathLike,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Variable | None = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], object] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = path_text(directory)
        self._max_to_keep = max_to_keep
        self._keep_every = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter: Any = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._latest: str | None = None
        self._kept: dict[str, float] = {}
        """Paths of the checkpoints that may be deleted, with the times when they were written."""
        # Subtract a second, so that a manager that is created immediately afterwards does not
        # ignore the checkpoints of this one.
        self._preserved = time.time() - 1.0
        self._recover()

    def _recover(self) -> None:
        """Read the list of checkpoints from the folder's file."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        now = time.time()
        self._latest = state.model_checkpoint_path
        self._preserved = min(state.last_preserved_timestamp, now)
        paths = state.all_model_checkpoint_paths
        times = state.all_model_checkpoint_timestamps or [self._preserved] * len(paths)
        for path, written in zip(paths, times, strict=False):
            if not _lies_in(path, self._directory):
                _log.warning(
                    "%s: The checkpoint is not in the folder %s, so it will not be deleted.",
                    path,
                    self._directory,
                )
            elif min(written, now) > self._preserved:
                self._kept[path] = min(written, now)

    @property
    def directory(self) -> str:
        """Path of the folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """Minimum number of steps between two checkpoints, or None."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """Path of the latest checkpoint, or None if there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """Paths of the checkpoints, oldest first, without those that are kept permanently."""
        return list(self._kept)

    @property
    def checkpoint(self) -> Checkpoint:
        """The `tf.train.Checkpoint` that is saved."""
        return self._checkpoint

    def save(
        self,
        checkpoint_number: IntLike | None = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Write a checkpoint and delete the oldest ones above `max_to_keep`.

        Args:
            checkpoint_number: Number of the checkpoint. Default: the value of `save_counter`.
            check_interval: If False, write the checkpoint even if fewer than `checkpoint_interval`
                steps have passed.
            options: A `tf.train.CheckpointOptions`. Default: no options.

        Returns:
            The path of the checkpoint, or None if too few steps have passed to write one.

        Raises:
            tf.errors.OpError: If the files cannot be written.

        Example:
            >>> import tfpy as tf
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
            >>> manager = tf.train.CheckpointManager(checkpoint, "numbered", max_to_keep=2)
            >>> manager.save(), manager.save(checkpoint_number=10)
            ('numbered/ckpt-1', 'numbered/ckpt-10')
        """
        if not self._is_due(check_interval):
            return None
        prefix = self._next(checkpoint_number)
        self._checkpoint.write_and(prefix, options, self._note)
        return prefix

    @awaitable("manager.save_async()")
    async def save_async(
        self,
        checkpoint_number: IntLike | None = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Write a checkpoint without blocking the page, and delete old ones as `save` does.

        On webgpu, this method works in all browsers, but `save` only in those that can suspend
        Python (JSPI).

        Args:
            checkpoint_number: Number of the checkpoint. Default: the value of `save_counter`.
            check_interval: If False, write the checkpoint even if fewer than `checkpoint_interval`
                steps have passed.
            options: A `tf.train.CheckpointOptions`. Default: no options.

        Returns:
            An awaitable that resolves to the path of the checkpoint, or to None if too few steps
            have passed to write one.

        Raises:
            tf.errors.OpError: If the files cannot be written.

        Example:
            >>> import asyncio, tempfile
            >>> import tfpy as tf
            >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
            >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), 3)
            >>> asyncio.run(manager.save_async()).endswith("ckpt-1")  # in a page: await
            True
        """
        if not self._is_due(check_interval):
            return None
        prefix = self._next(checkpoint_number)
        await self._checkpoint.write_and_async(prefix, options, self._note)
        return prefix

    def _is_due(self, check_interval: bool) -> bool:
        if self._interval is None:
            return True
        step = int(self._step_counter)
        if self._last_step is not None:
            due = self._last_step + self._interval if check_interval else 0
            if step == self._last_step or step < due:
                return False
        self._last_step = step
        return True

    def _next(self, number: Any | None) -> str:
        counted = self._checkpoint.count()
        return f"{self._prefix}-{counted if number is None else int(number)}"

    def _note(self, path: str, own: bool) -> None:
        """Add a checkpoint to the list and delete the oldest ones above the limit.

        Args:
            path: Path of the checkpoint.
            own: If True, this process writes and deletes the folder's files.
        """
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        if own:  # before files are deleted
            self._record()
        for old in self._sweep():
            for file in files_of(old) if own else ():
                with suppress(FileNotFoundError):
                    os.remove(file)
        if own:
            self._record()

    def _sweep(self) -> list[str]:
        """Remove the checkpoints above the limit from the list; return those to delete."""
        found: list[str] = []
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            written = self._kept.pop(path)
            if self._keep_every and written - self._keep_every * _HOUR >= self._preserved:
                self._preserved = written
            else:
                found.append(path)
        return found

    def _record(self) -> None:
        assert self._latest is not None
        update_checkpoint_state(
            self._directory,
            self._latest,
            list(self._kept),
            all_model_checkpoint_timestamps=self._kept.values(),
            last_preserved_timestamp=self._preserved,
        )

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint, or call `init_fn` if there is none.

        Returns:
            The path of the restored checkpoint, or None if there was none.

        Raises:
            tf.errors.DataLossError: If the checkpoint is corrupt.
            ValueError: If a Variable has a different shape in the checkpoint.
            tf.errors.InvalidArgumentError: If a Variable has a different dtype in the checkpoint.

        Example:
            >>> import tfpy as tf
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
            >>> manager = tf.train.CheckpointManager(
            ...     checkpoint, "started", max_to_keep=2, init_fn=lambda: print("no checkpoint")
            ... )
            >>> manager.restore_or_initialize()
            no checkpoint
            >>> path = manager.save()
            >>> manager.restore_or_initialize()
            'started/ckpt-1'
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Do nothing, because a checkpoint is complete when the call that writes it returns.

        Example:
            >>> import tfpy as tf
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
            >>> tf.train.CheckpointManager(checkpoint, "synced", max_to_keep=2).sync()
        """


def _lies_in(path: str, directory: str) -> bool:
    """Return True if a checkpoint's files are in a folder.

    The folder's file may list checkpoints elsewhere if another program wrote it.
    """
    place = pathlib.Path(os.path.realpath(os.path.dirname(path)))
    return place.is_relative_to(os.path.realpath(directory))


def files_of(prefix: str) -> list[str]:
    """Return the files of a checkpoint, the table first: the other files are useless without it."""
    start = glob.escape(prefix)
    whole = [p for ending in (".index", ".data-?????-of-?????") for p in glob.glob(start + ending)]
    return [*whole, *partial_files(f"{prefix}.")]


def checkpoints_iterator(
    checkpoint_dir: PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Iterate over the checkpoints that a program writes to a folder.

    Each iteration blocks until there is a new checkpoint. Because only the latest one is returned,
    checkpoints that are written in quick succession may be skipped.

    Args:
        checkpoint_dir: Path of the folder.
        min_interval_secs: Minimum number of seconds between two iterations.
        timeout: Number of seconds to wait for a new checkpoint. Default: no limit.
        timeout_fn: Function without arguments that is called after each timeout. The iterator ends
            when the function returns True. Default: the iterator ends after the first timeout.

    Yields:
        The path of the latest checkpoint.

    Example:
        >>> import tfpy as tf
        >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(3.0))
        >>> path = checkpoint.save("followed/ckpt")
        >>> list(tf.train.checkpoints_iterator("followed", timeout=0.1))
        ['followed/ckpt-1']

    See also: `tf.train.latest_checkpoint`, `tf.train.CheckpointManager`.
    """
    latest = None
    while True:
        found = _new_checkpoint(path_text(checkpoint_dir), latest, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        latest, began = found, time.time()
        yield found
        time.sleep(max(0.0, began + min_interval_secs - time.time()))


def _new_checkpoint(directory: str, last: str | None, timeout: float | None) -> str | None:
    """Return the path of a checkpoint other than the last one; None after the timeout."""
    stop = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(directory)
        if found is not None and found != last:
            return found
        if stop is not None and time.time() + _WAIT > stop:
            return None
        time.sleep(_WAIT)


_WAIT = 1.0  # seconds between two checks
