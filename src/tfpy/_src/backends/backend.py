"""What a backend is: ten-odd methods on integer slots, and no op semantics."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tfpy._src.backends.interface import (
    Compiled,
    KernelTimes,
    Links,
    Look,
    Progress,
    Ranges,
    Sharder,
    Sharing,
    SlicedRun,
    SlotShard,
)
from tfpy._src.backends.interrupts import held
from tfpy._src.base.dtypes import ROUNDED, DType
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import UNSUPPORTED, Op
from tfpy._src.compiler.lower.target import NumpyTarget, Target

_SLOT_BYTES = 1024  # what a slot counts for besides its bytes
_MAX_GARBAGE = 64 * _SLOT_BYTES  # bytes of discarded slots from which they are worth a call


class BackendSkipped(Exception):
    """Raised by a factory that could open its backend but should not; the text says why."""


class Backend(ABC):
    """A device that stores arrays in slots and runs compiled Graphs on them.

    Slots and programs are positive integers. Finalisers, which must not cross to the device,
    :meth:`discard` slots; when these are worth a call, :attr:`collect_due` is set, and who runs
    something next calls :meth:`collect` first. It gives back :attr:`dead_programs`, too.
    """

    name: str
    variant: str
    on_host = False
    """Whether its slots are arrays of the host, so that reading them costs nothing."""
    processor = "CPU"
    """What computes: "CPU", "GPU" or "TPU"."""
    dtypes: frozenset[DType]
    """Element types that the backend stores."""
    runs_control = False
    """Whether its programs may hold conditionals, loops and lists."""
    target: Target = NumpyTarget()
    """What fusion passes ask before they give its kernels more to do."""
    run: Callable[..., int]
    """(program, *slots): runs a program; its outputs are the returned slot and those that follow.

    A slot with a minus sign is donated: after the run there is no such slot, and an output may
    lie in its place. A run that fails leaves it as it was.
    """

    repeat: Callable[..., int]
    """(program, count, *slots): runs a program, which :meth:`link` has taken, so many times.

    The slots are the inputs of the first run, then of each other one those given anew; the outputs
    are the last run's. If a later run fails, the failure's ``first`` is the first output of the
    one before.
    """

    few = 0
    """An eager op whose operands the host has is computed there, by NumPy, when they and its result
    have fewer elements than this: on a GPU that takes less than a dispatch."""
    sharder: Sharder | None = None
    """What shards slots over several devices, where there may be several."""
    stores_float16 = False
    """Whether what is computed as float32 is stored as float16."""

    remark = ""
    """What ``tf.backend_report()`` says of it while it is open."""

    gone = ""
    """Why nothing of it can be had any more, once it is closed."""

    def __init__(self) -> None:
        self.garbage: list[int] = []
        self.garbage_bytes = 0
        self.collect_due = False
        self._collecting = threading.Lock()
        self.dead_programs: list[int] = []
        self.programs: dict[Any, Any] = {}
        """Cache of the eager executor: key of an op -> compiled program."""

    def epsilon(self) -> float:
        """A small number, which stays one in tensors of this backend: log(x + epsilon) is never
        log(0)."""
        return 1e-4 if self.stores_float16 else 1e-7

    @abstractmethod
    def upload(self, array: Array) -> int:
        """Copies a contiguous array to a new slot."""

    @abstractmethod
    def read(self, slot: int, aval: Aval) -> Array:
        """Waits for the slot's value and copies it to a new array."""

    @property
    def reads_at_once(self) -> bool:
        """Whether :meth:`read` can be called here; some must wait for the browser."""
        return True

    @abstractmethod
    async def read_async(self, slot: int, aval: Aval) -> Array:
        """The same without blocking the page."""

    @property
    def process(self) -> int:
        """The number of this process among those that compute together."""
        return 0

    @property
    def processes(self) -> int:
        """How many of these there are."""
        return 1

    def agree(self, text: str) -> list[str]:
        """Waits until all processes have come here; the text that each of them gave.

        Raises:
            tf.errors.UnavailableError: when one of them is gone; it is named.
        """
        return [text]

    def shards(self, slot: int, aval: Aval) -> list[SlotShard]:
        """What this process holds of a slot, each part once."""
        everything = tuple((0, size) for size in aval.shape)
        return [SlotShard(everything, lambda: self.read(slot, aval), first=True)]

    def refill(self, slot: int, aval: Aval, read: Callable[[Ranges], Array]) -> int | None:
        """A new slot for other values, which lies on several devices as a slot does.

        Args:
            read: gives part of the values.

        Returns:
            None where that slot lies on one device.
        """
        return None

    @abstractmethod
    def free(self, slots: Sequence[int]) -> None:
        """Gives slots back."""

    @abstractmethod
    def lower(self, graph: Graph, donated: Collection[int] = ()) -> Compiled:
        """What the backend runs for a Graph.

        Args:
            donated: positions of inputs that a run may be given as donated slots; the Program's
                ``donations`` say which of them are of use.

        Raises:
            NotLowerable: when the backend cannot run it.
        """

    @abstractmethod
    def register(self, compiled: Compiled) -> int:
        """Makes a program and returns its id."""

    async def register_async(self, compiled: Compiled, progress: Progress) -> int:
        """The same without freezing the page where it takes long.

        Args:
            progress: called with how many parts (shaders) are done, and of how many.
        """
        program = self.register(compiled)
        progress(1, 1)
        return program

    def takes(self, op: Op, avals: Iterable[Aval]) -> bool:
        """Whether the backend computes an op on values of these types, as far as is known of all
        shapes; :meth:`lower` may still refuse some."""
        if op.name in UNSUPPORTED.get(self.name, {}):
            return False
        stored = self.dtypes - ROUNDED if op.by_bits else self.dtypes
        return all(aval.dtype in stored for aval in avals)

    def compile(self, graph: Graph) -> int:
        """The id of a new program for a Graph.

        Raises:
            NotLowerable: when the backend cannot run it.
        """
        return self.register(self.lower(graph))

    def slots_of(self, aval: Aval) -> int:
        """How many slots a tensor takes."""
        return 1

    def begin(self, program: int, *slots: int) -> SlicedRun | None:
        """Begins a run in slices, with nothing donated.

        None where runs take the thread only as long as it takes to submit them, or are made whole.
        """
        return None

    def link(self, program: int, links: Links) -> bool:
        """Says how runs of a program follow one another; whether :meth:`repeat` can do them."""
        return False

    @abstractmethod
    def release(self, program: int) -> None:
        """Forgets a program."""

    @abstractmethod
    def memory(self) -> dict[str, Any]:
        """At least ``slots`` and ``bytes`` in use."""

    @abstractmethod
    async def finish(self) -> None:
        """Returns when all submitted work is done."""

    def picture(self, source: Any, shape: tuple[int, int, int]) -> int:
        """A new int32 slot ``[height, width, channels]`` with the levels of a picture of the page;
        0 where that is not to be had without the CPU."""
        return 0

    @property
    def draws(self) -> bool:
        """Whether there is :meth:`draw`."""
        return False

    def draw(self, slot: int, canvas: Any, look: Look) -> bool:
        """Gives a canvas the size of an image ``[height, width, channels]`` and draws it without
        the CPU; False where the device cannot draw on it."""
        return False

    def sharing(self) -> Sharing:
        """What shares its buffers with the page.

        Raises:
            UnimplementedError: when its slots are no buffers of a GPUDevice.
        """
        mend = 'await tf.set_backend_async("webgpu") opens one that does, where there is a GPU'
        text = f"the {self.name} backend shares no buffers of a GPU; {mend}"
        raise UnimplementedError(None, None, text)

    def start_timing(self) -> None:
        """Times kernels from now on, which costs time itself."""
        return None

    def stop_timing(self) -> KernelTimes | Coroutine[Any, Any, KernelTimes]:
        """The times of the kernels since then; to be awaited where these may still run."""
        return KernelTimes(None, f"kernels on {self.name} are not timed one by one")

    # Its devices, where it has several

    @property
    def has_computed(self) -> bool:
        """Whether it is too late to say how its devices are used."""
        return True

    def devices(self) -> tuple[str, ...]:
        """The names of the devices that it computes on, in this process."""
        return (f"{self.processor.lower()}:0",)

    def device_number(self, slot: int) -> int:
        """On which of them a slot is, the first of several."""
        return 0

    def computing_on(self, device: str) -> AbstractContextManager[Any]:
        """What is computed in the context is computed there."""
        return nullcontext()

    def prefer(self, number: int) -> None:
        """What nothing says more of is computed on this device from now on."""
        return None

    def share_out(self, count: int) -> None:
        """Lets the CPU be so many devices."""
        return None

    def grow(self, enable: bool) -> None:
        """Says whether memory of a GPU is taken as it is needed."""
        return None

    def device_memory(self, device: str) -> dict[str, int] | None:
        """Bytes in use there, ``current`` and ``peak``; None where it does not say."""
        return None

    def device_details(self, device: str) -> dict[str, Any]:
        """What kind of GPU or TPU it is, as far as it says."""
        return {}

    def round_products(self, enable: bool) -> None:
        """Whether products of float32 may be made of shorter numbers, where that is faster."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Frees everything; the backend is not used afterwards."""

    def rescue(self, slot: int, aval: Aval) -> Array | None:
        """The values of a slot, though the device is gone; None where it alone had them."""
        return None

    def lost(self) -> str:
        """Why it is of no use any more, though nobody has closed it; empty while it is."""
        return ""

    def retire(self, why: str) -> None:
        """Closes it for good; tensors that are only there say why they are lost."""
        self.gone = why
        self.close()

    def discard(self, slot: int, nbytes: int) -> None:
        """Notes a slot that nothing uses any more."""
        self.garbage.append(slot)
        self.garbage_bytes += nbytes + _SLOT_BYTES
        self.collect_due = self.garbage_bytes > _MAX_GARBAGE

    def collect(self) -> None:
        """Gives the slots of dead tensors and the programs of dead functions back."""
        with held:
            if not self._collecting.acquire(blocking=False):
                return  # another thread does it, or what is freed here frees more
            try:
                if self.garbage:
                    slots = self.garbage[:]
                    del self.garbage[: len(slots)]  # others may have come behind them
                    self.garbage_bytes, self.collect_due = 0, False
                    self.free(slots)
                while self.dead_programs:
                    self.release(self.dead_programs.pop())
            finally:
                self._collecting.release()
