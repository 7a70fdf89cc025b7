"""The jax backend: slots are JAX's arrays, a program is one jitted function."""

from __future__ import annotations

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
from tfpy._src.runtime.array_backend import ArrayBackend
from tfpy._src.runtime.backend import Compiled
from tfpy._src.runtime.exhaustion import exhausted

_FEW_BYTES = 1024
"""Arrays up to this stay NumPy's until a program makes others of them: JAX takes such as they are,
and to put one on a device takes as long as a program."""

_EXHAUSTED = "RESOURCE_EXHAUSTED"


class JaxBackend(ArrayBackend):
    """Arrays on JAX's default device; programs run one after the other, asynchronously."""

    name = "jax"
    dtypes = DTYPES
    runs_control = True

    def __init__(self) -> None:
        super().__init__()
        self.device = jax.devices()[0]
        self.variant = f"jax-{self.device.platform}"
        self.processor = self.device.platform.upper()

    def takes(self, op: Op, avals: Iterable[Aval]) -> bool:
        return super().takes(op, [aval for aval in avals if aval.dtype != variant])

    def upload(self, array: Array) -> int:
        few = array.nbytes <= _FEW_BYTES
        return self._kept([array if few else jax.device_put(array, may_alias=False)])

    def read(self, slot: int, aval: Aval) -> Array:
        try:
            return np.array(self._arrays[slot]).reshape(aval.shape)
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None

    def place(self, slot: int, aval: Aval, sharding: jax.sharding.Sharding) -> int:
        """A new slot with a slot's elements, spread over devices: there programs compute with it.

        Args:
            aval: how the slot's elements are seen, as for :meth:`read`: its array may have another
                shape.
        """
        try:
            array = self._arrays[slot].reshape(aval.shape)
            return self._kept([jax.device_put(array, sharding, may_alias=False)])
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None

    def sharding(self, slot: int) -> jax.sharding.Sharding | None:
        """How a slot's array lies on devices; None while it is the host's."""
        array = self._arrays[slot]
        return None if isinstance(array, np.ndarray) else array.sharding

    def lower(self, graph: Graph, donated: Collection[int] = ()) -> Compiled:
        check(graph)
        made = JaxProgram(graph, donated)
        if has_control(graph):
            made.trace()
        return Compiled(graph, None, made)

    def register(self, compiled: Compiled) -> int:
        assert isinstance(compiled.code, JaxProgram)
        return self._entered(compiled.code)

    def run(self, program: int, *slots: int) -> int:
        found, arrays = self._programs[program], self._arrays
        try:
            if min(slots, default=0) >= 0:
                outputs = found.plain(*[arrays[slot] for slot in slots])
            else:
                outputs = self._run_donating(found, slots)
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None
        return self._kept(outputs)

    def _run_donating(self, program: JaxProgram, slots: Sequence[int]) -> list[Any]:
        """Slots with a minus sign are gone after it."""
        arrays = [self._arrays[abs(slot)] for slot in slots]
        donated = [
            i for i, slot in enumerate(slots) if slot < 0 and arrays[i].shape == program.shapes[i]
        ]
        function = program.donating(tuple(donated)) if donated else program.plain
        outputs: list[Any] = function(*arrays)
        for slot in slots:
            if slot < 0:
                del self._arrays[-slot]
        return outputs

    async def finish(self) -> None:
        jax.block_until_ready(list(self._arrays.values()))


def _error(failure: Exception) -> OpError:
    """What JAX raises as TensorFlow's error."""
    text = str(failure)
    if text.startswith(_EXHAUSTED):
        return exhausted(None, text)
    return InternalError(None, None, text)
