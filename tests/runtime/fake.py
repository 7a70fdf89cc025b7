"""NumPy backends that behave like devices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.abilities import Losable, RepeatedRuns
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.backends.interface import Compiled, Links
from tfpy._src.base.dtypes import DEVICE_DTYPES
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core import scalar_cache


class DeviceFailure(Exception):
    """An error of a runtime, with the name and text of TensorFlow's error."""

    name = "ResourceExhaustedError"
    message = "no memory is left"
    first: int


class FakeDevice(CpuBackend, RepeatedRuns, Losable):
    """A backend that stores only device dtypes, rejects some ops, and counts calls."""

    name = "fake"
    variant = "numpy in disguise"
    on_host = False
    dtypes = DEVICE_DTYPES

    def __init__(self, refuses: Sequence[str] = ()) -> None:
        super().__init__()
        self.refuses = refuses
        self.compiled: list[str] = []
        self.runs = 0
        self.uploads = 0
        self.reads = 0
        self.repeats = 0
        self.links: dict[int, Links] = {}
        self.freed: list[list[int]] = []
        self.released: list[int] = []
        self.closed = False
        self.loss = ""

    def upload(self, array: Any) -> int:
        self.uploads += 1
        return super().upload(array)

    def read(self, slot: int, aval: Aval) -> Array:
        self.reads += 1
        return super().read(slot, aval)

    def discard(self, slot: int, nbytes: int) -> None:
        Backend.discard(self, slot, nbytes)  # asynchronous, as behind the bridge

    def free(self, slots: Sequence[int]) -> None:
        self.freed.append(list(slots))
        super().free(slots)

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        for eqn in graph.eqns:
            if eqn.op.name in self.refuses:
                raise NotLowerable(f"no {eqn.op.name} here")
            self.compiled.append(eqn.op.name)
        return super().lower(graph, donated, spent)

    def run(self, program: int, *slots: int) -> int:
        self.runs += 1
        return super().run(program, *slots)

    def link(self, program: int, links: Links) -> bool:
        self.links[program] = links
        return True

    def repeat(self, program: int, count: int, *slots: int) -> int:
        """Do the same as ``web/common/repeats.mjs``."""
        self.repeats += 1
        links = self.links[program]
        start = len(slots) - (count - 1) * len(links.given)
        inputs, anew = list(slots[:start]), iter(slots[start:])
        donated = {output for _, output, is_donated in links.carried if is_donated}
        first = self.run(program, *inputs)
        for _ in range(count - 1):
            for place, output, is_donated in links.carried:
                inputs[place] = -(first + output) if is_donated else first + output
            for place in links.given:
                inputs[place] = next(anew)
            before = first
            try:
                first = self.run(program, *inputs)
            except DeviceFailure as failure:
                failure.first = before
                raise
            self.free([before + i for i in range(links.outputs) if i not in donated])
        return first

    def release(self, program: int) -> None:
        self.released.append(program)
        super().release(program)

    def lost(self) -> str:
        return self.loss

    def rescue(self, slot: int, aval: Aval) -> Array | None:
        return None

    def close(self) -> None:
        self.closed = True
        super().close()


@contextmanager
def active(make: Callable[[], FakeDevice]) -> Iterator[FakeDevice]:
    """Activate an empty fake device, and the cpu backend at the end."""
    scalar_cache.clear_scalars()
    tf.register_backend("fake", make)
    tf.set_backend("fake")
    backend = registry.active_backend()
    assert isinstance(backend, FakeDevice)
    yield backend
    tf.remove_backend("fake")
    tf.set_backend("cpu")
    scalar_cache.clear_scalars()
