"""The NumPy backend: slots are arrays, programs are Graphs, running is evaluating."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count
from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.ir.aval import Array, Aval
from tfpy._src.ir.evaluate import Evaluator
from tfpy._src.ir.graph import Graph
from tfpy._src.ir.op import add_backend
from tfpy._src.runtime.backend import Backend, Compiled


class CpuBackend(Backend):
    name = "cpu"
    variant = "numpy"
    on_host = True
    dtypes = frozenset(dtypes.ALL)

    def __init__(self) -> None:
        super().__init__()
        self._arrays: dict[int, Array] = {}
        self._programs: dict[int, tuple[Graph, Evaluator]] = {}
        self._ids = count(1)

    def upload(self, array: Array) -> int:
        slot = next(self._ids)
        self._arrays[slot] = array
        return slot

    def read(self, slot: int, aval: Aval) -> Array:
        return self._arrays[slot].copy()

    async def read_async(self, slot: int, aval: Aval) -> Array:
        return self.read(slot, aval)

    def free(self, slots: Sequence[int]) -> None:
        for slot in slots:
            del self._arrays[slot]

    def lower(self, graph: Graph, donated: Collection[int] = ()) -> Compiled:
        return Compiled(graph, None)

    def register(self, compiled: Compiled) -> int:
        program = next(self._ids)
        self._programs[program] = compiled.graph, Evaluator(compiled.graph)
        return program

    def run(self, program: int, *slots: int) -> int:
        graph, evaluator = self._programs[program]
        shapes = (graph.avals[i].shape for i in graph.inputs)
        arrays = [self._arrays[s].reshape(n) for s, n in zip(slots, shapes, strict=True)]
        outputs = evaluator(arrays)
        slots_out = [self.upload(np.asarray(a)) for a in outputs]
        return slots_out[0]

    def release(self, program: int) -> None:
        del self._programs[program]

    def memory(self) -> dict[str, Any]:
        return {
            "slots": len(self._arrays),
            "bytes": sum(a.nbytes for a in self._arrays.values()),
        }

    async def finish(self) -> None:
        return None

    def close(self) -> None:
        self._arrays.clear()
        self._programs.clear()


add_backend(CpuBackend.name, lambda op: "")
