"""Storage: the bytes of one or more tensors, on the host, on a device, or both.

Python's reference counting frees a storage: the last tensor that is deleted discards the slot.
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

_KEEP_ON_HOST = 1024  # an uploaded array of at most this many bytes also stays on the host


class Statistics:
    """Numbers of live tensors and storages in the whole program, for `tf.memory()`."""

    __slots__ = ("_others", "buffers", "mark", "nbytes")

    def __init__(self) -> None:
        self.buffers = 0
        self.nbytes = 0
        self.mark = object()
        """An object that each live tensor refers to, so that its reference count counts tensors."""
        self._others = 0
        self._others = self.tensors

    @property
    def tensors(self) -> int:
        """Number of live tensors."""
        return getrefcount(self.mark) - self._others


statistics = Statistics()


_moving = threading.RLock()
"""Lock during moves to another backend, because several threads may read a storage."""


class Storage:
    """Row-major bytes of `aval.size` elements. Tensors of different shapes may share a storage."""

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
        """Line of the program that made the storage; recorded in debug mode."""
        if counted:
            statistics.buffers += 1
            statistics.nbytes += aval.nbytes

    def slot_on(self, backend: Backend) -> int:
        """Return the slot on the backend. The bytes move there if necessary."""
        if self.backend is not backend:
            held.depth += 1  # faster than `with held:`, which makes two calls
            try:
                with _moving:
                    self._move(backend)
            finally:
                held.depth -= 1
                if held.waits:
                    held.deliver()
        return self.slot

    def _move(self, backend: Backend) -> None:
        if self.backend is backend:  # another thread has already moved the bytes
            return
        host = self.to_host() if self.host is None else self.host
        if self.backend is not None:
            self.backend.discard(self.slot, self.aval.nbytes)
        began = clock() if recorders else 0.0
        self.slot = backend.upload(host)
        self.backend = backend
        if began:
            note("upload", str(self.aval), began)
        if host.nbytes > _KEEP_ON_HOST and not backend.on_host and self._can_leave(backend):
            self.host = None

    def _can_leave(self, backend: Backend) -> bool:
        """Return True if no op on the host may need bytes that the backend must be awaited for.

        NumPy computes all ops of dtypes that a backend does not compute.
        """
        waits = isinstance(backend, AsyncReads) and not backend.reads_at_once
        return not waits or self.aval.dtype in backend.dtypes

    def to_host(self) -> Array:
        """Return the bytes as an array that must not be written to.

        Raises:
            UnavailableError: If they were only on a lost device.
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
        """Return the bytes as `to_host` does, without blocking the page."""
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
        """True if only a lost device held the bytes. `to_host` may still be able to rescue them."""
        backend = self.backend
        return self.host is None and backend is not None and bool(backend.gone or loss_of(backend))

    def check(self) -> None:
        """Raise an error if the values are lost.

        Raises:
            UnavailableError: If they were only on a lost device.
        """
        if self.is_lost and self._rescued() is None:
            assert self.backend is not None
            raise self._error(self.backend)

    def _error(self, backend: Backend) -> UnavailableError:
        where = backend.gone or f"backend {backend.name!r}: {loss_of(backend)}"
        return UnavailableError(None, None, f"The values of a {self.aval} were only on {where}")

    def _rescued(self) -> Array | None:
        """Return the values from a lost device, if they had moved to the host before."""
        if self.is_lost:
            backend = self.backend
            if isinstance(backend, Losable):
                self.host = backend.rescue(self.slot, self.aval)
        return self.host

    def _holder(self) -> Backend:
        """Return the only backend that has the bytes, after collecting its garbage."""
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
        """Kind of the device that holds the bytes: "CPU", "GPU" or "TPU"."""
        return self.backend.processor if self.backend else "CPU"

    @property
    def device(self) -> str:
        """Device that holds the bytes, with its number: "GPU:0"."""
        backend = self.backend
        if backend is None:
            return "CPU:0"
        return f"{backend.processor}:{devices_of(backend).device_number(self.slot)}"

    @property
    def is_readable(self) -> bool:
        """True if `to_host` works in code that cannot await."""
        if self.host is not None:
            return True
        backend = self._holder()
        return not isinstance(backend, AsyncReads) or backend.reads_at_once

    def remember(self, array: Array) -> None:
        """Keep values, which were computed or read, on the host."""
        if self.host is None:
            self.host = array

    def release(self) -> None:
        """Record that the slot was donated to a run and no longer exists."""
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
    """Return a storage over an array that no other code writes to."""
    return Storage(aval, host=np.asarray(array, order="C"), counted=counted)
