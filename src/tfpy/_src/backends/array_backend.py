"""Base of backends that store slots as arrays of this process: NumPy or JAX arrays."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from tfpy._src.backends.backend import Backend


class ArrayBackend(Backend):
    """A backend that stores arrays and programs in dicts by number."""

    def __init__(self) -> None:
        super().__init__()
        self._arrays: dict[int, Any] = {}
        self._programs: dict[int, Any] = {}
        self._next = 1
        self._numbering = threading.Lock()
        self._next_program = count(1).__next__

    def _kept(self, arrays: Sequence[Any]) -> int:
        """Assign consecutive slots to arrays and return the first slot."""
        with self._numbering:
            first = self._next
            self._next = first + len(arrays)
        if len(arrays) == 1:  # the usual case
            self._arrays[first] = arrays[0]
        else:
            self._arrays.update(enumerate(arrays, first))
        return first

    def _entered(self, program: Any) -> int:
        """Return the number of a new program."""
        number = self._next_program()
        self._programs[number] = program
        return number

    def discard(self, slot: int, nbytes: int) -> None:
        """Free the slot immediately, so that the next run can use its bytes."""
        self._arrays.pop(slot, None)  # a closed backend has no arrays left

    def free(self, slots: Iterable[int]) -> None:
        for slot in slots:
            del self._arrays[slot]

    def release(self, program: int) -> None:
        del self._programs[program]

    def memory(self) -> dict[str, Any]:
        return {
            "slots": len(self._arrays),
            "bytes": sum(array.nbytes for array in list(self._arrays.values())),
        }

    def close(self) -> None:
        self._arrays.clear()
        self._programs.clear()
