"""Devices and processes of a backend that can use more than one, such as the jax backend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import WeakKeyDictionary

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interface import Ranges, Sharder, SlotShard
from tfpy._src.compiler.ir.aval import Array, Aval


class Devices(ABC):
    """The devices on which a backend computes, and the processes of a cluster."""

    sharder: Sharder | None = None
    """Shards slots over several devices; None on one device."""
    divides_anytime = False
    """True if the CPU can also be divided after something has been computed."""

    @property
    @abstractmethod
    def has_computed(self) -> bool:
        """True if it is too late to configure the devices."""

    @abstractmethod
    def devices(self) -> tuple[str, ...]:
        """Return the names of this process's devices."""

    @abstractmethod
    def device_number(self, slot: int) -> int:
        """Return the number of the device that holds a slot; the first one if there are several."""

    @abstractmethod
    def computing_on(self, device: str) -> AbstractContextManager[Any]:
        """Return a context in which the given device computes."""

    @abstractmethod
    def prefer(self, number: int) -> None:
        """Compute on this device by default."""

    @abstractmethod
    def share_out(self, count: int) -> None:
        """Divide the CPU into `count` devices."""

    @abstractmethod
    def grow(self, enable: bool) -> None:
        """Allocate GPU memory on demand, instead of most of it at once."""

    @abstractmethod
    def device_memory(self, device: str) -> dict[str, int] | None:
        """Return the bytes in use, `current` and `peak`; None if they are unknown."""

    @abstractmethod
    def device_details(self, device: str) -> dict[str, Any]:
        """Return details of a GPU or TPU."""

    @abstractmethod
    def round_products(self, enable: bool) -> None:
        """Allow products of float32 at lower precision if that is faster."""

    @property
    @abstractmethod
    def process(self) -> int:
        """Number of this process in the cluster."""

    @property
    @abstractmethod
    def processes(self) -> int:
        """Number of processes."""

    @abstractmethod
    def agree(self, text: str) -> list[str]:
        """Wait until all processes have called this, and return the text of each.

        Raises:
            UnavailableError: If a process is lost. The message names it.
        """

    @abstractmethod
    def shards(self, slot: int, aval: Aval) -> list[SlotShard]:
        """Return the parts of a slot that this process holds, each part once."""

    @abstractmethod
    def refill(self, slot: int, aval: Aval, read: Callable[[Ranges], Array]) -> int | None:
        """Return a new slot for other values with the sharding of a slot.

        Args:
            read: Function that returns part of the values.

        Returns:
            The slot; None if the given slot is on one device.
        """


_counts: WeakKeyDictionary[Backend, int] = WeakKeyDictionary()
"""Number of devices into which the CPU of a backend with one device is divided."""


class OneDevice(Devices):
    """The device of a backend with one device in one process.

    Its CPU can be divided into several devices, which compute in turn on the same memory.
    """

    has_computed = True
    divides_anytime = True
    process = 0
    processes = 1

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._count = _counts.get(backend, 1) if backend.processor == "CPU" else 1

    def devices(self) -> tuple[str, ...]:
        return tuple([f"{self._backend.processor.lower()}:{n}" for n in range(self._count)])

    def device_number(self, slot: int) -> int:
        return 0

    def computing_on(self, device: str) -> AbstractContextManager[Any]:
        return nullcontext()

    def prefer(self, number: int) -> None:
        """Do nothing: there is no other device."""

    def share_out(self, count: int) -> None:
        _counts[self._backend] = count

    def grow(self, enable: bool) -> None:
        """Do nothing: memory is always allocated on demand."""

    def device_memory(self, device: str) -> dict[str, int] | None:
        return None

    def device_details(self, device: str) -> dict[str, Any]:
        return {}

    def round_products(self, enable: bool) -> None:
        """Do nothing: products of float32 are computed in float32."""

    def agree(self, text: str) -> list[str]:
        return [text]

    def shards(self, slot: int, aval: Aval) -> list[SlotShard]:
        everything = tuple((0, size) for size in aval.shape)

        def read() -> Array:
            return self._backend.read(slot, aval).reshape(aval.shape)  # views share slots

        return [SlotShard(everything, read, first=True)]

    def refill(self, slot: int, aval: Aval, read: Callable[[Ranges], Array]) -> int | None:
        return None


def devices_of(backend: Backend) -> Devices:
    """Return the devices of a backend."""
    return backend if isinstance(backend, Devices) else OneDevice(backend)


def sharder_of(backend: Backend) -> Sharder | None:
    """Return the sharder of a backend's slots; None if it computes on one device."""
    return backend.sharder if isinstance(backend, Devices) else None
