"""The devices that a file is made for. None of them need be there: lowering asks only this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from tfpy._src.lower import wasm as lower_wasm, webgl as lower_webgl
from tfpy._src.runtime import bridge
from tfpy._src.runtime.backend import Backend
from tfpy._src.runtime.device import DeviceBackend

BACKENDS = ("webgl", "wasm")
"""Those that pages without Python have."""

_TENSOR_BYTES = 2**31 - 1


class _NoDevice:
    """What a backend has of its device, when it only lowers."""

    variant = "exported"
    run = None

    def __init__(self) -> None:
        self.limits = {"tensorBytes": _TENSOR_BYTES}


@dataclass(frozen=True)
class Target:
    """A kind of devices of one backend.

    ``needs`` are limits of the runtime that a device must reach; see ``web/runtime/backend.mjs``.
    """

    backend: str
    lowering: Backend
    needs: dict[str, int]


def _backend(name: str, lower: Any, fusing: Any) -> Backend:
    return DeviceBackend(name, cast(bridge.Device, _NoDevice()), lower, fusing)


def _webgl(targets: int, block: int) -> Target:
    lower = partial(lower_webgl.lower, targets=targets, block=block)
    backend = _backend("webgl", lower, lower_webgl.WebGLTarget())
    return Target("webgl", backend, {"targets": targets, "block": block})


def _wasm() -> Target:
    return Target("wasm", _backend("wasm", lower_wasm.lower, lower_wasm.WasmTarget()), {})


def targets_of(backends: Sequence[str]) -> list[Target]:
    """The targets of some backends, of each backend the most demanding one first.

    Raises:
        ValueError: for a backend that pages without Python do not have.
    """
    if not backends or not {*backends} <= {*BACKENDS}:
        raise ValueError(
            f"tf.export: backends are some of {', '.join(BACKENDS)}, not {list(backends)!r}"
        )
    webgl = [_webgl(8, 1 << 16), _webgl(8, 0), _webgl(4, 0)] if "webgl" in backends else []
    return [*webgl, _wasm()] if "wasm" in backends else webgl
