"""The bridge to the JavaScript runtime.

Only this module, `loading.py`, `page_facts.py`, `page.py` and `media.py` import `js`.

Rules, derived from measurements: structures cross once as a JSON string, the bytes of tensors as an
address in Python's heap, everything else as integers. The JavaScript side makes views of the heap
for each call, because the heap's buffer is replaced when memory grows.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import marshal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import numpy as np

from tfpy._src.backends import interrupts
from tfpy._src.backends.awaitable import outcome
from tfpy._src.backends.javascript import failures, loading
from tfpy._src.backends.javascript.pending_values import Arrival
from tfpy._src.base.errors import OpError
from tfpy._src.compiler.ir.aval import Array

Progress = Callable[[int, int], None]
T = TypeVar("T")

IN_BROWSER = loading.IN_BROWSER
if IN_BROWSER:
    import js
    import pyodide_js
    from pyodide.ffi import (
        JsException,
        can_run_sync,
        create_proxy,
        run_sync,
    )

FAILURES: tuple[type[Exception], ...] = (JsException,) if IN_BROWSER else ()
"""Exceptions of `Device.run`, `Device.repeat`, `Device.begin` and `Device.go_on`.

Callers convert them with `op_error`. All other functions here raise TensorFlow's error classes.
"""


def op_error(failure: Any, op: str | None = None) -> OpError:
    """Convert a failure of the runtime to TensorFlow's error; see `failures.op_error`."""
    return failures.op_error(failure.name, failure.message, op)


class _Translation:
    """A context that converts a failure of the runtime to TensorFlow's error."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, FAILURES):
            raise op_error(error) from None


_translated = _Translation()

_scheduler: Any = getattr(js, "scheduler", None) if IN_BROWSER else None

_runtime: Any = None

MAX_TURNS = 1_000_000
"""Number of times that a coroutine may yield in a running event loop: one may poll forever."""


def wait(awaitable: Coroutine[Any, Any, T], mend: str) -> T:
    """Return the result of a coroutine to synchronous code.

    Args:
        mend: Suggested alternative, for the error.

    Raises:
        RuntimeError: If Python cannot be suspended: in a page without JSPI, or in a coroutine of a
            running event loop if the result depends on another task.
    """
    if not IN_BROWSER:
        return _completed(awaitable, mend)
    if not can_run_sync():
        awaitable.close()
        raise RuntimeError(f"Python cannot wait for the browser here; {mend}")
    found, error = run_sync(outcome(awaitable))
    if error is not None:
        raise error
    result: T = found
    return result


def _completed(awaitable: Coroutine[Any, Any, T], mend: str) -> T:
    """Run a coroutine on CPython, in a new event loop if none is running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(awaitable)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
    try:
        for _ in range(MAX_TURNS):
            if (future := awaitable.send(None)) is not None:
                # A task would clear this flag. A future with the flag cannot be awaited.
                future._asyncio_future_blocking = False
                break
    except StopIteration as done:
        result: T = done.value
        return result
    awaitable.close()
    raise RuntimeError(f"This would have to wait for another task; {mend}")


def can_wait() -> bool:
    """Return True if `wait` can wait for the browser here."""
    return not IN_BROWSER or can_run_sync()


async def end_task() -> None:
    """End the browser's task, so that other tasks can run.

    Pyodide continues with messages, and Chromium handles messages for up to 50 ms before it handles
    other events. Only a task of another kind lets other tasks run first.
    """
    if _scheduler is None:
        await asyncio.sleep(0)
    else:
        await _scheduler.postTask(js.Boolean)  # a function without effect


async def end_frame() -> None:
    """Wait until the browser is about to draw its next frame."""
    if IN_BROWSER:
        await (await runtime()).nextFrame()
    else:
        await asyncio.sleep(0)


async def runtime() -> Any:
    """Return the JavaScript runtime: registered by the page, or else run as a script, or as a Blob.

    Raises:
        RuntimeError: Outside of a browser, or if the page's content security policy forbids all
            three ways. The message contains the missing directives.
    """
    global _runtime
    if _runtime is None:
        if not IN_BROWSER:
            raise RuntimeError("needs a browser (Pyodide)")
        _runtime = await loading.load()
    return _runtime


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


_coming: dict[int, tuple[Arrival, Any]] = {}
"""Pending transfers from JavaScript, with the arrays or lists that receive the values."""

_numbers = itertools.count()


def _settled(number: int, error: Any = None, found: Any = None) -> None:
    arrival, place = _coming.pop(number)
    if isinstance(place, list):
        place.append(found)
    arrival.arrive(error)


_settle: Any = create_proxy(_settled) if IN_BROWSER else None


async def received(answers: Any, most: int) -> list[bytes] | None:
    """Return the bytes of an Array of promises of Responses, if they declare at most `most` bytes.

    Otherwise, or if the page does not permit the runtime, the result is None and no byte was read.

    Raises:
        JsException: If a connection breaks.
    """
    try:
        rt = await runtime()
    except RuntimeError:
        return None
    found: list[Any] = []
    number = next(_numbers)
    arrival, _ = _coming[number] = Arrival(), found
    rt.receive(answers, most, number, _settle, pyodide_js._module)
    await arrival
    (buffers,) = found
    return None if buffers is None else [buffer.to_bytes() for buffer in buffers]


@functools.cache
def _converter() -> tuple[Callable[..., int], Callable[..., None], Any]:
    """Return functions of the runtime and the module with Python's heap, looked up once."""
    return _runtime.convertModel, _runtime.takeModel, pyodide_js._module


def converted_model(data: bytes) -> Any:
    """Parse the bytes of a `model.json` with the runtime, in a third of the time of `json`.

    `csrc/model_json/marshal.h` describes the differences of the result. It is None if `json` must
    be used: without the runtime, and for a corrupt or unusual file.
    """
    if _runtime is None:
        return None
    convert, take, module = _converter()
    size = convert(module, _address(np.frombuffer(data, np.uint8)), len(data))
    if not size:
        return None
    found = np.empty(size, np.uint8)
    take(module, _address(found), size)
    return marshal.loads(found.data)


class Device:
    """A backend of the JavaScript runtime, with its functions looked up once."""

    def __init__(self, runtime_: Any, backend: Any) -> None:
        bound = runtime_.bindHeap(backend, pyodide_js._module, _settle)
        self.variant: str = bound.variant
        self.limits: dict[str, int] = json.loads(bound.limits)
        self._write = bound.write
        self._read = bound.read if bound.readsAtOnce else None
        self._start_read = bound.startRead
        self.must_wait: bool = self._start_read is not None
        self._free = bound.free
        self._register = bound.register
        self._register_async = bound.registerAsync
        self._release = bound.release
        self.run: Callable[..., int] = bound.run
        self.repeat: Callable[..., int] = bound.repeat
        self.begin: Callable[..., int] | None = bound.begin
        self.go_on: Callable[[int, float], int] = bound.goOn
        self.drop: Callable[[int], None] = bound.drop
        self._link = bound.link
        self._memory = bound.memory
        self._finish = bound.finish
        self._picture = bound.picture
        self.draws: bool = bound.draws
        self._draw = bound.draw
        self.gpu: Any = bound.gpu
        self._borrow = bound.borrow
        self._lend = bound.lend
        self._start_timing = bound.startTiming
        self._stop_timing = bound.stopTiming
        self._lost = bound.lost
        self._rescue = bound.rescue
        self._close = bound.close

    def write(self, array: Array, dtype: str) -> int:
        """Copy a contiguous array to a new slot."""
        with _translated:
            return int(self._write(_address(array), array.size, dtype))

    def read(self, slot: int, out: Array) -> None:
        """Copy a slot to a contiguous array. This waits for the device.

        Raises:
            RuntimeError: If the device must be awaited and Python cannot be suspended.
        """
        if self._read is None:
            return wait(self.read_async(slot, out), 'write "await x.data()" to read a tensor')
        with _translated:
            self._read(_address(out), slot)

    @property
    def reads_at_once(self) -> bool:
        """True if `read` can be called here."""
        return self._read is not None or can_wait()

    async def read_async(self, slot: int, out: Array) -> None:
        """Copy a slot to an array without blocking the page, on a device with `must_wait`."""
        with _translated:
            await self.start_read(slot, out)

    def start_read(self, slot: int, out: Array) -> Arrival:
        """Begin to read. The arrival fails as the runtime does."""
        number = next(_numbers)
        arrival, _ = _coming[number] = Arrival(), out
        self._start_read(_address(out), out.nbytes, slot, number)
        return arrival

    def free(self, slots: list[int]) -> None:
        """Free slots in one call."""
        with _translated:
            self._free(*slots)

    def register(self, program: str, constants: bytes) -> int:
        """Make a Program from its JSON text and constants, and return its number."""
        data = np.frombuffer(constants, np.uint8) if constants else np.zeros(1, np.uint8)
        with _translated:
            return int(self._register(program, _address(data), len(constants)))

    async def register_async(self, program: str, constants: bytes, progress: Progress) -> int:
        """Make a Program without blocking the page; `progress(done, total)` counts the shaders."""

        data = np.frombuffer(constants, np.uint8) if constants else np.zeros(1, np.uint8)
        listener = create_proxy(progress)
        try:
            with _translated:
                size = len(constants)
                return int(await self._register_async(program, _address(data), size, listener))
        finally:
            listener.destroy()

    def link(self, program: int, links: str) -> None:
        """Specify as JSON how repeated runs of a Program are connected; see `repeats.mjs`."""
        self._link(program, links)

    def release(self, program: int) -> None:
        """Delete a Program."""
        self._release(program)

    def memory(self) -> dict[str, Any]:
        """Return `slots` and `bytes` in use, and numbers that are specific to the backend."""
        return json.loads(self._memory())

    async def finish(self) -> None:
        """Wait until all submitted work is done."""
        with _translated:
            await self._finish()

    def picture(self, source: Any, height: int, width: int, channels: int) -> int:
        """Return a new slot with an image's pixels, or 0; see `web/common/backend.mjs`."""
        with _translated:
            return int(self._picture(source, height, width, channels))

    def draw(self, slot: int, canvas: Any, look: str) -> bool:
        """Draw an image, if the device can; `look` is JSON of a Look (`web/common/backend.mjs`)."""
        with _translated:
            return bool(self._draw(slot, canvas, look))

    def borrow(self, buffer: Any, count: int, dtype: str) -> int:
        """Return a new slot over a GPUBuffer of the page; see `web/common/backend.mjs`."""
        with _translated:
            return int(self._borrow(buffer, count, dtype))

    async def lend(self, slot: int) -> Any:
        """Return the GPUBuffer of a slot after its computation is submitted."""
        with _translated:
            return await self._lend(slot)

    def start_timing(self) -> None:
        """Begin to time kernels."""
        with _translated:
            self._start_timing()

    def stop_timing(self) -> str | Awaitable[str]:
        """Return KernelTimes (`web/common/timing.mjs`) as JSON, or an awaitable of it."""
        with _translated:
            found = self._stop_timing()
        return found if isinstance(found, str) else self._awaited(found)

    async def _awaited(self, promise: Any) -> Any:
        with _translated:
            return await promise

    def lost(self) -> str:
        """Return the reason for the loss of the device; empty if it is available."""
        return str(self._lost())

    def rescue(self, slot: int, out: Array) -> bool:
        """Copy a slot with elements on the host, even if the device is lost."""
        return bool(self._rescue(_address(out), slot))

    def close(self) -> None:
        """Free everything. The device is not used afterwards."""
        self._close()


async def probe() -> dict[str, Any]:
    """Return the browser's features, from `web/common/probe.mjs`."""
    return json.loads(await (await runtime()).probeJson())


async def open_device(kind: str, options: dict[str, Any], wasm: bytes = b"") -> Device:
    """Open the runtime's "webgpu", "webgl" or "wasm" backend.

    Raises:
        JsException: If the runtime rejects it. The message contains the reason.
    """
    rt = await runtime()
    data = np.frombuffer(wasm, np.uint8) if wasm else np.zeros(1, np.uint8)

    backend = await rt.openJson(
        kind, json.dumps(options), pyodide_js._module, _address(data), len(wasm)
    )
    interrupts.install()
    return Device(rt, backend)
