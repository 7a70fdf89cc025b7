"""The devices that a file is made for. None of them need be there: lowering asks only this."""

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
"""Those that pages without Python have, best first."""

_TENSOR_BYTES = 2**31 - 1


class _NoDevice:
    """What a backend has of its device, when it only lowers."""

    variant = "exported"
    run = None

    def __init__(self) -> None:
        self.limits = {"tensorBytes": _TENSOR_BYTES}


@dataclass(frozen=True)
class DeviceTarget:
    """A kind of devices of one backend.

    ``needs`` are limits of the runtime that a device must reach; see ``web/common/backend.mjs``.
    """

    backend: str
    lowering: Backend
    needs: dict[str, int]


def _backend(name: str, lower: Any, fusing: Any) -> Backend:
    return DeviceBackend(name, cast(bridge.Device, _NoDevice()), lower, fusing)


def _webgpu(tiles: bool) -> DeviceTarget:
    """For devices with the least number of bindings, which costs next to nothing on others."""
    lower = partial(lower_webgpu.lower, max_inputs=lower_webgpu.MIN_INPUTS, tiles=tiles)
    backend = _backend("webgpu", lower, lower_webgpu.WebGPUTarget(lower_webgpu.MIN_INPUTS))
    # As the backend decides in Python: a rasteriser on the CPU has no use for tiles.
    tiled = {"hardware": 1, "workgroupBytes": lower_webgpu.TILE_BYTES} if tiles else {}
    return DeviceTarget("webgpu", backend, {"inputs": lower_webgpu.MIN_INPUTS, **tiled})


def _webgl(targets: int, block: int) -> DeviceTarget:
    lower = partial(lower_webgl.lower, targets=targets, block=block)
    backend = _backend("webgl", lower, lower_webgl.WebGLTarget())
    return DeviceTarget("webgl", backend, {"targets": targets, "block": block})


def _wasm() -> DeviceTarget:
    return DeviceTarget("wasm", _backend("wasm", lower_wasm.lower, lower_wasm.WasmTarget()), {})


def targets_of(backends: Sequence[str]) -> list[DeviceTarget]:
    """The targets of some backends, of each backend the most demanding one first.

    Raises:
        ValueError: for a backend that pages without Python do not have.
    """
    if not backends or not {*backends} <= {*BACKENDS}:
        raise ValueError(
            f"tf.export: backends are some of {', '.join(BACKENDS)}, not {list(backends)!r}"
        )
    return [target for name in BACKENDS if name in backends for target in _TARGETS[name]()]


_TARGETS: dict[str, Callable[[], list[DeviceTarget]]] = {
    "webgpu": lambda: [_webgpu(True), _webgpu(False)],
    "webgl": lambda: [_webgl(8, 1 << 16), _webgl(8, 0), _webgl(4, 0)],
    "wasm": lambda: [_wasm()],
}
