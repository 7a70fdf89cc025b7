"""The jax backend: slots are JAX arrays, and a program is one jitted function."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.extend.backend import clear_backends
from jax.sharding import NamedSharding, PartitionSpec

from tfpy._src.backends.array_backend import ArrayBackend
from tfpy._src.backends.devices import Devices
from tfpy._src.backends.interface import Compiled, Ranges, SlotShard
from tfpy._src.backends.jax import detection
from tfpy._src.backends.jax.precision import Rounding
from tfpy._src.backends.jax.processes import Processes, join
from tfpy._src.backends.jax.sharding import JaxSharder, put, ranges_of
from tfpy._src.backends.memory_errors import exhausted
from tfpy._src.base.dtypes import X64, variant
from tfpy._src.base.errors import InternalError, OpError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.lower.jax import JaxProgram
from tfpy._src.compiler.lower.jax.lowering import DTYPES, check, has_control
from tfpy._src.compiler.lower.jax.replicas import by_replica, mesh_of, name_of
from tfpy._src.compiler.lower.jax.sharding import forget_devices

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8  # from glibc's malloc.h

_KEPT = ((_ARENA_MAX, 1), (_MMAP_MAX, 0), (_TRIM_THRESHOLD, -1))
"""One heap for all threads, no separately mapped blocks, and no memory returned to the system.

Heaps of threads are limited to 64 MB, and returned memory comes back page by page, filled with
zeros.
"""


def keep_freed() -> bool:
    """Make glibc keep freed memory for later allocations. Return True if it does.

    XLA allocates the temporaries of a program, tens of megabytes, at each call. By default each
    page causes a fault: 6 to 16 % of a training step. Threads that computed before keep their own
    heaps. Settings in glibc's variables (`MALLOC_ARENA_MAX`, `GLIBC_TUNABLES`) have precedence.
    """
    if sys.platform != "linux" or any(map(_chooses, os.environ)):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    return all(library.mallopt(what, value) for what, value in _KEPT)


def _chooses(variable: str) -> bool:
    return variable == "GLIBC_TUNABLES" or variable.startswith("MALLOC_")


if X64:
    jax.config.update("jax_enable_x64", True)

_FEW_BYTES = 1024
"""Size up to which arrays stay NumPy arrays until a program uses them.

JAX accepts NumPy arrays, and a transfer to a device takes as long as a program.
"""

_EXHAUSTED = "RESOURCE_EXHAUSTED"


class JaxBackend(ArrayBackend, Devices):
    """Arrays on JAX's default device. Programs run one after the other, asynchronously."""

    name = "jax"
    dtypes = DTYPES
    runs_control = True
    sharder: JaxSharder

    def __init__(self) -> None:
        super().__init__()
        if not detection.has_plugin():
            keep_freed()  # before JAX's threads have their own heaps
        self.sharder = JaxSharder(self._arrays, self._kept)
        self._processes = Processes()
        self._number = 0  # number of the default device
        if not Rounding.enabled:
            self.round_products(False)

    @property
    def device(self) -> Any:
        """Default device. Reading it starts JAX."""
        return jax.local_devices()[self._number]

    @property
    def variant(self) -> str:  # type: ignore[override]
        return f"jax-{self.device.platform}"

    @property
    def processor(self) -> str:  # type: ignore[override]
        platform: str = self.device.platform
        return platform.upper()

    @property
    def has_computed(self) -> bool:
        return self._next > 1

    def devices(self) -> tuple[str, ...]:
        return tuple(map(name_of, jax.local_devices()))

    def device_number(self, slot: int) -> int:
        sharding = self.sharding(slot)
        if sharding is None:
            return self._number
        return min(jax.local_devices().index(d) for d in sharding.addressable_devices)

    def computing_on(self, device: str) -> AbstractContextManager[Any]:
        found: AbstractContextManager[Any] = jax.default_device(self._named(device))
        return found

    def _named(self, device: str) -> Any:
        return jax.local_devices()[self.devices().index(device)]

    def prefer(self, number: int) -> None:
        self._number = number
        jax.config.update("jax_default_device", self.device)

    def share_out(self, count: int) -> None:
        if count != len(jax.local_devices(backend="cpu")):
            _restart()
            jax.config.update("jax_num_cpu_devices", count)

    def grow(self, enable: bool) -> None:
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false" if enable else "true"
        if not self.has_computed:
            _restart()  # JAX reads the variable when it starts

    def join(self, addresses: Sequence[str], number: int) -> tuple[tuple[str, ...], range]:
        """Connect to the other processes.

        Returns:
            The devices of all processes, and the range of this process's devices.

        Raises:
            RuntimeError: If an op was computed before.
        """
        if not jax.distributed.is_initialized():
            if self.has_computed:
                raise RuntimeError(
                    "Collective ops must be configured at program startup: make the strategy "
                    "before tensors and Variables"
                )
            _restart()
            join(addresses[0], len(addresses), number)
        every = jax.devices()
        own = [n for n, d in enumerate(every) if d.process_index == jax.process_index()]
        return tuple(map(name_of, every)), range(own[0], own[-1] + 1)

    def device_memory(self, device: str) -> dict[str, int] | None:
        found = self._named(device).memory_stats()
        if not found:
            return None
        return {"current": found["bytes_in_use"], "peak": found["peak_bytes_in_use"]}

    def device_details(self, device: str) -> dict[str, Any]:
        found = self._named(device)
        details = {"device_name": found.device_kind}
        if capability := getattr(found, "compute_capability", ""):  # "9.0"
            details["compute_capability"] = tuple(map(int, capability.split(".")))
        return details

    def round_products(self, enable: bool) -> None:
        jax.config.update("jax_default_matmul_precision", None if enable else "highest")

    def takes(self, op: Op, avals: Iterable[Aval]) -> bool:
        return super().takes(op, [aval for aval in avals if aval.dtype != variant])

    def upload(self, array: Array) -> int:
        few = array.nbytes <= _FEW_BYTES
        return self._kept([array if few else jax.device_put(array, may_alias=False)])

    def read(self, slot: int, aval: Aval) -> Array:
        try:
            array = _whole(self._arrays[slot])
            self._processes.computed(array)
            return np.array(array).reshape(aval.shape)
        except (jax.errors.JaxRuntimeError, ValueError) as failure:
            raise self._error(failure) from None

    def _error(self, failure: Exception) -> Exception:
        """Convert an exception of JAX to TensorFlow's error."""
        if lost := self._processes.lost(failure):
            return lost
        return failure if isinstance(failure, ValueError) else _error(failure)

    @property
    def process(self) -> int:
        return self._processes.number

    @property
    def processes(self) -> int:
        return self._processes.count

    def agree(self, text: str) -> list[str]:
        return self._processes.agree(text)

    def shards(self, slot: int, aval: Aval) -> list[SlotShard]:
        sharding = self.sharder.jax_sharding(slot, aval)
        if sharding is None or len(sharding.device_set) == 1:
            everything = tuple((0, size) for size in aval.shape)
            return [SlotShard(everything, partial(self.read, slot, aval), self.process == 0)]
        owners: dict[Ranges, int] = {}
        for device, index in sharding.devices_indices_map(aval.shape).items():
            ranges = ranges_of(index, aval.shape)
            owners[ranges] = min(owners.get(ranges, device.process_index), device.process_index)
        array = self._arrays[slot].reshape(aval.shape)
        self._processes.computed(array)
        own: dict[Ranges, Any] = {}
        for part in array.addressable_shards:  # replicas may differ: the first one is read
            own.setdefault(ranges_of(part.index, aval.shape), part.data)
        return [
            SlotShard(ranges, partial(np.array, part), owners[ranges] == self.process)
            for ranges, part in own.items()
        ]

    def refill(self, slot: int, aval: Aval, read: Callable[[Ranges], Array]) -> int | None:
        sharding = self.sharder.jax_sharding(slot, aval)
        if sharding is None or len(sharding.device_set) == 1:
            return None
        parts: dict[Ranges, Array] = {}

        def part(index: tuple[slice, ...]) -> Array:
            ranges = ranges_of(index, aval.shape)
            if ranges not in parts:
                parts[ranges] = read(ranges)
            return parts[ranges]

        return self._kept([jax.make_array_from_callback(aval.shape, sharding, part)])

    def place(self, slot: int, aval: Aval, sharding: jax.sharding.Sharding) -> int:
        """Return a new slot with a slot's elements on several devices, where programs then use it.

        Args:
            aval: Shape and dtype of the elements, as in `read`. The array may have another shape.
        """
        try:
            array = self._arrays[slot].reshape(aval.shape)
            return self._kept([put(array, sharding)])
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None

    def spread(self, array: Array, devices: tuple[str, ...], stacked: bool) -> int:
        """Upload an array to several devices: one row to each if `stacked`, otherwise all of it."""
        try:
            return self._kept([put(array, by_replica(devices, stacked))])
        except jax.errors.JaxRuntimeError as failure:
            raise _error(failure) from None

    def of_first(self, array: Array, devices: tuple[str, ...]) -> int:
        """Return a new slot on several devices with the array of the first device's process.

        All processes call this.
        """
        shape = (len(devices), *array.shape)
        rows = by_replica(devices, stacked=True)
        one = jax.jit(lambda x: x[0], out_shardings=by_replica(devices, stacked=False))
        try:
            return self._kept(
                [one(jax.make_array_from_callback(shape, rows, lambda _: array[None]))]
            )
        except jax.errors.JaxRuntimeError as failure:
            raise self._error(failure) from None

    def own_rows(self, slot: int, aval: Aval) -> list[Array]:
        """Return the rows that this process has of a slot with one row on each device."""
        array = self._arrays[slot]
        if isinstance(array, np.ndarray) or array.is_fully_addressable:
            return list(self.read(slot, aval))
        self._processes.computed(array)
        shards = sorted(array.addressable_shards, key=lambda shard: shard.index[0].start or 0)
        return [np.array(shard.data)[0] for shard in shards]

    def sharding(self, slot: int) -> jax.sharding.Sharding | None:
        """Return the sharding of a slot's array; None while it is on the host."""
        array = self._arrays[slot]
        return None if isinstance(array, np.ndarray) else array.sharding

    def lower(self, graph: Graph, donated: Collection[int] = (), spent: bool = False) -> Compiled:
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
        if found.everywhere is not None:
            self._bring(slots, found.everywhere)
        around = self.sharder.around(slots) if self.sharder.defaults else nullcontext()
        try:
            with around:
                if not slots or min(slots) > 0:
                    outputs = found.plain(*map(arrays.__getitem__, slots))
                else:
                    outputs = self._donated(found, slots)
        except jax.errors.JaxRuntimeError as failure:
            raise self._error(failure) from None
        except ValueError as failure:
            raise self._processes.lost(failure) or self.sharder.mixed(slots, failure) from None
        if found.everywhere is not None and outputs:
            self._processes.began(outputs[-1])
        return self._kept(outputs)

    def _donated(self, program: JaxProgram, slots: Sequence[int]) -> list[Any]:
        """Return the outputs of a run that consumes donated slots, unless it fails."""
        arrays = self._arrays
        function = program.donating(tuple([i for i, slot in enumerate(slots) if slot < 0]))
        given = [arrays[slot] if slot > 0 else arrays.pop(-slot) for slot in slots]
        try:
            return function(*given)
        except BaseException:
            arrays.update(zip(map(abs, slots), given, strict=True))
            raise

    def _bring(self, slots: Sequence[int], everywhere: jax.sharding.Sharding) -> None:
        """Move operands on other devices to all devices of a program."""
        for slot in map(abs, slots):
            array = self._arrays[slot]
            if isinstance(array, np.ndarray):
                continue
            if array.sharding.device_set != everywhere.device_set:
                self._arrays[slot] = put(array, everywhere)

    async def finish(self) -> None:
        for array in [*self._arrays.values()]:
            self._processes.computed(array)
        jax.block_until_ready(list(self._arrays.values()))


def _whole(array: Any) -> Any:
    """Return an array that this process can read.

    If other processes have parts of the array, all processes must call this.
    """
    if isinstance(array, np.ndarray) or array.is_fully_addressable or array.is_fully_replicated:
        return array
    everywhere = NamedSharding(array.sharding.mesh, PartitionSpec())
    return jax.jit(lambda x: x, out_shardings=everywhere)(array)


def _restart() -> None:
    """Make JAX read its device configuration again. Its previous devices are gone."""
    clear_backends()
    forget_devices()
    mesh_of.cache_clear()


def _error(failure: Exception) -> OpError:
    """Convert an exception of JAX in one process to TensorFlow's error."""
    text = str(failure)
    if text.startswith(_EXHAUSTED):
        return exhausted(None, text)
    return InternalError(None, None, text)
