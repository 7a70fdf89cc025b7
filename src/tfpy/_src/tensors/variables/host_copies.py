"""Copies of the values of Variables on the host, in case the browser loses the device."""

from __future__ import annotations

import asyncio
import warnings
from contextlib import suppress
from typing import NamedTuple

from tfpy._src.backends import registry
from tfpy._src.backends.storage import Storage, host_storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.variables.creators import live_variables


class _Copy(NamedTuple):
    """A copy of the value of a Variable."""

    place: tuple[int, int]
    """Id of the backend and number of the slot from which the value was copied."""
    array: Array


class HostCopies:
    """Periodic copies of all Variables, which are restored after a loss of the device."""

    def __init__(self) -> None:
        self._seconds: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._copies: dict[int, _Copy] = {}  # keyed by the number of the Variable

    def keep(self, seconds: float | None) -> None:
        """Start or stop copying. See `keep_host_copies`."""
        task = None
        if seconds is not None:
            task = asyncio.get_running_loop().create_task(self._copy_every(seconds))
        if self._task is not None:
            self._task.cancel()
        self._seconds, self._task = seconds, task
        if task is None:
            self._copies.clear()

    async def _copy_every(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            # If the device is lost or out of memory, the previous copies are still valid.
            with suppress(OpError):
                await self.copy()

    async def copy(self) -> None:
        """Copy the values that have changed.

        All values are from the same moment, because a storage that is referenced here is not
        donated.
        """
        now = {variable.number: variable.held.storage for variable in live_variables()}
        kept = {n: self._copies[n] for n, s in now.items() if self._is_current(n, s)}
        changed = {number: storage for number, storage in now.items() if number not in kept}
        arrays = await asyncio.gather(*(s.to_host_async() for s in changed.values()))
        copies = zip(changed.items(), arrays, strict=True)
        new = {number: _Copy(_place(storage), array) for (number, storage), array in copies}
        self._copies = kept | new

    def _is_current(self, number: int, storage: Storage) -> bool:
        copy = self._copies.get(number)
        return copy is not None and storage.host is None and copy.place == _place(storage)

    def restore(self) -> None:
        """Restore all copies, which belong together, if the device of a Variable is lost."""
        variables = [v for v in live_variables() if v.number in self._copies]
        if not any(variable.held.storage.is_lost for variable in variables):
            return
        self._copies = {n: copy._replace(place=_NOWHERE) for n, copy in self._copies.items()}
        with tracing.init_scope():
            for variable in variables:
                array = self._copies[variable.number].array
                aval = Aval(array.shape, variable.dtype)
                variable.hold(Tensor(aval, host_storage(array, aval)))
        text = (
            f"The device was lost. {len(variables)} Variables were restored from their host copies"
        )
        warnings.warn(
            f"{text}, which are up to {self._seconds} s old.", RuntimeWarning, stacklevel=2
        )


_NOWHERE = (0, 0)


def _place(storage: Storage) -> tuple[int, int]:
    return id(storage.backend), storage.slot


_host_copies = HostCopies()
registry.after_activation.append(_host_copies.restore)


def keep_host_copies(seconds: float | None = 5.0) -> None:
    """Keep copies of all Variables outside the GPU, so that training survives a loss of the GPU.

    A browser can take the GPU away from a page, for example when the driver restarts, and all
    values on the GPU are then lost. This function copies the Variables that have changed at regular
    intervals, all together and without blocking the page. After a loss, the next computation raises
    `tf.errors.UnavailableError`. Then call `await tf.set_backend_async("webgpu")`, with the same or
    a different backend, which restores all Variables from the last copies and issues a warning. The
    copies need as much main memory as the Variables.

    Args:
        seconds: Number of seconds between two copies. None stops copying and discards the copies.
            Default: 5.

    Raises:
        ValueError: If `seconds` is not positive.
        RuntimeError: If no event loop is running.

    Example:
        >>> import tfpy as tf
        >>> async def train(step, batches):
        ...     tf.config.experimental.keep_host_copies(seconds=2)
        ...     for batch in batches:
        ...         try:
        ...             await step(batch).data()
        ...         except tf.errors.UnavailableError:
        ...             await tf.set_backend_async(tf.get_backend())

    See also: `tf.set_backend_async`, `tf.train.Checkpoint`.
    """
    if seconds is not None and not seconds > 0:
        raise ValueError(f"keep_host_copies: seconds must be positive or None, got {seconds}")
    _host_copies.keep(seconds)
