"""Backends of the JavaScript runtime: Graphs are lowered, cross as JSON, and run by number.

A complex tensor takes two consecutive slots, the real part first. Its slot number is the first one.
Only this module handles such pairs.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.backends.abilities import (
    AsyncReads,
    AsyncRegistration,
    Losable,
    Pictured,
    RepeatedRuns,
    SharesBuffers,
    SlicedRuns,
    Timed,
)
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.backends.interface import (
    Compiled,
    KernelTime,
    KernelTimes,
    Links,
    Look,
    Progress,
    Sharing,
    SlicedRun,
)
from tfpy._src.backends.javascript import bridge
from tfpy._src.backends.memory_errors import exhausted, too_large
from tfpy._src.base import dtypes
from tfpy._src.base.errors import InternalError, InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.target import Target

_SHOWN = 12
"""Number of ops that an error lists."""


class DeviceBackend(
    Backend,
    AsyncReads,
    AsyncRegistration,
    SlicedRuns,
    RepeatedRuns,
    Timed,
    Pictured,
    SharesBuffers,
    Losable,
):
    """A backend behind the bridge to JavaScript."""

    splits_complex = True

    refuses_unstorable = False
    """True if values are checked before they are converted to float16."""

    def __init__(
        self,
        name: str,
        device: bridge.Device,
        lower: Callable[[Graph, Collection[int], bool], Program],
        target: Target,
        processor: str = "CPU",
    ) -> None:
        super().__init__()
        self.name = name
        self.processor = processor
        self.target = target
        self.dtypes = frozenset((*target.dtypes, dtypes.complex64))
        self.variant = device.variant
        self._device = device
        vars(self)["run"] = device.run  # replaces the method until a program is complex
        self._lower = lower
        self._pairs: set[int] = set()  # first slots of complex tensors
        self._complex: dict[int, _Complex] = {}  # complex inputs and outputs of programs

    def upload(self, array: Array) -> int:
        if self.refuses_unstorable:
            _check_float16(array)
        if array.dtype.kind != "c":
            return self._device.write(array, dtypes.as_dtype(array.dtype).name)
        first, second = (
            self._device.write(np.ascontiguousarray(component), "float32")
            for component in (array.real, array.imag)
        )
        assert second == first + 1, "slots are numbered in a row"
        self._pairs.add(first)
        return first

    def read(self, slot: int, aval: Aval) -> Array:
        if aval.dtype.is_complex:
            component = Aval(aval.shape, dtypes.float32)
            return _joined(self.read(slot, component), self.read(slot + 1, component))
        out = self._empty(aval)
        self._device.read(slot, out)
        return out

    @property
    def reads_at_once(self) -> bool:
        return self._device.reads_at_once

    @property
    def answers_late(self) -> bool:
        return self._device.must_wait

    async def read_async(self, slot: int, aval: Aval) -> Array:
        if aval.dtype.is_complex:
            component = Aval(aval.shape, dtypes.float32)
            real = await self.read_async(slot, component)
            return _joined(real, await self.read_async(slot + 1, component))
        out = self._empty(aval)
        if self._device.must_wait:
            await self._device.read_async(slot, out)
        else:  # no work is pending on the device
            self._device.read(slot, out)
            await give_turn()
        return out

    def _empty(self, aval: Aval) -> Array:
        """Allocate memory of Python for values that are read."""
        try:
            return np.empty(aval.shape, aval.dtype.as_numpy_dtype)
        except MemoryError as error:
            text = f"Python cannot allocate memory for the values of {aval}: {error}"
            raise exhausted(None, text) from None

    def free(self, slots: Sequence[int]) -> None:
        if self._pairs:
            paired = self._pairs.intersection(slots)
            self._pairs -= paired
            slots = [*slots, *(slot + 1 for slot in paired)]
        self._device.free(list(slots))

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
        limit = self._device.limits["tensorBytes"]
        for eqn in graph.eqns:
            for value in eqn.outputs:
                if graph.avals[value].nbytes > limit:
                    raise too_large(eqn.op.name, graph.avals[value], limit, self)
        if _has_complex(graph):  # the inputs of the Program differ from those of the Graph
            donated = ()
        return Compiled(graph, self._lower(graph, donated, spent))

    def register(self, compiled: Compiled) -> int:
        text, constants = _texts(compiled)
        with self._refusals(compiled.graph):
            number = self._device.register(text, constants)
        self._note_complex(number, compiled.graph)
        return number

    async def register_async(self, compiled: Compiled, progress: Progress) -> int:
        text, constants = _texts(compiled)
        with self._refusals(compiled.graph):
            number = await self._device.register_async(text, constants, progress)
        self._note_complex(number, compiled.graph)
        return number

    @contextmanager
    def _refusals(self, graph: Graph) -> Iterator[None]:
        try:
            yield
        except InternalError as error:
            text = f"{self.name} rejected a program: {error}\n{graph}"
            raise InternalError(None, self.name, text) from error

    def _note_complex(self, number: int, graph: Graph) -> None:
        if _has_complex(graph):
            self._complex[number] = _Complex(graph)
            vars(self).pop("run", None)

    def run(self, program: int, *slots: int) -> int:
        """Run a program. Complex tensors take two slots each."""
        if program not in self._complex:
            return self._device.run(program, *slots)
        split = self._complex[program]
        first = self._device.run(program, *split.expand(slots))
        self._pairs.update(first + offset for offset in split.outputs)
        return first

    def begin(self, program: int, *slots: int) -> SlicedRun | None:
        if self._device.begin is None:
            return None
        split = self._complex.get(program)
        if split is not None:
            slots = tuple(split.expand(slots))
        return _SlicedRun(self, self._device.begin(program, *slots), split)

    def go_on(self, run: int, ms: float, split: _Complex | None) -> int:
        """Continue a run in slices.

        Args:
            split: Complex inputs and outputs of the program; None if there are none.
        """
        first = self._device.go_on(run, ms)
        if first and split is not None:
            self._pairs.update(first + offset for offset in split.outputs)
        return first

    def drop(self, run: int) -> None:
        """End a run in slices without outputs."""
        self._device.drop(run)

    def link(self, program: int, links: Links) -> bool:
        if program in self._complex:
            return False
        self._device.link(program, json.dumps(links._asdict()))
        return True

    def repeat(self, program: int, count: int, *slots: int) -> int:
        return self._device.repeat(program, count, *slots)

    def release(self, program: int) -> None:
        self._complex.pop(program, None)
        self._device.release(program)

    def memory(self) -> dict[str, Any]:
        return self._device.memory()

    async def finish(self) -> None:
        await self._device.finish()

    def picture(self, source: Any, shape: tuple[int, int, int]) -> int:
        return self._device.picture(source, *shape)

    @property
    def draws(self) -> bool:
        return self._device.draws

    def draw(self, slot: int, canvas: Any, look: Look) -> bool:
        return self._device.draw(slot, canvas, json.dumps(look._asdict()))

    @property
    def sharing(self) -> Sharing | None:
        return None if self._device.gpu is None else self._device

    def start_timing(self) -> None:
        self._device.start_timing()

    def stop_timing(self) -> KernelTimes | Coroutine[Any, Any, KernelTimes]:
        found = self._device.stop_timing()
        return _kernel_times(found) if isinstance(found, str) else _awaited_times(found)

    def rescue(self, slot: int, aval: Aval) -> Array | None:
        if aval.dtype.is_complex:
            component = Aval(aval.shape, dtypes.float32)
            real, imag = self.rescue(slot, component), self.rescue(slot + 1, component)
            return None if real is None or imag is None else _joined(real, imag)
        out = self._empty(aval)
        return out if self._device.rescue(slot, out) else None

    def lost(self) -> str:
        return self._device.lost()

    def close(self) -> None:
        self._device.close()


def _check_float16(array: Array) -> None:
    """Raise InvalidArgumentError if a finite value is infinite or zero in float16."""
    if array.dtype.kind not in "fc":
        return
    parts = array.reshape(-1).view(np.float32)
    with np.errstate(over="ignore"):
        stored = parts.astype(np.float16)
    wrong = (np.isfinite(parts) & ~np.isfinite(stored)) | ((parts != 0) & (stored == 0))
    if wrong.any():
        value = float(parts[wrong][0])
        raise InvalidArgumentError(
            None,
            None,
            f"{value:g} cannot be stored on this device: its textures hold float16, from 6e-8 to "
            "65504. Scale the values, or use another backend.",
        )


def _kernel_times(text: str) -> KernelTimes:
    found = json.loads(text)
    kernels, reason = found["kernels"], found["reason"]
    return KernelTimes(kernels and [KernelTime(*kernel) for kernel in kernels], reason)


async def _awaited_times(text: Awaitable[str]) -> KernelTimes:
    return _kernel_times(await text)


def _has_complex(graph: Graph) -> bool:
    return any(a.dtype.is_complex for a in graph.avals)


def _texts(compiled: Compiled) -> tuple[str, bytes]:
    """Return the Program as JSON with the names of its ops, and its constants."""
    assert compiled.program is not None
    of, program = json.dumps(_named(compiled.graph)), compiled.program
    return f'{program.to_json()[:-1]},"of":{of}}}', program.constant_bytes()


def _named(graph: Graph) -> str:
    """Return the ops of a Graph as text, for errors."""
    names = list(dict.fromkeys(_names(graph)))
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} other ops" if len(names) > _SHOWN else shown


def _names(graph: Graph) -> Iterator[str]:
    for eqn in graph.eqns:
        bodies = [value for _, value in eqn.attrs if isinstance(value, Graph)]
        for body in bodies:
            yield from _names(body)
        if not bodies:
            yield eqn.op.name


class _SlicedRun:
    """A run in slices, by its number."""

    def __init__(self, backend: DeviceBackend, number: int, split: _Complex | None) -> None:
        self._backend = backend
        self._number = number
        self._split = split

    def go_on(self, seconds: float) -> int:
        return self._backend.go_on(self._number, seconds * 1e3, self._split)

    def drop(self) -> None:
        self._backend.drop(self._number)


class _Complex:
    """The complex inputs of a program, and the offsets of its complex outputs."""

    def __init__(self, graph: Graph) -> None:
        self.inputs = [graph.avals[v].dtype.is_complex for v in graph.inputs]
        self.outputs: list[int] = []
        offset = 0
        for value in graph.outputs:
            paired = graph.avals[value].dtype.is_complex
            if paired:
                self.outputs.append(offset)
            offset += 2 if paired else 1

    def expand(self, slots: Sequence[int]) -> list[int]:
        """Return the slots, including those of imaginary parts."""
        found: list[int] = []
        for slot, paired in zip(slots, self.inputs, strict=True):
            found += (slot, slot + 1) if paired else (slot,)
        return found


def _joined(real: Array, imag: Array) -> Array:
    z = np.empty(real.shape, np.complex64)
    z.real, z.imag = real, imag
    return z
