"""What backends take and give: records, and protocols of what only some of them have."""

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
"""The part of an array: for each axis where it starts and where it ends."""


class Code(Protocol):
    """What the executor asks of a Program, and of what a backend runs in place of one."""

    inputs: list[int]
    """Its own numbers of what it takes."""
    donations: dict[int, int]
    """An output -> the input over whose bytes it is written when that is donated."""


class Compiled(NamedTuple):
    """A Graph, and the Program of it where the backend runs Programs."""

    graph: Graph
    program: Program | None
    code: Code | None = None
    """What a backend has that runs something else."""

    @property
    def made(self) -> Code | None:
        """What is run; None where that is the Graph."""
        return self.code if self.program is None else self.program


class Links(NamedTuple):
    """How runs of a program follow one another, each on what the one before gave."""

    outputs: int
    """How many it has."""
    carried: list[tuple[int, int, bool]]
    """An input, the output that is its next value, and whether that is donated."""
    given: list[int]
    """The inputs that each run gets anew; the others stay."""


class KernelTime(NamedTuple):
    """A run of a kernel."""

    name: str
    ms: float
    began: float | None
    """In milliseconds, by a clock of the device's own; None where it has none."""


class KernelTimes(NamedTuple):
    """What a device says of how long its kernels took."""

    kernels: list[KernelTime] | None
    """Each kernel that ran, in their order; None where that cannot be said."""
    reason: str
    """Why not."""


class Look(NamedTuple):
    """How an image is drawn on a canvas."""

    height: int
    width: int
    channels: int
    alpha: int
    """From 0 to 255, where the image has none."""
    kind: str
    """Of the context that a canvas is given if it has none, "webgpu" or "2d"..."""
    attributes: Mapping[str, Any]
    """... and that context's attributes."""


class SlotShard(NamedTuple):
    """What a process holds of a slot: part of it, or all."""

    ranges: Ranges
    read: Callable[[], Array]
    """Waits for its values."""
    first: bool
    """Whether no process of a lower number holds the same."""


class SlicedRun(Protocol):
    """A run of a program in slices, between which anything else may run.

    It reads the slots as they were when it began, whoever frees them meanwhile.
    """

    def go_on(self, seconds: float) -> int:
        """Runs a step, and more that end in time; then the first output, 0 until the last one."""
        ...

    def drop(self) -> None:
        """Ends it, if it has not ended, without outputs."""
        ...


class Sharing(Protocol):
    """What a backend has whose slots are buffers of a GPUDevice."""

    gpu: Any
    """The GPUDevice."""

    def borrow(self, buffer: Any, count: int, dtype: str) -> int:
        """A new slot over a GPUBuffer of the page's, which is neither written to nor destroyed."""
        ...

    async def lend(self, slot: int) -> Any:
        """A slot's GPUBuffer, when all that computes it is submitted; good as long as the slot."""
        ...


class Sharder(Protocol):
    """What a backend has whose slots may lie on several devices."""

    def place(self, slot: int, aval: Aval, sharding: Sharding) -> int:
        """A new slot with a slot's elements, sharded."""
        ...

    def upload(self, array: Array, sharding: Sharding) -> int:
        """A new slot with an array's elements, of which each device gets its own."""
        ...

    def sharding(self, slot: int, aval: Aval) -> Sharding | None:
        """How the elements of a slot, which are seen as ``aval``, lie on a mesh; None when they
        lie on none."""
        ...

    def is_sharded(self, slot: int, aval: Aval, sharding: Sharding) -> bool:
        """Whether they lie so already."""
        ...

    def parts(self, slot: int, aval: Aval, sharding: Sharding) -> list[Array]:
        """What each device of a mesh, as far as they are this process's, has of a slot that is
        sharded so, in the mesh's order."""
        ...

    def join(self, parts: Sequence[Array], aval: Aval, sharding: Sharding) -> int:
        """A new slot of which each device of a mesh has such a part: undoes :meth:`parts`."""
        ...

    def on(self, mesh: DeviceMesh) -> AbstractContextManager[Any]:
        """In it, what programs compute of nothing that is sharded is on each device of a mesh."""
        ...
