"""Storage: the bytes behind one or more tensors, on the host, on a device, or both.

Python's reference counting frees it: the last tensor that goes takes the slot with it.
"""

from __future__ import annotations

import threading
from sys import getrefcount

import numpy as np

from tfpy._src.backends.abilities import AsyncReads, Losable, loss_of
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.devices import devices_of
from tfpy._src.backends.interrupts import held
from tfpy._src.base.errors import UnavailableError
from tfpy._src.base.profiler_spans import clock, note, recorders
from tfpy._src.compiler.ir.aval import Array, Aval

_KEEP_ON_HOST = 1024  # bytes up to which an uploaded array stays on the host too


class Statistics:
    """Live tensors and storages of the whole program, for ``tf.memory()``."""

    __slots__ = ("_others", "buffers", "mark", "nbytes")

    def __init__(self) -> None:
        self.buffers = 0
        self.nbytes = 0
        self.mark = object()
        """What each live tensor refers to: so Python itself counts them."""
        self._others = 0
        self._others = self.tensors

    @property
    def tensors(self) -> int:
        """How many there are."""
        return getrefcount(self.mark) - self._others


statistics = Statistics()


_moving = threading.RLock()
"""Held while bytes move to another backend: a storage may be read by several threads."""


class Storage:
    """Row-major bytes of ``aval.size`` elements; shared by tensors that differ in shape only."""

    __slots__ = ("aval", "backend", "counted", "host", "line", "slot")

    def __init__(
        self,
        aval: Aval,
        host: Array | None = None,
        backend: Backend | None = None,
        slot: int = 0,
        counted: bool = True,
    ) -> None:
        self.aval = aval
        self.host = host
        self.backend = backend
        self.slot = slot
        self.counted = counted
        self.line: str | None = None
        """Of the program, which made it; noted in debug mode."""
        if counted:
            statistics.buffers += 1
            statistics.nbytes += aval.nbytes

    def slot_on(self, backend: Backend) -> int:
        """The slot on that backend; moves the bytes there when they are elsewhere."""
        if self.backend is not backend:
            held.depth += 1  # ``with held:`` is two calls more
            try:
                with _moving:
                    self._move(backend)
            finally:
                held.depth -= 1
                if held.waits:
                    held.deliver()
        return self.slot

    def _move(self, backend: Backend) -> None:
        if self.backend is backend:  # another thread was faster
            return
        host = self.to_host() if self.host is None else self.host
        if self.backend is not None:
            self.backend.discard(self.slot, self.aval.nbytes)
        began = clock() if recorders else 0.0
        self.slot = backend.upload(host)
        self.backend = backend
        if began:
            note("upload", str(self.aval), began)
        if host.nbytes > _KEEP_ON_HOST and not backend.on_host:
            self.host = None

    def to_host(self) -> Array:
        """The bytes as an array that must not be written to; reads them from the device.

        Raises:
            tf.errors.UnavailableError: when they were only on a device that is gone.
        """
        if self.host is not None:
            return self.host
        if (rescued := self._rescued()) is not None:
            return rescued
        began = clock() if recorders else 0.0
        array = self._holder().read(self.slot, self.aval)
        if began:
            note("read", str(self.aval), began)
        return array

    async def to_host_async(self) -> Array:
        """:meth:`to_host` without blocking the page."""
        if self.host is not None:
            return self.host
        if (rescued := self._rescued()) is not None:
            return rescued
        began = clock() if recorders else 0.0
        backend = self._holder()
        if isinstance(backend, AsyncReads):
            array = await backend.read_async(self.slot, self.aval)
        else:
            array = backend.read(self.slot, self.aval)
        if began:
            note("read", str(self.aval), began, awaited=True)
        return array

    @property
    def is_lost(self) -> bool:
        """Whether only a device that is gone had the bytes; :meth:`to_host` may have them still."""
        backend = self.backend
        return self.host is None and backend is not None and bool(backend.gone or loss_of(backend))

    def check(self) -> None:
        """Raises the error of values that nothing has any more.

        Raises:
            tf.errors.UnavailableError: when they are gone.
        """
        if self.is_lost and self._rescued() is None:
            assert self.backend is not None
            raise self._error(self.backend)

    def _error(self, backend: Backend) -> UnavailableError:
        where = backend.gone or f"backend {backend.name!r}: {loss_of(backend)}"
        return UnavailableError(None, None, f"The values of a {self.aval} were only on {where}")

    def _rescued(self) -> Array | None:
        """The values of a device that is gone, if they were on the host for want of its memory."""
        if self.is_lost:
            backend = self.backend
            if isinstance(backend, Losable):
                self.host = backend.rescue(self.slot, self.aval)
        return self.host

    def _holder(self) -> Backend:
        """The backend that alone has the bytes, with garbage collected."""
        backend = self.backend
        assert backend is not None
        if backend.gone:
            raise self._error(backend)
        backend.collect()
        return backend

    @property
    def place(self) -> str:
        """Name of the backend that holds the bytes; "host" before the first use."""
        return self.backend.name if self.backend else "host"

    @property
    def processor(self) -> str:
        """What holds the bytes: "CPU" or "GPU"."""
        return self.backend.processor if self.backend else "CPU"

    @property
    def device(self) -> str:
        """The same, with the device's number: "GPU:0"."""
        backend = self.backend
        if backend is None:
            return "CPU:0"
        return f"{backend.processor}:{devices_of(backend).device_number(self.slot)}"

    @property
    def is_readable(self) -> bool:
        """Whether :meth:`to_host` gives the bytes in code that cannot await."""
        if self.host is not None:
            return True
        backend = self._holder()
        return not isinstance(backend, AsyncReads) or backend.reads_at_once

    def remember(self, array: Array) -> None:
        """Keeps the values, which somebody has computed or read, on the host too."""
        if self.host is None:
            self.host = array

    def release(self) -> None:
        """The slot is gone: it was donated to a run."""
        self.backend = self.host = None

    def __del__(self, _statistics: Statistics = statistics) -> None:
        nbytes = self.aval.nbytes
        backend = self.backend
        if backend is not None:
            backend.discard(self.slot, nbytes)
        if self.counted:
            _statistics.buffers -= 1
            _statistics.nbytes -= nbytes


def host_storage(array: Array, aval: Aval, counted: bool = True) -> Storage:
    """A storage over an array that nobody else writes to."""
    return Storage(aval, host=np.asarray(array, order="C"), counted=counted)
