"""tfpy in CPython with a GPU backend that has a page of Chromium as its device.

Commands are queued until a result is needed (a read, a new program), and then cross in one message.
Slots are numbered consecutively, so their numbers are known in advance.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import numpy as np

import tfpy
from e2e.module_page import Evaluate, module_page
from tfpy._src.backends import registry
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.javascript import bridge
from tfpy._src.compiler.ir.op import UNSUPPORTED
from tfpy._src.compiler.lower import webgl, webgpu

from .programs import Array


class PageFailed(Exception):
    """The page answered with an error."""


class PageDevice:
    """A substitute for ``bridge.Device`` of a browser."""

    reads_at_once = True

    def __init__(self, evaluate: Evaluate, variant: str) -> None:
        self._evaluate = evaluate
        self.variant = variant
        self.limits: dict[str, int] = evaluate("open", variant)
        self._waiting: list[list[Any]] = []
        self._last_slot = 0
        self._outputs: dict[int, int] = {}

    def perform(self, *command: Any) -> Any:
        """Run the queued commands and this one, and return its result."""
        self._waiting.append(list(command))
        commands, self._waiting = self._waiting, []
        answer = self._evaluate("perform", commands)
        if answer["error"] is not None:
            raise PageFailed(answer["error"])
        return answer["results"][-1]

    def write(self, array: Array, dtype: str) -> int:
        self._waiting.append(["write", _text(array.tobytes()), array.size, dtype])
        self._last_slot += 1
        return self._last_slot

    def read(self, slot: int, out: Array) -> None:
        data = base64.b64decode(self.perform("read", slot, out.nbytes))
        out[...] = np.frombuffer(data, out.dtype).reshape(out.shape)

    def free(self, slots: list[int]) -> None:
        self._waiting.append(["free", *map(int, slots)])

    def register(self, program: str, constants: bytes) -> int:
        number = int(self.perform("register", program, _text(constants)))
        self._outputs[number] = len(json.loads(program)["outputs"])
        return number

    def release(self, program: int) -> None:
        self._waiting.append(["release", program])

    def run(self, program: int, *slots: int) -> int:
        self._waiting.append(["run", program, *map(int, slots)])
        first = self._last_slot + 1
        self._last_slot += self._outputs[program]
        return first

    def memory(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.perform("memory"))

    def lost(self) -> str:
        return ""

    def close(self) -> None:
        """Do nothing, because the page closes the device."""


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _webgl(device: PageDevice) -> DeviceBackend:
    limits = device.limits
    lower = partial(webgl.lower, targets=limits["targets"], block=limits["block"])
    return DeviceBackend("webgl", cast(bridge.Device, device), lower, webgl.WebGLTarget())


def _webgpu(device: PageDevice) -> DeviceBackend:
    inputs = device.limits["inputs"]
    lower = partial(webgpu.lower, max_inputs=inputs, tiles=False)
    return DeviceBackend("webgpu", cast(bridge.Device, device), lower, webgpu.WebGPUTarget(inputs))


BACKENDS = {"webgl": _webgl, "webgpu": _webgpu}


@contextmanager
def active(name: str) -> Iterator[PageDevice]:
    """Make a backend with its own page active, either "webgl" or "webgpu"."""
    there = f"{name} in Chromium"
    with module_page("gpu_device.mjs") as evaluate:
        device = PageDevice(evaluate, name)

        def open_backend() -> DeviceBackend:
            backend = BACKENDS[name](device)
            backend.name = there
            return backend

        UNSUPPORTED[there] = UNSUPPORTED[name]
        before = tfpy.get_backend()
        registry.register_backend(there, open_backend, 0)
        tfpy.set_backend(there)
        try:
            yield device
        finally:
            tfpy.set_backend(before)
            registry.remove_backend(there)
