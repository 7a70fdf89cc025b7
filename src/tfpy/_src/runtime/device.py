"""Backends of the JavaScript runtime: a Graph is lowered, crosses as JSON, and runs by number.

A complex tensor is two slots that follow one another, the real part first; its number is the
first one's. Only this file knows.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.environment.environment import env
from tfpy._src.errors import InternalError, InvalidArgumentError, ResourceExhaustedError
from tfpy._src.ir.aval import Array, Aval
from tfpy._src.ir.graph import Graph
from tfpy._src.lower import wasm as lower_wasm, webgl as lower_webgl, webgpu as lower_webgpu
from tfpy._src.lower.program import Program
from tfpy._src.lower.target import Target
from tfpy._src.lower.wasm.target import WasmTarget
from tfpy._src.runtime import bridge, wasm_files
from tfpy._src.runtime.backend import (
    Backend,
    BackendSkipped,
    Compiled,
    KernelTime,
    KernelTimes,
    Links,
    Look,
    Progress,
    Sharing,
)
from tfpy._src.runtime.turns import give_turn


class DeviceBackend(Backend):
    """A backend behind the bridge."""

    refuses_unstorable = False
    """Whether values are looked at before they become float16."""

    def __init__(
        self,
        name: str,
        device: bridge.Device,
        lower: Callable[[Graph, Collection[int]], Program],
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
        self.run = device.run  # nothing stands between until a program is complex
        self._lower = lower
        self._pairs: set[int] = set()  # first slots of complex tensors
        self._complex: dict[int, _Complex] = {}  # what is complex in a program, where anything is

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

    async def read_async(self, slot: int, aval: Aval) -> Array:
        if aval.dtype.is_complex:
            component = Aval(aval.shape, dtypes.float32)
            real = await self.read_async(slot, component)
            return _joined(real, await self.read_async(slot + 1, component))
        out = self._empty(aval)
        if self._device.must_wait:
            await self._device.read_async(slot, out)
        else:  # nothing is under way, so there is nothing to wait for
            self._device.read(slot, out)
            await give_turn()
        return out

    def _empty(self, aval: Aval) -> Array:
        """Memory of Python's for values that are read."""
        try:
            return np.empty(aval.shape, aval.dtype.as_numpy_dtype)
        except MemoryError as error:
            text = f"Python has no memory for the values of {aval}: {error}"
            raise ResourceExhaustedError(None, None, text) from None

    def free(self, slots: Sequence[int]) -> None:
        if self._pairs:
            paired = self._pairs.intersection(slots)
            self._pairs -= paired
            slots = [*slots, *(slot + 1 for slot in paired)]
        self._device.free(list(slots))

    def lower(self, graph: Graph, donated: Collection[int] = ()) -> Compiled:
        self._check_sizes(graph)
        if _has_complex(graph):  # the Program has other inputs then
            donated = ()
        return Compiled(graph, self._lower(graph, donated))

    def _check_sizes(self, graph: Graph) -> None:
        limit = self._device.limits["tensorBytes"]
        for eqn in graph.eqns:
            for value in eqn.outputs:
                nbytes = graph.avals[value].nbytes
                if nbytes > limit:
                    raise ResourceExhaustedError(
                        None,
                        eqn.op.name,
                        f"{eqn.op.name}: the result, {graph.avals[value]}, takes {nbytes} bytes; "
                        f"on {self.name} a tensor may take {limit}, and {self.memory()['bytes']} "
                        "are in use",
                    )

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
            text = f"{self.name} refused a program: {error}\n{graph}"
            raise InternalError(None, self.name, text) from error

    def _note_complex(self, number: int, graph: Graph) -> None:
        if _has_complex(graph):
            self._complex[number] = _Complex(graph)
            self.run = self._run_split

    def _run_split(self, program: int, *slots: int) -> int:
        """Runs a program whose complex tensors, if it has any, are two slots each."""
        if program not in self._complex:
            return self._device.run(program, *slots)
        split = self._complex[program]
        first = self._device.run(program, *split.expand(slots))
        self._pairs.update(first + offset for offset in split.outputs)
        return first

    def link(self, program: int, links: Links) -> bool:
        if program in self._complex:
            return False
        self._device.link(program, json.dumps(links._asdict()))
        return True

    def repeat(self, program: int, count: int, *slots: int) -> int:
        return self._device.repeat(program, count, *slots)

    def slots_of(self, aval: Aval) -> int:
        return 2 if aval.dtype.is_complex else 1

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

    def sharing(self) -> Sharing:
        return super().sharing() if self._device.gpu is None else self._device

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
    """Raises InvalidArgumentError where a finite value is infinite or zero in float16."""
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
            "65504; scale the values, or use another backend",
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
    """The text and the constants that cross."""
    assert compiled.program is not None
    return compiled.program.to_json(), compiled.program.constant_bytes()


class _Complex:
    """Which inputs of a program are complex, and at which offsets its complex outputs lie."""

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
        """The slots with those of imaginary parts."""
        found: list[int] = []
        for slot, paired in zip(slots, self.inputs, strict=True):
            found += (slot, slot + 1) if paired else (slot,)
        return found


def _joined(real: Array, imag: Array) -> Array:
    z = np.empty(real.shape, np.complex64)
    z.real, z.imag = real, imag
    return z


def _check_allowed(flag: str, device: str) -> None:
    """A device that computes on the CPU is used where its flag says so."""
    if not env().get_bool(flag):
        mend = f'tf.env().set("{flag}", True) uses it all the same'
        raise BackendSkipped(f"{device}: slower than wasm; {mend}")


async def open_webgpu() -> Backend:
    """The WebGPU backend.

    Raises:
        BackendSkipped: without an adapter, or on a fallback adapter unless
            WEBGPU_SOFTWARE_ENABLED is set.
        JsException: when the device cannot be had.
    """
    flags = env()
    found = (await flags.facts())["webgpu"]
    if not found["adapter"]:
        raise BackendSkipped("WebGPU has no adapter in this browser")
    if found["software"]:
        _check_allowed("WEBGPU_SOFTWARE_ENABLED", f"fallback adapter ({found['adapter']})")
    options = {
        "lowPower": flags.get_bool("WEBGPU_USE_LOW_POWER_GPU"),
        "budgetBytes": flags.get_number("TFPY_GPU_MEMORY_BUDGET"),
        "enoughDispatches": flags.get_number("WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE"),
        "importsFrames": flags.get_bool("WEBGPU_IMPORT_EXTERNAL_TEXTURE"),
        "matrices": flags.get_bool("TFPY_WEBGPU_USE_SUBGROUP_MATRIX"),
    }
    device = await bridge.open_device("webgpu", options)
    inputs = device.limits["inputs"]
    # A rasteriser on the CPU has no use for tiles: they are slower there, and slow to compile.
    reached = device.limits["workgroupBytes"] >= lower_webgpu.TILE_BYTES
    tiles = device.limits["hardware"] == 1 and reached
    half = device.limits["float16"] == 1
    holds = device.limits["workgroupBytes"] >= lower_webgpu.MATRIX_BYTES
    matrices = tiles and holds and device.limits["matrices"] == 1
    lower = partial(
        lower_webgpu.lower, max_inputs=inputs, tiles=tiles, half=half, matrices=matrices
    )
    if shown := flags.get_string("WEBGPU_PRINT_SHADER"):
        lower = partial(_lower_and_print, lower, shown)
    target = lower_webgpu.WebGPUTarget(inputs, half)
    backend = DeviceBackend("webgpu", device, lower, target, "GPU")
    backend.few = _few("WEBGPU_CPU_FORWARD", "WEBGPU_CPU_HANDOFF_SIZE_THRESHOLD")
    return backend


def _lower_and_print(
    lower: Callable[..., Program], names: str, graph: Graph, donated: Collection[int]
) -> Program:
    """Lowers a Graph, and prints the kernels of these names ("matmul,conv2d"; "all") in it."""
    program = lower(graph, donated)
    for kernel in program.kernels:
        if names == "all" or kernel.name in names.split(","):
            print(f"// {kernel.name}\n{kernel.source}")
    return program


async def open_webgl() -> Backend:
    """The WebGL2 backend.

    Raises:
        BackendSkipped: on a software rasteriser, unless SOFTWARE_WEBGL_ENABLED is set; where
            WEBGL_VERSION is set below 2.
        JsException: without WebGL2 or renderable float textures.
    """
    flags = env()
    found = (await flags.facts())["webgl"]
    if flags.get_number("WEBGL_VERSION") < min(found["version"], 2):
        raise BackendSkipped("WebGL2 is switched off by the flag WEBGL_VERSION")
    if found["software"]:
        _check_allowed("SOFTWARE_WEBGL_ENABLED", f"software rasteriser ({found['renderer']})")
    options = {
        "float32": flags.get_bool("WEBGL_RENDER_FLOAT32_ENABLED"),
        "maxTextureSize": flags.get_number("WEBGL_MAX_TEXTURE_SIZE"),
        "budgetBytes": flags.get_number("TFPY_GPU_MEMORY_BUDGET"),
        "freeBytes": flags.get_number("WEBGL_DELETE_TEXTURE_THRESHOLD"),
        "flushMs": flags.get_number("WEBGL_FLUSH_THRESHOLD"),
        "timers": flags.get_number("WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_VERSION") == 2
        and flags.get_bool("WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_RELIABLE"),
    }
    device = await bridge.open_device("webgl", options)
    targets, block = device.limits["targets"], device.limits["block"]
    lower = partial(lower_webgl.lower, targets=targets, block=block)
    backend = DeviceBackend("webgl", device, lower, lower_webgl.WebGLTarget(), "GPU")
    backend.few = _few("WEBGL_CPU_FORWARD", "CPU_HANDOFF_SIZE_THRESHOLD")
    backend.stores_float16 = device.limits["float16"] == 1
    checks = flags.get_bool("WEBGL_CHECK_NUMERICAL_PROBLEMS")
    backend.refuses_unstorable = checks and backend.stores_float16
    return backend


def _few(switch: str, size: str) -> int:
    """:attr:`Backend.few` by flags."""
    return int(env().get_number(size)) if env().get_bool(switch) else 0


async def open_wasm() -> Backend:
    """The XNNPACK backend, in the best variant that browser, headers and flags allow.

    Raises:
        BackendSkipped: without WebAssembly SIMD.
        JsException: when the module cannot be instantiated.
    """
    flags = env()
    await flags.facts()
    variant = choose_variant()
    options = {
        "variant": variant,
        "threads": flags.get_number("TFPY_WASM_THREADS_COUNT"),
        "codegen": flags.get_string("TFPY_WASM_CODEGEN"),
    }
    device = await bridge.open_device("wasm", options, await wasm_files.module(variant))
    return DeviceBackend("wasm", device, lower_wasm.lower, WasmTarget())


def choose_variant() -> str:
    """ "relaxed-threads", "relaxed", "simd-threads" or "simd", by flags.

    Raises:
        BackendSkipped: without SIMD.
    """
    flags = env()
    if not flags.get_bool("WASM_HAS_SIMD_SUPPORT"):
        raise BackendSkipped("no WebAssembly SIMD in this browser (or switched off by flag)")
    relaxed = flags.get_bool("TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT")
    threads = flags.get_bool("WASM_HAS_MULTITHREAD_SUPPORT")
    return ("relaxed" if relaxed else "simd") + ("-threads" if threads else "")


OPEN = {"webgpu": open_webgpu, "webgl": open_webgl, "wasm": open_wasm}
"""By name, what opens a backend of the JavaScript runtime."""
