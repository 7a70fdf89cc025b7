"""The NumPy backend: slots are arrays, programs are Graphs, and runs evaluate them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator, Sequence

import numpy as np

from tfpy._src.backends.abilities import SlicedRuns, Timed
from tfpy._src.backends.array_backend import ArrayBackend
from tfpy._src.backends.interface import Compiled, KernelTime, KernelTimes, SlicedRun
from tfpy._src.backends.memory_errors import advise, too_large
from tfpy._src.base import dtypes
from tfpy._src.base.errors import ResourceExhaustedError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.evaluate import Evaluator
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.kernels import KERNELS
from tfpy._src.compiler.ir.op import add_backend


class CpuBackend(ArrayBackend, SlicedRuns, Timed):
    """The NumPy backend."""

    name = "cpu"
    variant = "numpy"
    on_host = True
    dtypes = frozenset(dtypes.ALL)

    def __init__(self) -> None:
        super().__init__()
        self._times: list[tuple[str, float]] | None = None  # times of equations during timing

    def upload(self, array: Array) -> int:
        return self._kept([array])

    def read(self, slot: int, aval: Aval) -> Array:
        found: Array = self._arrays[slot].copy()
        return found

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        for eqn in graph.eqns:
            for value in eqn.outputs:
                if graph.avals[value].nbytes > sys.maxsize:
                    raise too_large(eqn.op.name, graph.avals[value], sys.maxsize, self)
        return Compiled(graph, None)

    def register(self, compiled: Compiled) -> int:
        graph = compiled.graph
        return self._entered((graph, Evaluator(graph, KERNELS.get(self.name, {}))))

    def run(self, program: int, *slots: int) -> int:
        graph, evaluator = self._programs[program]
        arrays = self._given(graph, slots)
        try:
            outputs = evaluator(arrays, self._times)
        except ResourceExhaustedError as error:
            advise(error)
            raise
        with self._numbering:  # inlined _kept(), which would be another call
            first = self._next
            self._next = first + len(outputs)
        for slot, array in enumerate(outputs, first):
            self._arrays[slot] = np.asarray(array)  # some outputs are NumPy scalars
        return first

    def begin(self, program: int, *slots: int) -> SlicedRun:
        graph, evaluator = self._programs[program]
        return _SlicedRun(evaluator.slices(self._given(graph, slots), self._times), self._kept)

    def _given(self, graph: Graph, slots: Sequence[int]) -> list[Array]:
        shapes = (graph.avals[i].shape for i in graph.inputs)
        return [self._arrays[s].reshape(n) for s, n in zip(slots, shapes, strict=True)]

    async def finish(self) -> None:
        return None

    def start_timing(self) -> None:
        self._times = []

    def stop_timing(self) -> KernelTimes:
        times, self._times = self._times or [], None
        return KernelTimes([KernelTime(name, ms, None) for name, ms in times], "")


class _SlicedRun:
    """A run in slices.

    Args:
        keep: Function that assigns slots to arrays and returns the first slot.
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
            return self._keep(list(map(np.asarray, ended.value)))
        return 0

    def drop(self) -> None:
        self._slices.close()


add_backend(CpuBackend.name, lambda op: "")
