"""tfpy in CPython with the wasm backend, which runs in a node process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

import tfpy
from tfpy._src.backends import registry
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.javascript import bridge
from tfpy._src.backends.javascript.failures import op_error
from tfpy._src.compiler.ir.op import UNSUPPORTED
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.wasm.target import WasmTarget

from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime

NAME = "wasm in node"


class NodeDevice:
    """A substitute for ``bridge.Device`` of a browser."""

    reads_at_once = True
    must_wait = False

    def __init__(self, runtime: NodeRuntime) -> None:
        self.variant = runtime.variant
        self.limits = {"tensorBytes": 2**31 - 1}
        self._runtime = runtime

    def _call(self, command: str, **args: Any) -> Any:
        with _translated():
            return self._runtime.call(command, **args)

    def write(self, array: Array, dtype: str) -> int:
        with _translated():
            return self._runtime.write(array)

    def read(self, slot: int, out: Array) -> None:
        with _translated():
            data = self._runtime.read_bytes(slot, out.nbytes)
        out[...] = np.frombuffer(data, out.dtype).reshape(out.shape)

    def free(self, slots: list[int]) -> None:
        self._call("free", slots=slots)

    def register(self, program: str, constants: bytes) -> int:
        with _translated():
            return self._runtime.register_text(program, constants)

    async def register_async(self, program: str, constants: bytes, progress: Any) -> int:
        return self.register(program, constants)

    def release(self, program: int) -> None:
        self._call("release", program=program)

    def run(self, program: int, *slots: int) -> int:
        return int(self._runtime.call("run", program=program, slots=_plain(slots)))

    def link(self, program: int, links: str) -> None:
        self._call("link", program=program, links=links)

    def repeat(self, program: int, count: int, *slots: int) -> int:
        call = self._runtime.call
        return int(call("repeat", program=program, count=count, slots=_plain(slots)))

    def begin(self, program: int, *slots: int) -> int:
        return int(self._runtime.call("begin", program=program, slots=_plain(slots)))

    def go_on(self, run: int, ms: float) -> int:
        return int(self._runtime.call("goOn", run=run, ms=ms))

    def drop(self, run: int) -> None:
        self._call("drop", run=run)

    def memory(self) -> dict[str, Any]:
        return cast(dict[str, Any], self._runtime.call("memory"))

    def lost(self) -> str:
        return ""

    def close(self) -> None:
        self._runtime.close()


@contextmanager
def _translated() -> Iterator[None]:
    """Translate errors to those that ``bridge.Device`` raises."""
    try:
        yield
    except RuntimeFailed as error:
        raise op_error(error.name, error.message) from None


def _plain(slots: Sequence[int]) -> list[int]:
    return [int(slot) for slot in slots]


@contextmanager
def active(variant: str, codegen: str) -> Iterator[None]:
    """Make a backend with its own runtime active."""
    device = cast(bridge.Device, NodeDevice(NodeRuntime(variant, codegen)))

    def open_backend() -> DeviceBackend:
        backend = DeviceBackend("wasm", device, wasm.lower, WasmTarget())
        backend.name = NAME
        return backend

    UNSUPPORTED[NAME] = UNSUPPORTED["wasm"]
    before, failures = tfpy.get_backend(), bridge.FAILURES
    bridge.FAILURES = (RuntimeFailed,)  # errors of runs
    registry.register_backend(NAME, open_backend, 0)
    tfpy.set_backend(NAME)
    try:
        yield
    finally:
        tfpy.set_backend(before)
        bridge.FAILURES = failures
        registry.remove_backend(NAME)
