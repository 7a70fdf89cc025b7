"""Crossing to the JavaScript runtime.

Only this, :mod:`loading`, :mod:`page_facts`, :mod:`page` and :mod:`media` import ``js``.

Rules, from measurements: structures cross once as one JSON string, tensors' bytes as an address
in Python's heap, everything else as integers. Views of the heap are made per call on the
JavaScript side, because the heap's buffer is replaced when memory grows.
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
"""What :attr:`Device.run`, :attr:`Device.repeat`, :attr:`Device.begin` and :attr:`Device.go_on`
raise: who calls them hands that to :func:`op_error`. Everything else here raises errors of
TensorFlow's classes by itself."""


def op_error(failure: Any, op: str | None = None) -> OpError:
    """A failure of the runtime as TensorFlow's error; see :func:`failures.op_error`."""
    return failures.op_error(failure.name, failure.message, op)


class _Translation:
    """A context in which a failure of the runtime is raised as TensorFlow's error."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, FAILURES):
            raise op_error(error) from None


_translated = _Translation()

_scheduler: Any = getattr(js, "scheduler", None) if IN_BROWSER else None

_runtime: Any = None

MAX_TURNS = 1_000_000
"""Number of times that a coroutine may yield in a running event loop on CPython. A coroutine that
polls another task would yield without end, because no other task runs meanwhile."""


def wait(awaitable: Coroutine[Any, Any, T], mend: str) -> T:
    """Return the result of a coroutine to synchronous code.

    Args:
        mend: What to write instead, for the error.

    Raises:
        RuntimeError: Where Python cannot be suspended: in a page without JSPI, or in a coroutine of
            a running event loop if the result depends on another task.
    """
    if not IN_BROWSER:
        return _completed(awaitable, mend)
    if not can_run_sync():
        awaitable.close()
        raise RuntimeError(f"Python cannot wait for the browser here; {mend}")
    return run_sync(awaitable)


def _completed(awaitable: Coroutine[Any, Any, T], mend: str) -> T:
    """Run a coroutine on CPython, in an event loop of its own if none runs."""
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
                # A task removes this mark of an await. No one can await a future with it.
                future._asyncio_future_blocking = False
                break
    except StopIteration as done:
        result: T = done.value
        return result
    awaitable.close()
    raise RuntimeError(f"This would have to wait for another task; {mend}")


def can_wait() -> bool:
    """Whether :func:`wait` can wait for the browser here."""
    return not IN_BROWSER or can_run_sync()


async def end_task() -> None:
    """Ends the browser's task, so that others get their turn.

    Pyodide goes on by messages, and Chromium takes one message after the other for 50 ms before it
    looks at anything else: only a task of another kind lets others go first.
    """
    if _scheduler is None:
        await asyncio.sleep(0)
    else:
        await _scheduler.postTask(js.Boolean)  # which does nothing


async def end_frame() -> None:
    """Ends the browser's frame: goes on when the next one is to be drawn."""
    if IN_BROWSER:
        await (await runtime()).nextFrame()
    else:
        await asyncio.sleep(0)


async def runtime() -> Any:
    """The JavaScript runtime: registered by the page, else run as a script, else as a Blob.

    Raises:
        RuntimeError: outside of a browser, or where the page's content security policy forbids
            each way; the text names the missing words.
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
"""What JavaScript brings, and where it puts it, whoever has stopped waiting: an array whose bytes
it writes, or a list."""

_numbers = itertools.count()


def _settled(number: int, error: Any = None, found: Any = None) -> None:
    arrival, place = _coming.pop(number)
    if isinstance(place, list):
        place.append(found)
    arrival.arrive(error)


_settle: Any = create_proxy(_settled) if IN_BROWSER else None


async def received(answers: Any, most: int) -> list[bytes] | None:
    """The bytes of an Array of promises of Responses, if these say that they have no more than
    `most` together; else None, and where the page allows no runtime: then nothing was read of them.

    Raises:
        JsException: when a connection breaks.
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
    """Functions of the runtime, and what has Python's heap, looked up once."""
    return _runtime.convertModel, _runtime.takeModel, pyodide_js._module


def converted_model(data: bytes) -> Any:
    """What the bytes of a ``model.json`` say, as the runtime reads them, which takes a third of the
    time of ``json``; ``csrc/model_json/marshal.h`` tells what is otherwise in it. None where
    ``json`` is to read them: without the runtime, and for a file that is broken or unusual.
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
    """A backend of the JavaScript runtime, with its functions held once."""

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
        """Copies a contiguous array to a new slot."""
        with _translated:
            return int(self._write(_address(array), array.size, dtype))

    def read(self, slot: int, out: Array) -> None:
        """Copies a slot to a contiguous array; waits for the device.

        Raises:
            RuntimeError: where the device can only be awaited, and Python not suspended.
        """
        if self._read is None:
            return wait(self.read_async(slot, out), 'write "await x.data()" to read a tensor')
        with _translated:
            self._read(_address(out), slot)

    @property
    def reads_at_once(self) -> bool:
        """Whether :meth:`read` can be called here."""
        return self._read is not None or can_wait()

    async def read_async(self, slot: int, out: Array) -> None:
        """The same without blocking the page for long, on a device that :attr:`must_wait`."""
        with _translated:
            await self.start_read(slot, out)

    def start_read(self, slot: int, out: Array) -> Arrival:
        """Begins to read; the arrival fails as the runtime does."""
        number = next(_numbers)
        arrival, _ = _coming[number] = Arrival(), out
        self._start_read(_address(out), out.nbytes, slot, number)
        return arrival

    def free(self, slots: list[int]) -> None:
        """Gives slots back, in one call."""
        with _translated:
            self._free(*slots)

    def register(self, program: str, constants: bytes) -> int:
        """Makes a Program of its JSON text and constants; gives its number."""
        data = np.frombuffer(constants, np.uint8) if constants else np.zeros(1, np.uint8)
        with _translated:
            return int(self._register(program, _address(data), len(constants)))

    async def register_async(self, program: str, constants: bytes, progress: Progress) -> int:
        """The same without freezing the page; ``progress(done, total)`` hears of the shaders."""

        data = np.frombuffer(constants, np.uint8) if constants else np.zeros(1, np.uint8)
        listener = create_proxy(progress)
        try:
            with _translated:
                size = len(constants)
                return int(await self._register_async(program, _address(data), size, listener))
        finally:
            listener.destroy()

    def link(self, program: int, links: str) -> None:
        """Says, as JSON, how runs of a Program follow one another; see ``repeats.mjs``."""
        self._link(program, links)

    def release(self, program: int) -> None:
        """Forgets a Program."""
        self._release(program)

    def memory(self) -> dict[str, Any]:
        """``slots`` and ``bytes`` in use, and numbers of the backend's own."""
        return json.loads(self._memory())

    async def finish(self) -> None:
        """Returns when all submitted work is done."""
        with _translated:
            await self._finish()

    def picture(self, source: Any, height: int, width: int, channels: int) -> int:
        """A new slot with a picture's levels, or 0; see ``web/common/backend.mjs``."""
        with _translated:
            return int(self._picture(source, height, width, channels))

    def draw(self, slot: int, canvas: Any, look: str) -> bool:
        """Draws an image if it can, on a device that :attr:`draws`; ``look`` is JSON of what
        ``web/common/backend.mjs`` calls Look."""
        with _translated:
            return bool(self._draw(slot, canvas, look))

    def borrow(self, buffer: Any, count: int, dtype: str) -> int:
        """A new slot over a GPUBuffer of the page's; see ``web/common/backend.mjs``."""
        with _translated:
            return int(self._borrow(buffer, count, dtype))

    async def lend(self, slot: int) -> Any:
        """The GPUBuffer of a slot, when all that computes it is submitted."""
        with _translated:
            return await self._lend(slot)

    def start_timing(self) -> None:
        """Begins to time kernels."""
        with _translated:
            self._start_timing()

    def stop_timing(self) -> str | Awaitable[str]:
        """What ``web/common/timing.mjs`` calls KernelTimes, as JSON; it may have to be awaited."""
        with _translated:
            found = self._stop_timing()
        return found if isinstance(found, str) else self._awaited(found)

    async def _awaited(self, promise: Any) -> Any:
        with _translated:
            return await promise

    def lost(self) -> str:
        """Why the device is gone; empty while it is there."""
        return str(self._lost())

    def rescue(self, slot: int, out: Array) -> bool:
        """Copies a slot whose elements the host has, though the device may be gone."""
        return bool(self._rescue(_address(out), slot))

    def close(self) -> None:
        """Frees everything; the device is not used afterwards."""
        self._close()


async def probe() -> dict[str, Any]:
    """What the browser can do, from ``web/common/probe.mjs``."""
    return json.loads(await (await runtime()).probeJson())


async def open_device(kind: str, options: dict[str, Any], wasm: bytes = b"") -> Device:
    """Opens the runtime's "webgpu", "webgl" or "wasm" backend.

    Raises:
        JsException: when the runtime refuses; the text says why.
    """
    rt = await runtime()
    data = np.frombuffer(wasm, np.uint8) if wasm else np.zeros(1, np.uint8)

    backend = await rt.openJson(
        kind, json.dumps(options), pyodide_js._module, _address(data), len(wasm)
    )
    interrupts.install()
    return Device(rt, backend)
