"""Backends of the JavaScript runtime: a Graph is lowered, crosses as JSON, and runs by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy.errors import InternalError
from tfpy.ir.graph import Aval, Graph
from tfpy.lower import wasm as lower_wasm
from tfpy.lower import webgl as lower_webgl
from tfpy.lower.program import Program
from tfpy.runtime import bridge
from tfpy.runtime.backend import Array, Backend
from tfpy.runtime.env import env
from tfpy.runtime.registry import BackendSkipped


class DeviceBackend(Backend):
    """A backend behind the bridge."""

    dtypes = dtypes.DEVICE_DTYPES

    def __init__(self, name: str, device: bridge.Device, lower: Callable[[Graph], Program]) -> None:
        super().__init__()
        self.name = name
        self.variant = device.variant
        self._device = device
        self._run = device.run
        self._lower = lower

    def upload(self, array: Array) -> int:
        return self._device.write(array, array.dtype.name)

    def read(self, slot: int, aval: Aval) -> Array:
        out = np.empty(aval.shape, aval.dtype.as_numpy_dtype)
        self._device.read(slot, out)
        return out

    async def read_async(self, slot: int, aval: Aval) -> Array:
        out = np.empty(aval.shape, aval.dtype.as_numpy_dtype)
        await self._device.read_async(slot, out)
        return out

    def free(self, slots: Sequence[int]) -> None:
        self._device.free(list(slots))

    def compile(self, graph: Graph) -> int:
        program = self._lower(graph)
        try:
            return self._device.register(program.to_json(), program.constant_bytes())
        except Exception as error:
            raise InternalError(
                None, self.name, f"{self.name} refused a program: {error}\n{graph}"
            ) from error

    def run(self, program: int, *slots: int) -> int:
        return self._run(program, *slots)

    def release(self, program: int) -> None:
        self._device.release(program)

    def memory(self) -> dict[str, Any]:
        return self._device.memory()

    async def finish(self) -> None:
        await self._device.finish()

    def close(self) -> None:
        self._device.close()


async def open_webgl() -> Backend:
    """The WebGL2 backend.

    Raises:
        BackendSkipped: on a software rasteriser, unless SOFTWARE_WEBGL_ENABLED is set.
        JsException: without WebGL2 or renderable float textures.
    """
    flags = env()
    found = (await bridge.probe())["webgl"]
    if found["software"] and not flags.get_bool("SOFTWARE_WEBGL_ENABLED"):
        raise BackendSkipped(
            f"software rasteriser ({found['renderer']}): slower than wasm; "
            'tf.env().set("SOFTWARE_WEBGL_ENABLED", True) uses it all the same'
        )
    options = {
        "forceFloat16": flags.get_bool("WEBGL_FORCE_F16_TEXTURES"),
        "allowSoftware": flags.get_bool("SOFTWARE_WEBGL_ENABLED"),
    }
    return DeviceBackend("webgl", await bridge.open_device("webgl", options), lower_webgl.lower)


async def open_wasm() -> Backend:
    """The XNNPACK backend, in the best variant that browser, headers and flags allow.

    Raises:
        BackendSkipped: without WebAssembly SIMD.
        JsException: when the module cannot be instantiated.
    """
    variant = choose_variant((await bridge.probe())["wasm"])
    options = {"variant": variant, "threads": int(env().get_number("WASM_THREADS_COUNT"))}
    device = await bridge.open_device("wasm", options, bridge.asset(f"xnnpack-{variant}.wasm"))
    return DeviceBackend("wasm", device, lower_wasm.lower)


def choose_variant(found: dict[str, bool]) -> str:
    """ "relaxed-threads", "relaxed", "simd-threads" or "simd".

    Raises:
        BackendSkipped: without SIMD.
    """
    flags = env()
    if not (found["simd"] and flags.get_bool("WASM_HAS_SIMD_SUPPORT")):
        raise BackendSkipped("no WebAssembly SIMD in this browser (or switched off by flag)")
    relaxed = found["relaxedSimd"] and flags.get_bool("WASM_HAS_RELAXED_SIMD_SUPPORT")
    threads = found["threads"] and flags.get_bool("WASM_HAS_MULTITHREAD_SUPPORT")
    return ("relaxed" if relaxed else "simd") + ("-threads" if threads else "")
