"""The interface of a backend: ten methods on integer slots, without op semantics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tfpy._src.backends.bookkeeping import Bookkeeping
from tfpy._src.backends.interface import Compiled
from tfpy._src.base.dtypes import ROUNDED, DType, int8
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import UNSUPPORTED, Op
from tfpy._src.compiler.lower.target import NumpyTarget, Target


class BackendSkipped(Exception):
    """A factory could open its backend, but should not. The message contains the reason."""


class Backend(Bookkeeping, ABC):
    """A device that stores arrays in slots and runs compiled Graphs on them.

    Slots and programs are positive integers. Abilities that only some backends have are separate
    interfaces, which such a backend inherits in addition to this one: see `abilities.py` and
    `devices.py`.
    """

    name: str
    variant: str
    on_host = False
    """True if slots are arrays of the host, so that reading them is free."""
    processor = "CPU"
    """Kind of device: "CPU", "GPU" or "TPU"."""
    dtypes: frozenset[DType]
    """Dtypes that the backend stores."""
    splits_complex = False
    """True if a complex tensor takes two slots, for real and imaginary parts."""
    runs_control = False
    """True if programs may contain conditionals, loops and lists."""
    target: Target = NumpyTarget()
    """Kernels of the device, for fusion passes."""
    few = 0
    """Size below which NumPy computes an eager op if the host has the operands.

    All operands and the result must have fewer elements. On a GPU this is faster than a dispatch.
    """
    remark = ""
    """Reason that `tf.backend_report()` shows while the backend is open."""

    @abstractmethod
    def upload(self, array: Array) -> int:
        """Copy a contiguous array to a new slot."""

    @abstractmethod
    def read(self, slot: int, aval: Aval) -> Array:
        """Wait for the slot's value and copy it to a new array."""

    @abstractmethod
    def free(self, slots: Sequence[int]) -> None:
        """Free slots."""

    def takes(self, op: Op, avals: Iterable[Aval]) -> bool:
        """Return True if the backend computes an op on values of these dtypes.

        The shapes are not considered: `lower` may still reject some.
        """
        if op.name in UNSUPPORTED.get(self.name, {}):
            return False
        stored = self.dtypes - ROUNDED if op.by_bits else self.dtypes
        if op.reads_bytes:
            stored = stored | {int8}
        return all(aval.dtype in stored for aval in avals)

    @abstractmethod
    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        """Compile a Graph to the code that the backend runs.

        Args:
            donated: Positions of inputs that runs may pass as donated slots. The `donations` of the
                Program contain those that are used.
            spent: True if nothing reads donated inputs after a run that failed, so that the run may
                leave them changed.

        Raises:
            NotLowerable: If the backend cannot run the Graph.
        """

    @abstractmethod
    def register(self, compiled: Compiled) -> int:
        """Make a program and return its id."""

    @abstractmethod
    def run(self, program: int, *slots: int) -> int:
        """Run a program. Its outputs are the returned slot and the following ones.

        A negative slot is donated: after the run the slot no longer exists, and an output may take
        its place. A run that fails leaves it unchanged, unless the program was lowered with
        `spent`.
        """

    @abstractmethod
    def release(self, program: int) -> None:
        """Delete a program."""

    @abstractmethod
    def memory(self) -> dict[str, Any]:
        """Return at least the `slots` and `bytes` in use."""

    @abstractmethod
    async def finish(self) -> None:
        """Return when all submitted work is done."""

    @abstractmethod
    def close(self) -> None:
        """Free everything. The backend is not used afterwards."""
