"""The registry of backends: which are registered, which one is active, and why others are not."""

from __future__ import annotations

import os
import warnings
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tfpy._src.backends import host_facts
from tfpy._src.backends.abilities import loss_of
from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.backends.entry import BackendEntry, Factory, Status
from tfpy._src.backends.javascript import bridge
from tfpy._src.base.flags.environment import env
from tfpy._src.base.suggestions import did_you_mean

VARIABLE = "TFPY_BACKEND"
"""Environment variable that may name the backend."""

_entries: dict[str, BackendEntry] = {}
active: Backend | None = None
"""Active backend, if one is open. `active_backend` also opens one."""


def register_backend(name: str, factory: Factory, priority: int = 1) -> bool:
    """Add a backend, which `tf.ready` and `tf.set_backend` can then use.

    Args:
        name: Name of the backend.
        factory: Function that returns the backend, or an awaitable that resolves to it. If it
            raises an error, `tf.ready` tries the next backend.
        priority: Number by which `tf.ready` orders the backends, highest first. cpu has priority 1.

    Returns:
        True, or False if the name is already registered.

    Example:
        >>> import tfpy as tf
        >>> factory = tf.find_backend_factory("cpu")
        >>> tf.register_backend("cpu again", factory, priority=0)
        True
        >>> tf.remove_backend("cpu again")

    See also: `tf.remove_backend`, `tf.KernelBackend`.
    """
    if name in _entries:
        return False
    _entries[name] = BackendEntry(factory, priority)
    return True


async def _open_device(name: str) -> Backend:
    from tfpy._src.backends import (
        opening,  # imports the lowerings, which the cpu backend does not need
    )

    await bridge.runtime()  # raises an error outside of a browser
    return await opening.OPEN[name]()


host_facts.install()
register_backend("webgpu", partial(_open_device, "webgpu"), 4)
register_backend("webgl", partial(_open_device, "webgl"), 3)
register_backend("wasm", partial(_open_device, "wasm"), 2)
register_backend("cpu", CpuBackend, 1)


def _open_jax() -> Backend:
    from tfpy._src.backends.jax import detection

    detection.check_installed()
    from tfpy._src.backends.jax.backend import JaxBackend  # imports JAX, which takes seconds

    return JaxBackend()


def _why_not_jax() -> str:
    from tfpy._src.backends.jax import detection

    return detection.why_not()


if not bridge.IN_BROWSER:
    register_backend("jax", _open_jax, 5)
    _entries["jax"].asked_only = _why_not_jax


def _by_priority() -> list[str]:
    return sorted(_entries, key=lambda name: -_entries[name].priority)


def candidates() -> Iterator[str]:
    """Yield the backends that may be chosen automatically, best first."""
    for name in _by_priority():
        entry = _entries[name]
        if reason := entry.asked_only():
            entry.status, entry.reason = Status.SKIPPED, reason
        else:
            yield name


def _entry(name: str) -> BackendEntry:
    if name not in _entries:
        known = ", ".join(_by_priority())
        close = did_you_mean(name, _entries)
        raise ValueError(f"Backend {name!r} is unknown. The backends are {known}.{close}")
    return _entries[name]


async def _open(name: str) -> Backend:
    """Open a backend unless it is already open."""
    begun = _begin(name)
    if isinstance(begun, Backend):
        return begun
    with _entries[name].noting():
        return _opened(name, await begun)


def _begin(name: str) -> Backend | Awaitable[Backend]:
    """Return a backend, opened if necessary, or an awaitable of it."""
    entry = _entry(name)
    if (found := entry.usable) is not None:
        return found
    if entry.status in (Status.SKIPPED, Status.FAILED):
        env().forget_facts()  # the missing feature may be available now
    with entry.noting():
        begun = entry.factory()
        return _opened(name, begun) if isinstance(begun, Backend) else begun


def _opened(name: str, backend: Backend) -> Backend:
    _entries[name].opened(name, backend)
    env().opened(name)
    return backend


after_activation: list[Callable[[], None]] = []
"""Callbacks for the activation of a backend."""


def _activate(backend: Backend) -> None:
    global active
    active = backend
    for entry in _entries.values():
        if entry.status is Status.CHOSEN:
            entry.status = Status.AVAILABLE
    _entries[backend.name].status = Status.CHOSEN
    for act in after_activation:
        act()


@awaitable("tf.ready()")
async def ready() -> None:
    """Initialize the best backend that works, unless a backend is already active.

    In a page, await this function before the first op. If the environment variable `TFPY_BACKEND`
    names a backend, this one is initialized. If the device of the active backend was lost, a
    backend is initialized again. `tf.backend_report()` states why other backends failed or were
    skipped.

    Returns:
        An awaitable that resolves to None.

    Raises:
        RuntimeError: If no backend can be initialized. The message contains the reasons.
        ValueError: If `TFPY_BACKEND` names an unknown backend.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> asyncio.run(tf.ready())  # in a page: await tf.ready()
        >>> tf.backend_report()[tf.get_backend()]["status"]
        'chosen'

    See also: `tf.set_backend`, `tf.backend_report`.
    """
    if active is not None and not loss_of(active):
        return
    if named := os.environ.get(VARIABLE):
        await set_backend_async(named)
        return
    for name in candidates():
        try:
            backend = await _open(name)
        except Exception:
            continue
        _activate(backend)
        _warn_of_numpy(backend)
        return
    reasons = (f"{name}: {facts['reason']}" for name, facts in facts_of_backends().items())
    raise RuntimeError("\n".join(["No backend could be opened:", *reasons]))


def _warn_of_numpy(backend: Backend) -> None:
    """Warn that NumPy computes in a page because the wasm backend failed."""
    wasm = _entries.get("wasm")
    if backend.name == "cpu" and bridge.IN_BROWSER and wasm and wasm.status is Status.FAILED:
        text = f"NumPy computes, which is slow: the wasm backend failed to open: {wasm.reason}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)


@awaitable("tf.set_backend_async(name)")
async def set_backend_async(name: str) -> bool:
    """Make a backend active and open it if necessary.

    A backend with a lost device is opened again. Tensors with a copy on the host are available
    again; other tensors of the lost device are not.

    Raises:
        ValueError: If the name is unknown.
        RuntimeError: If the backend cannot be opened. The message contains the reason.
    """
    _entry(name)
    try:
        _activate(await _open(name))
    except Exception as error:
        raise _unusable(name, error) from error
    return True


def _unusable(name: str, error: Exception) -> RuntimeError:
    return RuntimeError(f"Backend {name!r} cannot be used here: {error}")


def set_backend(name: str) -> bool:
    """Make a backend active in code that cannot await.

    Raises:
        ValueError: If the name is unknown.
        RuntimeError: If the backend cannot be opened, or only by awaiting.
    """
    _entry(name)
    try:
        begun = _begin(name)
    except Exception as error:
        raise _unusable(name, error) from error
    if isinstance(begun, Backend):
        _activate(begun)
        return True
    if isinstance(begun, Coroutine):
        begun.close()
    return bridge.wait(
        set_backend_async(name), f'write "await tf.set_backend_async({name!r})" instead'
    )


def active_backend() -> Backend:
    """Return the active backend. The first use opens the best one.

    Raises:
        RuntimeError: If opening requires `await tf.ready()` first.
    """
    if active is None:
        bridge.wait(ready(), 'write "await tf.ready()" before the first op')
    assert active is not None
    return active


def storable(epsilon: float) -> float:
    """Return the epsilon, or the smallest number that the active backend can store."""
    if active is None or not active.stores_float16:
        return epsilon
    return max(epsilon, active.epsilon())


@contextmanager
def on_host() -> Iterator[None]:
    """Run the ops in this context on the cpu backend."""
    entry = _entry("cpu")
    if entry.backend is None:
        entry.backend, entry.status = CpuBackend(), Status.AVAILABLE
    with running_on(entry.backend):
        yield


@contextmanager
def running_on(backend: Backend) -> Iterator[None]:
    """Run the ops in this context on a backend, which need not be registered."""
    global active
    before, active = active, backend
    try:
        yield
    finally:
        active = before


def backend() -> Backend:
    """Return the active backend.

    Returns:
        A backend object. `epsilon()` returns a small number that the backend does not round to
        zero.

    Example:
        >>> import tfpy as tf
        >>> tf.backend().epsilon()  # 1e-4 where textures hold float16
        1e-07

    See also: `tf.get_backend`.
    """
    return active_backend()


def get_backend() -> str:
    """Return the name of the active backend.

    Returns:
        A str, such as "webgpu", "webgl", "wasm", "cpu" or "jax".

    Example:
        >>> import tfpy as tf
        >>> tf.get_backend()  # doctest: +SKIP
        'webgpu'

    See also: `tf.set_backend`.
    """
    return active_backend().name


def facts_of_backends() -> dict[str, dict[str, Any]]:
    """Return the status, reason, variant and priority of each backend, best first."""
    return {name: _entries[name].facts() for name in _by_priority()}


def note(name: str, reason: str) -> None:
    """Add a reason for or against an open backend to the report."""
    _entry(name).reason = reason


def find_backend(name: str) -> Backend | None:
    """Return a backend by its name, if it has been initialized.

    Args:
        name: Name of the backend.

    Returns:
        A backend object. None if the backend has not been initialized or does not exist.

    Example:
        >>> import tfpy as tf
        >>> tf.find_backend(tf.get_backend()) is tf.backend()
        True
    """
    entry = _entries.get(name)
    return entry.backend if entry is not None else None


def find_backend_factory(name: str) -> Factory | None:
    """Return the function that initializes a backend.

    Args:
        name: Name of the backend.

    Returns:
        The function that was passed to `tf.register_backend`. None if the backend does not exist.

    Example:
        >>> import tfpy as tf
        >>> factory = tf.find_backend_factory("cpu")
        >>> tf.register_backend("cpu again", factory, priority=0)
        True
        >>> tf.find_backend_factory("cpu again") is factory
        True
        >>> tf.remove_backend("cpu again")
    """
    entry = _entries.get(name)
    return entry.factory if entry is not None else None


def remove_backend(name: str) -> None:
    """Close and unregister a backend. Values that are only stored on its device are lost.

    Args:
        name: Name of the backend.

    Raises:
        ValueError: If no backend has this name.

    Example:
        >>> import tfpy as tf
        >>> factory = tf.find_backend_factory("cpu")
        >>> tf.register_backend("cpu again", factory, priority=0)
        True
        >>> tf.remove_backend("cpu again")
        >>> "cpu again" in tf.backend_report()
        False
    """
    global active
    entry = _entry(name)
    if entry.backend is not None:
        if entry.backend is active:
            active = None
        entry.backend.retire(f"backend {name!r}, which was removed (tf.remove_backend)")
    env().closed(name)
    del _entries[name]
