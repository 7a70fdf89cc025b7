"""The NumPy backend: slots are arrays, programs are Graphs, running is evaluating."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Generator, Sequence
from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.errors import ResourceExhaustedError
from tfpy._src.ir.aval import Array, Aval
from tfpy._src.ir.evaluate import Evaluator
from tfpy._src.ir.graph import Graph
from tfpy._src.ir.kernels import KERNELS
from tfpy._src.ir.op import add_backend
from tfpy._src.runtime.backend import Backend, Compiled, KernelTime, KernelTimes, SlicedRun
from tfpy._src.runtime.exhaustion import advise, too_large


class CpuBackend(Backend):
    name = "cpu"
    variant = "numpy"
    on_host = True
    dtypes = frozenset(dtypes.ALL)

    def __init__(self) -> None:
        super().__init__()
        self._arrays: dict[int, Array] = {}
        self._programs: dict[int, tuple[Graph, Evaluator]] = {}
        self._next = 1
        self._numbering = threading.Lock()
        self._times: list[tuple[str, float]] | None = None  # of equations, while they are timed

    def upload(self, array: Array) -> int:
        slot = self._take(1)
        self._arrays[slot] = array
        return slot

    def _take(self, count: int) -> int:
        """The first of so many new numbers in a row."""
        with self._numbering:
            first, self._next = self._next, self._next + count
        return first

    def read(self, slot: int, aval: Aval) -> Array:
        return self._arrays[slot].copy()

    async def read_async(self, slot: int, aval: Aval) -> Array:
        return self.read(slot, aval)

    def free(self, slots: Sequence[int]) -> None:
        for slot in slots:
            del self._arrays[slot]

    def lower(self, graph: Graph, donated: Collection[int] = ()) -> Compiled:
        for eqn in graph.eqns:
            for value in eqn.outputs:
                if graph.avals[value].nbytes > sys.maxsize:
                    raise too_large(eqn.op.name, graph.avals[value], sys.maxsize, self)
        return Compiled(graph, None)

    def register(self, compiled: Compiled) -> int:
        program = self._take(1)
        self._programs[program] = (
            compiled.graph,
            Evaluator(compiled.graph, KERNELS.get(self.name, {})),
        )
        return program

    def run(self, program: int, *slots: int) -> int:
        graph, evaluator = self._programs[program]
        arrays = self._given(graph, slots)
        try:
            outputs = evaluator(arrays, self._times)
        except ResourceExhaustedError as error:
            advise(error)
            raise
        return self._kept(outputs)

    def begin(self, program: int, *slots: int) -> SlicedRun:
        graph, evaluator = self._programs[program]
        return _SlicedRun(evaluator.slices(self._given(graph, slots), self._times), self._kept)

    def _given(self, graph: Graph, slots: Sequence[int]) -> list[Array]:
        shapes = (graph.avals[i].shape for i in graph.inputs)
        return [self._arrays[s].reshape(n) for s, n in zip(slots, shapes, strict=True)]

    def _kept(self, outputs: Sequence[Array]) -> int:
        """The slot of the first of some arrays; the others follow."""
        first = self._take(len(outputs))
        self._arrays.update((first + i, np.asarray(a)) for i, a in enumerate(outputs))
        return first

    def release(self, program: int) -> None:
        del self._programs[program]

    def memory(self) -> dict[str, Any]:
        return {
            "slots": len(self._arrays),
            "bytes": sum(a.nbytes for a in self._arrays.values()),
        }

    async def finish(self) -> None:
        return None

    def start_timing(self) -> None:
        self._times = []

    def stop_timing(self) -> KernelTimes:
        times, self._times = self._times or [], None
        return KernelTimes([KernelTime(name, ms, None) for name, ms in times], "")

    def close(self) -> None:
        self._arrays.clear()
        self._programs.clear()


class _SlicedRun:
    """A run in slices.

    Args:
        keep: gives arrays slots, and returns the first.
    """

    def __init__(
        self, slices: Generator[None, float, list[Array]], keep: Callable[[list[Array]], int]
    ) -> None:
        self._slices = slices
        self._keep = keep
        next(slices)

    def go_on(self, seconds: float) -> int:
        try:
            self._slices.send(seconds)
        except StopIteration as ended:
            return self._keep(ended.value)
        return 0

    def drop(self) -> None:
        self._slices.close()


add_backend(CpuBackend.name, lambda op: "")
