"""How many threads the wasm backend computes with."""

from __future__ import annotations

from tfpy._src.backends.registry import find_backend
from tfpy._src.base.flags.environment import env

_FLAG = "TFPY_WASM_THREADS_COUNT"


def set_threads_count(count: int) -> None:
    """Says how many threads the wasm backend computes with when it opens, at most 8.

    There are as many as the device has cores when nothing is said. Threads need a page that is
    cross-origin isolated.

    Raises:
        ValueError: when it is no whole number from 1.
        RuntimeError: when the backend is open already.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"set_threads_count: count is a whole number from 1, not {count!r}")
    env().set(_FLAG, count)


def get_threads_count() -> int:
    """How many threads the wasm backend computes with.

    Raises:
        RuntimeError: when the backend is not open.
    """
    backend = find_backend("wasm")
    if backend is None:
        mend = 'await tf.set_backend_async("wasm") opens it'
        raise RuntimeError(f"get_threads_count: the wasm backend is not open; {mend}")
    return int(backend.memory()["threads"])
