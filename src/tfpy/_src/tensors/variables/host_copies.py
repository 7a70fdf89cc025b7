"""Copies of Variables' values on the host, for when the browser takes the device away."""

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
from tfpy._src.tensors.variables.variable import live_variables


class _Copy(NamedTuple):
    """The value that a Variable had."""

    place: tuple[int, int]
    """The backend's id and the slot that it was copied from."""
    array: Array


class HostCopies:
    """Copies all Variables together every so many seconds, and puts them back after a loss."""

    def __init__(self) -> None:
        self._seconds: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._copies: dict[int, _Copy] = {}  # by the Variable's number

    def keep(self, seconds: float | None) -> None:
        """See :func:`keep_host_copies`."""
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
            # Where the device is gone, or out of memory, the copies from before hold.
            with suppress(OpError):
                await self.copy()

    async def copy(self) -> None:
        """Copies what has changed. The values are those of one moment: a storage that is held
        here is not donated meanwhile."""
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
        """Puts all copies back, which belong together, if the device of a Variable is gone."""
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
            f"the device is gone: {len(variables)} Variables have the values of their host copies"
        )
        warnings.warn(f"{text}, up to {self._seconds} s old", RuntimeWarning, stacklevel=2)


_NOWHERE = (0, 0)


def _place(storage: Storage) -> tuple[int, int]:
    return id(storage.backend), storage.slot


_host_copies = HostCopies()
registry.after_activation.append(_host_copies.restore)


def keep_host_copies(seconds: float | None = 5.0) -> None:
    """Keeps copies of all Variables' values on the host, so that training goes on when the browser
    takes the GPU away (``tf.config.experimental.keep_host_copies``).

    Every so many seconds the Variables that have changed are read together, while the page goes on.
    When the device is lost, a computation raises ``tf.errors.UnavailableError``; the next backend
    that is activated (``await tf.set_backend_async("webgl")``) puts all Variables back to the last
    copies, with a warning. They take the host as much memory as the Variables.

    Args:
        seconds: between copies, above 0; None ends it and forgets the copies.

    Raises:
        ValueError: for other numbers.
        RuntimeError: where no event loop runs, in which copies could be made.

    Example:
        >>> import tfpy as tf
        >>> async def train(step, batches):
        ...     tf.config.experimental.keep_host_copies(seconds=2)
        ...     for batch in batches:
        ...         try:
        ...             await step(batch).data()
        ...         except tf.errors.UnavailableError:
        ...             await tf.set_backend_async(tf.get_backend())
    """
    if seconds is not None and not seconds > 0:
        raise ValueError(f"keep_host_copies: seconds must be above 0, not {seconds}")
    _host_copies.keep(seconds)
