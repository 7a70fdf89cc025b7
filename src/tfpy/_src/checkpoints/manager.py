"""``tf.train.CheckpointManager``: a folder of checkpoints, of which the latest ones are kept."""

from __future__ import annotations

import glob
import logging
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from tfpy._src.base.atomic_files import partial_files
from tfpy._src.checkpoints.checkpoint import Checkpoint, CheckpointOptions
from tfpy._src.checkpoints.state import (
    get_checkpoint_state,
    latest_checkpoint,
    update_checkpoint_state,
)
from tfpy._src.library.io.gfile import Path, path_text

_log = logging.getLogger("tfpy")
_HOUR = 3600.0


class CheckpointManager:
    """Saves a checkpoint again and again, and deletes old ones (``tf.train.CheckpointManager``).

    A folder's checkpoints are known by its file ``checkpoint``: a manager that is made anew goes on
    with those that an earlier one has left.

    Args:
        directory: the folder.
        max_to_keep: how many are kept; None keeps all.
        keep_checkpoint_every_n_hours: one that is to be deleted is kept for good when it is younger
            by so much than the last one that was kept so.
        checkpoint_name: what the files' names begin with.
        step_counter: a Variable of steps, by which ``checkpoint_interval`` is counted.
        checkpoint_interval: how many steps are to be between two checkpoints.
        init_fn: called by :meth:`restore_or_initialize` where there is no checkpoint.
        last_checkpoint_step: the step of the last checkpoint.

    Raises:
        ValueError: when ``max_to_keep`` is not above 0, or there is an interval without a counter.

    Example:
        >>> import tfpy as tf
        >>> step = tf.Variable(0)
        >>> checkpoint = tf.train.Checkpoint(step=step)
        >>> manager = tf.train.CheckpointManager(checkpoint, "managed", max_to_keep=2)
        >>> for _ in range(3):
        ...     value = step.assign_add(1)
        ...     path = manager.save()
        >>> manager.checkpoints
        ['managed/ckpt-2', 'managed/ckpt-3']
        >>> status = checkpoint.restore(manager.latest_checkpoint).assert_consumed()
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Path,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
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
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._latest: str | None = None
        self._kept: dict[str, float] = {}
        """When each of those that may be deleted was written."""
        # A manager that is made anew at once finds those of the last second.
        self._preserved = time.time() - 1.0
        self._recover()

    def _recover(self) -> None:
        """Takes over what the folder's file says."""
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
                    "%s: the checkpoint is not in %s, so that it is not deleted when it is old",
                    path,
                    self._directory,
                )
            elif min(written, now) > self._preserved:
                self._kept[path] = min(written, now)

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps are to be between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the latest one, None where there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that may be deleted later, the oldest first."""
        return list(self._kept)

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Writes a checkpoint, and deletes those that are too many.

        Args:
            checkpoint_number: an integer; the checkpoint's ``save_counter`` by default.
            check_interval: False writes it though the interval is not over.

        Returns:
            The checkpoint's path; None when none was to be written.

        Raises:
            tf.errors.OpError: as ``Checkpoint.write``.
        """
        if not self._is_due(check_interval):
            return None
        prefix = self._next(checkpoint_number)
        self._checkpoint.write_and(prefix, options, self._note)
        return prefix

    async def save_async(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """:meth:`save` where the device's values are to be awaited, as in a page."""
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

    def _next(self, number: Any) -> str:
        counted = self._checkpoint.count()
        return f"{self._prefix}-{counted if number is None else int(number)}"

    def _note(self, path: str, own: bool) -> None:
        """Takes note of a checkpoint.

        Args:
            own: whether this process has to do with the folder's files.
        """
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        if own:  # before anything is deleted
            self._record()
        for old in self._sweep():
            for file in _files_of(old) if own else ():
                with suppress(FileNotFoundError):
                    os.remove(file)
        if own:
            self._record()

    def _sweep(self) -> list[str]:
        """Those that are to be deleted."""
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
        """Restores the latest checkpoint, or calls ``init_fn`` where there is none.

        Returns:
            The path of what was restored, else None.

        Raises:
            tf.errors.OpError, ValueError: as ``Checkpoint.restore``.
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
        """Of no effect: checkpoints are there when they are written."""


def _lies_in(path: str, directory: str) -> bool:
    """Return True if a checkpoint's files are in a folder: others wrote its file of checkpoints."""
    place = pathlib.Path(os.path.realpath(os.path.dirname(path)))
    return place.is_relative_to(os.path.realpath(directory))


def _files_of(prefix: str) -> list[str]:
    """Return the files of a checkpoint, the table first: without it the others are nothing."""
    start = glob.escape(prefix)
    whole = [p for ending in (".index", ".data-?????-of-?????") for p in glob.glob(start + ending)]
    return [*whole, *partial_files(f"{prefix}.")]


def checkpoints_iterator(
    checkpoint_dir: Path,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The paths of a folder's latest checkpoints, as they come; it waits for the next one.

    Args:
        min_interval_secs: at least so long is between two of them.
        timeout: how many seconds it waits; for ever by default.
        timeout_fn: asked when these are over; True ends it, which is so without it.

    Example:
        >>> import tfpy as tf
        >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(3.0))
        >>> path = checkpoint.save("followed/ckpt")
        >>> list(tf.train.checkpoints_iterator("followed", timeout=0.1)) == [path]
        True
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
    """The path of a checkpoint after the last one; None when there is none in time."""
    stop = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(directory)
        if found is not None and found != last:
            return found
        if stop is not None and time.time() + _WAIT > stop:
            return None
        time.sleep(_WAIT)


_WAIT = 1.0  # seconds between two looks
