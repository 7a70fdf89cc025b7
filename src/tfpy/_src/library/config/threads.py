"""The number of threads of the wasm backend."""

from __future__ import annotations

from tfpy._src.backends.registry import find_backend
from tfpy._src.base.flags.environment import env

_FLAG = "TFPY_WASM_THREADS_COUNT"


def set_threads_count(count: int) -> None:
    """Set the number of threads of the wasm backend, before this backend is initialized.

    By default, the backend uses one thread for each core, at most 8. Threads require a page that is
    cross-origin isolated; in other pages, the backend uses one thread.

    Args:
        count: Number of threads, at least 1. More than 8 threads are not used.

    Raises:
        ValueError: If `count` is not a positive integer.
        RuntimeError: If the wasm backend has already been initialized.

    Example::

        import tfpy as tf

        tf.set_threads_count(4)
        await tf.set_backend_async("wasm")

    See also: `tf.get_threads_count`.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"set_threads_count: count must be a positive integer, got {count!r}")
    env().set(_FLAG, count)


def get_threads_count() -> int:
    """Return the number of threads that the wasm backend uses.

    Returns:
        An int.

    Raises:
        RuntimeError: If the wasm backend has not been initialized.

    Example::

        import tfpy as tf

        await tf.set_backend_async("wasm")
        print(tf.get_threads_count())

    See also: `tf.set_threads_count`.
    """
    backend = find_backend("wasm")
    if backend is None:
        mend = 'Open it with await tf.set_backend_async("wasm").'
        raise RuntimeError(f"get_threads_count: the wasm backend is not open. {mend}")
    return int(backend.memory()["threads"])
