"""State and services that every backend inherits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.backends.interrupts import held

SLOT_BYTES = 1024  # overhead of a slot in addition to its bytes
MAX_GARBAGE = 64 * SLOT_BYTES  # bytes of discarded slots that are worth a call


class Bookkeeping:
    """Discarded slots, released programs, and the cache of the eager executor.

    Finalizers must not call the device, so they `discard` slots and append to `dead_programs`. When
    the discarded slots are worth a call, `collect_due` is set, and the next caller that runs a
    program calls `collect` first.
    """

    free: Callable[[Sequence[int]], None]
    release: Callable[[int], None]
    close: Callable[[], None]

    stores_float16 = False
    """True if float32 values are stored as float16."""
    gone = ""
    """Reason why the values of a closed backend are lost; empty while it is open."""

    def __init__(self) -> None:
        self.garbage: list[int] = []
        self.garbage_bytes = 0
        self.collect_due = False
        self._collecting = threading.Lock()
        self.dead_programs: list[int] = []
        self.programs: dict[Any, Any] = {}
        """Cache of the eager executor: key of an op -> compiled program."""

    def epsilon(self) -> float:
        """Return a small number that tensors of this backend do not round to zero.

        Added to x, it keeps `log(x)` finite if x is 0.

        Returns:
            A float: 1e-7, or 1e-4 if tensors are stored as float16.
        """
        return 1e-4 if self.stores_float16 else 1e-7

    def retire(self, why: str) -> None:
        """Close the backend permanently.

        Args:
            why: Error message for later reads of tensors that only this backend held.
        """
        self.gone = why
        self.close()

    def discard(self, slot: int, nbytes: int) -> None:
        """Record a slot that is no longer in use.

        Args:
            slot: The slot.
            nbytes: Number of its bytes.
        """
        self.garbage.append(slot)
        self.garbage_bytes += nbytes + SLOT_BYTES
        self.collect_due = self.garbage_bytes > MAX_GARBAGE

    def collect(self) -> None:
        """Free the slots of dead tensors and release the programs of dead functions."""
        with held:
            if not self._collecting.acquire(blocking=False):
                return  # another thread collects, or this call comes from the collection itself
            try:
                if self.garbage:
                    slots = self.garbage[:]
                    del self.garbage[: len(slots)]  # more slots may have been appended
                    self.garbage_bytes, self.collect_due = 0, False
                    self.free(slots)
                while self.dead_programs:
                    self.release(self.dead_programs.pop())
            finally:
                self._collecting.release()
