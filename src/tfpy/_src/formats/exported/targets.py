"""The devices that a file is made for. Lowering needs their limits only, not the devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.javascript import bridge
from tfpy._src.compiler.lower import (
    wasm as lower_wasm,
    webgl as lower_webgl,
    webgpu as lower_webgpu,
)

BACKENDS = ("webgpu", "webgl", "wasm")
"""Backends of pages without Python, in order of preference."""

_TENSOR_BYTES = 2**31 - 1


class _NoDevice:
    """A substitute for a device, for a backend that only lowers."""

    variant = "exported"
    run = None

    def __init__(self) -> None:
        self.limits = {"tensorBytes": _TENSOR_BYTES}


@dataclass(frozen=True)
class DeviceTarget:
    """A class of devices of one backend.

    Attributes:
        backend: Name of the backend.
        lowering: Backend that lowers Graphs for these devices.
        needs: Limits of the runtime that a device must reach (see `web/common/backend.mjs`).
    """

    backend: str
    lowering: Backend
    needs: dict[str, int]


def _backend(name: str, lower: Any, fusing: Any) -> Backend:
    return DeviceBackend(name, cast(bridge.Device, _NoDevice()), lower, fusing)


def _webgpu(tiles: bool) -> DeviceTarget:
    """Return a target for devices with the fewest bindings. It is almost as fast on others."""
    lower = partial(lower_webgpu.lower, max_inputs=lower_webgpu.MIN_INPUTS, tiles=tiles)
    backend = _backend("webgpu", lower, lower_webgpu.WebGPUTarget(lower_webgpu.MIN_INPUTS))
    # As in the Python backend: a software rasterizer on the CPU does not benefit from tiles.
    tiled = {"hardware": 1, "workgroupBytes": lower_webgpu.TILE_BYTES} if tiles else {}
    return DeviceTarget("webgpu", backend, {"inputs": lower_webgpu.MIN_INPUTS, **tiled})


def _webgl(targets: int, block: int) -> DeviceTarget:
    lower = partial(lower_webgl.lower, targets=targets, block=block)
    backend = _backend("webgl", lower, lower_webgl.WebGLTarget())
    return DeviceTarget("webgl", backend, {"targets": targets, "block": block})


def _wasm() -> DeviceTarget:
    return DeviceTarget("wasm", _backend("wasm", lower_wasm.lower, lower_wasm.WasmTarget()), {})


def targets_of(backends: Sequence[str]) -> list[DeviceTarget]:
    """Return the targets of some backends, the most demanding target of each backend first.

    Raises:
        ValueError: If a page without Python does not support a backend.
    """
    if not backends or not {*backends} <= {*BACKENDS}:
        raise ValueError(
            f"tf.export: backends must be some of {', '.join(BACKENDS)}, got {list(backends)!r}"
        )
    return [target for name in BACKENDS if name in backends for target in _TARGETS[name]()]


_TARGETS: dict[str, Callable[[], list[DeviceTarget]]] = {
    "webgpu": lambda: [_webgpu(True), _webgpu(False)],
    "webgl": lambda: [_webgl(8, 1 << 16), _webgl(8, 0), _webgl(4, 0)],
    "wasm": lambda: [_wasm()],
}
