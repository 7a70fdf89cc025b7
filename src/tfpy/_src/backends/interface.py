"""Records and protocols of the backend interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.sharding import DeviceMesh, Sharding
from tfpy._src.compiler.lower.program import Program

Progress = Callable[[int, int], None]
Ranges = tuple[tuple[int, int], ...]
"""Part of an array: start and end on each axis."""


class Code(Protocol):
    """The attributes of a Program, or of its substitute, that the executor uses."""

    inputs: list[int]
    """Numbers of the inputs, in the code's own numbering."""
    donations: dict[int, int]
    """Output -> the input that it overwrites if that input is donated."""


class Compiled(NamedTuple):
    """A Graph, with its Program if the backend runs Programs."""

    graph: Graph
    program: Program | None
    code: Code | None = None
    """Code of a backend that does not run Programs."""

    @property
    def made(self) -> Code | None:
        """The code that runs; None if the backend runs the Graph itself."""
        return self.code if self.program is None else self.program


class Links(NamedTuple):
    """The connections between repeated runs of a program."""

    outputs: int
    """Number of outputs."""
    carried: list[tuple[int, int, bool]]
    """Input, the output that is its next value, and True if the input is donated."""
    given: list[int]
    """Inputs that each run receives; the other inputs stay the same."""


class KernelTime(NamedTuple):
    """A run of a kernel."""

    name: str
    ms: float
    began: float | None
    """Start in milliseconds of the device's clock; None if the device does not report it."""


class KernelTimes(NamedTuple):
    """The kernel times that a device reports."""

    kernels: list[KernelTime] | None
    """Runs of kernels in order; None if the times are not available."""
    reason: str
    """Reason why the times are not available."""


class Look(NamedTuple):
    """The format in which an image is drawn on a canvas."""

    height: int
    width: int
    channels: int
    alpha: int
    """Opacity from 0 to 255 for an image without alpha."""
    kind: str
    """Kind of context for a canvas that has none, such as "webgpu" or "2d"."""
    attributes: Mapping[str, Any]
    """Attributes of that context."""


class SlotShard(NamedTuple):
    """The part of a slot that a process holds."""

    ranges: Ranges
    read: Callable[[], Array]
    """Function that waits for the values and returns them."""
    first: bool
    """True if no process with a lower number holds the same part."""


class SlicedRun(Protocol):
    """A run of a program in slices. Other code may run between slices.

    The run reads the slots as they were when it began, even if they are freed in the meantime.
    """

    def go_on(self, seconds: float) -> int:
        """Run at least one step, and more that end within `seconds`.

        Returns:
            The first output after the last step, otherwise 0.
        """
        ...

    def drop(self) -> None:
        """End the run without outputs, if it has not ended."""
        ...


class Sharing(Protocol):
    """The functions that share slots with the page, for slots that are buffers of a GPUDevice."""

    gpu: Any
    """The GPUDevice."""

    def borrow(self, buffer: Any, count: int, dtype: str) -> int:
        """Return a new slot over a GPUBuffer of the page. It is neither modified nor destroyed."""
        ...

    async def lend(self, slot: int) -> Any:
        """Return a slot's GPUBuffer, after submitting its computation, for the slot's lifetime."""
        ...


class Sharder(Protocol):
    """The functions of a backend with slots on several devices."""

    def place(self, slot: int, aval: Aval, sharding: Sharding) -> int:
        """Return a new sharded slot with a slot's elements."""
        ...

    def upload(self, array: Array, sharding: Sharding) -> int:
        """Return a new sharded slot with an array's elements."""
        ...

    def sharding(self, slot: int, aval: Aval) -> Sharding | None:
        """Return the sharding of a slot's elements, viewed as `aval`; None if they have no mesh."""
        ...

    def is_sharded(self, slot: int, aval: Aval, sharding: Sharding) -> bool:
        """Return True if the slot already has the sharding."""
        ...

    def parts(self, slot: int, aval: Aval, sharding: Sharding) -> list[Array]:
        """Return the parts of a sharded slot on this process's devices, in mesh order."""
        ...

    def join(self, parts: Sequence[Array], aval: Aval, sharding: Sharding) -> int:
        """Return a new slot from one part for each device of a mesh: the inverse of `parts`."""
        ...

    def on(self, mesh: DeviceMesh) -> AbstractContextManager[Any]:
        """Return a context in which results without sharded operands are on all devices."""
        ...
