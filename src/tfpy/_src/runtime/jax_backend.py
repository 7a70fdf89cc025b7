"""The jax backend: slots are JAX's arrays, a program is one jitted function."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from tfpy._src.dtypes import variant
from tfpy._src.errors import InternalError, OpError
from tfpy._src.ir.aval import Array, Aval
from tfpy._src.ir.graph import Graph
from tfpy._src.ir.op import Op
from tfpy._src.lower.jax import JaxProgram
from tfpy._src.lower.jax.lowering import DTYPES, check, has_control
from tfpy._src.runtime.backend import Backend, Compiled
from tfpy._src.runtime.exhaustion import exhausted

_FEW_BYTES = 1024
"""Arrays up to this stay NumPy's until a program makes others of them: JAX takes such as they are,
and to put one on a device takes as long as a program."""

_EXHAUSTED = "RESOURCE_EXHAUSTED"


class JaxBackend(Backend):
    """Arrays on JAX's default device; programs run one after the other, asynchronously."""

    name = "jax"
    dtypes = DTYPES
    runs_control = True

    def __init__(self) -> None:
        super().__init__()
        self.device = jax.devices()[0]
        self.variant = f"jax-{self.device.platform}"
        self.processor = self.device.platform.upper()
        self._arrays: dict[int, Any] = {}
        self._programs: dict[int, JaxProgram] = {}
        self._next = 1
        self._numbering = threading.Lock()

    def _take(self, count: int) -> int:
        """The first of so many new numbers in a row."""
        with self._numbering:
            first, self._next = self._next, self._next + count
        return first

    def takes(self, op: Op, avals: Iterable[Aval]) -> bool:
        return super().takes(op, [aval for aval in avals if aval.dtype != variant])

    def upload(self, array: Array) -> int:
        slot = self._take(1)
        few = array.nbytes <= _FEW_BYTES
        self._arrays[slot] = array if few else jax.device_put(array, may_alias=False)
        return slot

    def read(self, slot: int, aval: Aval) -> Array:
        try:
            return np.array(self._arrays[slot]).reshape(aval.shape)
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None

    async def read_async(self, slot: int, aval: Aval) -> Array:
        return self.read(slot, aval)

    def free(self, slots: Sequence[int]) -> None:
        for slot in slots:
            del self._arrays[slot]

    def lower(self, graph: Graph, donated: Collection[int] = ()) -> Compiled:
        check(graph)
        made = JaxProgram(graph, donated)
        if has_control(graph):
            made.trace()
        return Compiled(graph, None, made)

    def register(self, compiled: Compiled) -> int:
        assert isinstance(compiled.code, JaxProgram)
        number = self._take(1)
        self._programs[number] = compiled.code
        return number

    def run(self, program: int, *slots: int) -> int:
        found, arrays = self._programs[program], self._arrays
        try:
            if min(slots, default=0) >= 0:
                outputs = found.plain(*[arrays[slot] for slot in slots])
            else:
                outputs = self._run_donating(found, slots)
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None
        first = self._take(len(outputs))
        for number, output in enumerate(outputs, first):
            arrays[number] = output
        return first

    def _run_donating(self, program: JaxProgram, slots: Sequence[int]) -> list[Any]:
        """Slots with a minus sign are gone after it."""
        arrays = [self._arrays[abs(slot)] for slot in slots]
        donated = [
            i
            for i, slot in enumerate(slots)
            if slot < 0
            and type(arrays[i]) is not np.ndarray
            and arrays[i].shape == program.shapes[i]
        ]
        function = program.donating(tuple(donated)) if donated else program.plain
        outputs: list[Any] = function(*arrays)
        for slot in slots:
            if slot < 0:
                del self._arrays[-slot]
        return outputs

    def release(self, program: int) -> None:
        del self._programs[program]

    def memory(self) -> dict[str, Any]:
        return {
            "slots": len(self._arrays),
            "bytes": sum(array.nbytes for array in self._arrays.values()),
        }

    async def finish(self) -> None:
        jax.block_until_ready(list(self._arrays.values()))

    def close(self) -> None:
        self._arrays.clear()
        self._programs.clear()


def _error(failure: Exception) -> OpError:
    """What JAX raises as TensorFlow's error."""
    text = str(failure)
    if text.startswith(_EXHAUSTED):
        return exhausted(None, text)
    return InternalError(None, None, text)
