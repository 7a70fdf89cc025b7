"""Opening of the JavaScript runtime's backends, depending on flags and the browser's features."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from tfpy._src.backends import wasm_files
from tfpy._src.backends.backend import Backend, BackendSkipped
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.javascript import bridge
from tfpy._src.base.dtypes import float16, int8
from tfpy._src.base.flags.environment import env
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import (
    wasm as lower_wasm,
    webgl as lower_webgl,
    webgpu as lower_webgpu,
)
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.wasm.target import WasmTarget


def _check_allowed(flag: str, device: str) -> None:
    """Raise BackendSkipped for a device that computes on the CPU, unless its flag permits it."""
    if not env().get_bool(flag):
        mend = f'tf.env().set("{flag}", True) uses it anyway'
        raise BackendSkipped(f"{device}: slower than wasm; {mend}")


async def open_webgpu() -> Backend:
    """Open the WebGPU backend.

    Raises:
        BackendSkipped: If there is no adapter, or only a fallback adapter and
            WEBGPU_SOFTWARE_ENABLED is False.
        JsException: If the device is not available.
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
        "hostBytes": flags.get_number("TFPY_HOST_MEMORY_BUDGET"),
        "enoughDispatches": flags.get_number("WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE"),
        "importsFrames": flags.get_bool("WEBGPU_IMPORT_EXTERNAL_TEXTURE"),
        "matrices": flags.get_bool("TFPY_WEBGPU_USE_SUBGROUP_MATRIX"),
    }
    device = await bridge.open_device("webgpu", options)
    inputs = device.limits["inputs"]
    # On a software rasterizer, tiles are slower and take long to compile.
    reached = device.limits["workgroupBytes"] >= lower_webgpu.TILE_BYTES
    tiles = device.limits["hardware"] == 1 and reached
    half = device.limits["float16"] == 1
    kinds = {int8: "byteMatrices", float16: "halfMatrices"}
    matrices = frozenset(
        dtype
        for dtype, nbytes in lower_webgpu.MATRIX_BYTES.items()
        if tiles and device.limits[kinds[dtype]] and device.limits["workgroupBytes"] >= nbytes
    )
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
    lower: Callable[..., Program], names: str, graph: Graph, donated: Collection[int], spent: bool
) -> Program:
    """Lower a Graph and print its kernels with these names ("matmul,conv2d", or "all")."""
    program = lower(graph, donated, spent)
    for kernel in program.kernels:
        if names == "all" or kernel.name in names.split(","):
            print(f"// {kernel.name}\n{kernel.source}")
    return program


async def open_webgl() -> Backend:
    """Open the WebGL2 backend.

    Raises:
        BackendSkipped: If WebGL runs in software and SOFTWARE_WEBGL_ENABLED is False, or if the
            flag WEBGL_VERSION is below 2.
        JsException: If WebGL2 or renderable float textures are missing.
    """
    flags = env()
    found = (await flags.facts())["webgl"]
    if flags.get_number("WEBGL_VERSION") < min(found["version"], 2):
        raise BackendSkipped("WebGL2 is switched off by the flag WEBGL_VERSION")
    if found["software"]:
        _check_allowed("SOFTWARE_WEBGL_ENABLED", f"software rasterizer ({found['renderer']})")
    options = {
        "float32": flags.get_bool("WEBGL_RENDER_FLOAT32_ENABLED"),
        "maxTextureSize": flags.get_number("WEBGL_MAX_TEXTURE_SIZE"),
        "budgetBytes": flags.get_number("TFPY_GPU_MEMORY_BUDGET"),
        "hostBytes": flags.get_number("TFPY_HOST_MEMORY_BUDGET"),
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
    """Return the value of `Backend.few` from flags."""
    return int(env().get_number(size)) if env().get_bool(switch) else 0


async def open_wasm() -> Backend:
    """Open the XNNPACK backend in the best variant that browser, headers and flags permit.

    Raises:
        BackendSkipped: If WebAssembly SIMD is not supported.
        JsException: If the module cannot be instantiated.
    """
    flags = env()
    found = await flags.facts()
    variant = choose_variant()
    threads = flags.get_number("TFPY_WASM_THREADS_COUNT")
    options = {
        "variant": variant,
        "threads": threads,
        "codegen": flags.get_string("TFPY_WASM_CODEGEN"),
        "budgetBytes": flags.get_number("TFPY_WASM_MEMORY_BUDGET"),
        "hostBytes": flags.get_number("TFPY_HOST_MEMORY_BUDGET"),
    }
    device = await bridge.open_device("wasm", options, await wasm_files.module(variant))
    backend = DeviceBackend("wasm", device, lower_wasm.lower, WasmTarget())
    wanted = threads or found["hardwareConcurrency"]
    if variant.endswith("-threads") and wanted > 1 and device.memory()["threads"] == 1:
        mend = "add blob: to worker-src in its Content-Security-Policy"
        backend.remark = f"one thread: the page does not allow workers; {mend}"
    return backend


def choose_variant() -> str:
    """Return "relaxed-threads", "relaxed", "simd-threads" or "simd", depending on flags.

    Raises:
        BackendSkipped: If SIMD is not supported.
    """
    flags = env()
    if not flags.get_bool("WASM_HAS_SIMD_SUPPORT"):
        raise BackendSkipped("no WebAssembly SIMD in this browser (or switched off by flag)")
    relaxed = flags.get_bool("TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT")
    threads = flags.get_bool("WASM_HAS_MULTITHREAD_SUPPORT")
    return ("relaxed" if relaxed else "simd") + ("-threads" if threads else "")


OPEN = {"webgpu": open_webgpu, "webgl": open_webgl, "wasm": open_wasm}
"""Functions that open the backends of the JavaScript runtime, by name."""
