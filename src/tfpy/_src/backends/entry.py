"""An entry of the registry: a backend, its factory, and its status."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tfpy._src.backends.abilities import loss_of
from tfpy._src.backends.backend import Backend, BackendSkipped

Factory = Callable[[], Backend | Awaitable[Backend]]


class Status(StrEnum):
    """The status of a backend in `tf.backend_report()`."""

    NOT_TRIED = "not tried"
    SKIPPED = "skipped"
    """Could be opened, but should not be."""
    FAILED = "failed"
    AVAILABLE = "available"
    """Open, but not active."""
    CHOSEN = "chosen"
    LOST = "lost"
    """The device was lost."""


@dataclass
class BackendEntry:
    """A registered backend."""

    factory: Factory
    priority: int
    asked_only: Callable[[], str] = str
    """Function that returns why the backend is not chosen automatically; empty if it may be."""
    backend: Backend | None = None
    status: Status = Status.NOT_TRIED
    reason: str = ""

    @property
    def usable(self) -> Backend | None:
        """The backend, if it is open and its device is available."""
        return None if self.backend is None or loss_of(self.backend) else self.backend

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Record why the backend fails to open."""
        try:
            yield
        except BackendSkipped as skipped:
            self.status, self.reason = Status.SKIPPED, str(skipped)
            raise
        except Exception as error:
            self.status, self.reason = Status.FAILED, str(error)
            raise

    def opened(self, name: str, backend: Backend) -> None:
        """Record an open backend, which replaces one with a lost device.

        Raises:
            ValueError: If the name of the backend differs from the name of its entry.
        """
        if backend.name != name:
            raise ValueError(f"The backend registered as {name!r} has the name {backend.name!r}.")
        if self.backend is not None:
            self.backend.retire(f"backend {name!r}: {loss_of(self.backend)}")
        self.backend, self.status, self.reason = backend, Status.AVAILABLE, backend.remark

    def facts(self) -> dict[str, Any]:
        """Return the entry of `tf.backend_report()`."""
        lost = "" if self.backend is None else loss_of(self.backend)
        return {
            "status": (Status.LOST if lost else self.status).value,
            "reason": lost or self.reason,
            "variant": "" if self.backend is None else self.backend.variant,
            "priority": self.priority,
        }
