"""Which backends there are, which one is active, and why the others are not."""

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

VARIABLE = "TFPY_BACKEND"
"""The variable that may name the backend."""


_entries: dict[str, BackendEntry] = {}
active: Backend | None = None
"""The active backend, if one is open. What runs often reads it, and calls :func:`active_backend`
where there is none."""


def register_backend(name: str, factory: Factory, priority: int = 1) -> bool:
    """Adds a backend (``tf.register_backend``).

    Args:
        factory: gives the :class:`Backend`, or an awaitable of it; raises to fall through.
        priority: the highest that initialises becomes active.

    Returns:
        False when the name is taken.

    Example:
        >>> import tfpy as tf
        >>> factory = tf.find_backend_factory("cpu")
        >>> tf.register_backend("cpu again", factory, priority=0)
        True
        >>> tf.remove_backend("cpu again")
    """
    if name in _entries:
        return False
    _entries[name] = BackendEntry(factory, priority)
    return True


async def _open_device(name: str) -> Backend:
    from tfpy._src.backends import (
        opening,  # with the lowerings, which the cpu backend does not need
    )

    await bridge.runtime()  # says so where there is no browser
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
    """The backends that may be chosen where a program names none, best first; the report says why
    others may not.
    """
    for name in _by_priority():
        entry = _entries[name]
        if reason := entry.asked_only():
            entry.status, entry.reason = Status.SKIPPED, reason
        else:
            yield name


def _entry(name: str) -> BackendEntry:
    if name not in _entries:
        raise ValueError(f"Backend {name!r} is unknown; there are {', '.join(_by_priority())}")
    return _entries[name]


async def _open(name: str) -> Backend:
    """Open a backend, unless it is open."""
    begun = _begin(name)
    if isinstance(begun, Backend):
        return begun
    with _entries[name].noting():
        return _opened(name, await begun)


def _begin(name: str) -> Backend | Awaitable[Backend]:
    """Return a backend, opened if need be, or an awaitable of it if opening it waits."""
    entry = _entry(name)
    if (found := entry.usable) is not None:
        return found
    if entry.status in (Status.SKIPPED, Status.FAILED):
        env().forget_facts()  # what was missing may be there now
    with entry.noting():
        begun = entry.factory()
        return _opened(name, begun) if isinstance(begun, Backend) else begun


def _opened(name: str, backend: Backend) -> Backend:
    _entries[name].opened(name, backend)
    env().opened(name)
    return backend


after_activation: list[Callable[[], None]] = []
"""Called when a backend has become active."""


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
    """Opens the best backend that works, unless one is active (``await tf.ready()``), or the one
    that the variable ``TFPY_BACKEND`` names.

    One whose device the browser has taken away is not active any more.

    What failed or was skipped, and why, is in ``tf.backend_report()``.

    Raises:
        RuntimeError: when no backend opens; the text has the reasons.
        ValueError: when the variable names one that there is not.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> asyncio.run(tf.ready())
        >>> tf.get_backend() in tf.backend_report()
        True
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
    """Says why it is NumPy that computes, where wasm should have and something is wrong."""
    wasm = _entries.get("wasm")
    if backend.name == "cpu" and bridge.IN_BROWSER and wasm and wasm.status is Status.FAILED:
        text = f"NumPy computes, which is slow: the wasm backend does not open: {wasm.reason}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)


@awaitable("tf.set_backend_async(name)")
async def set_backend_async(name: str) -> bool:
    """Makes a backend active, opening it if need be, also anew if the browser has taken its
    device away: what lives on the host, too, is there again, and other tensors are lost.

    Raises:
        ValueError: for an unknown name.
        RuntimeError: when it cannot be opened; the text says why.
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
    """:func:`set_backend_async` for code that cannot await.

    Raises:
        ValueError: for an unknown name.
        RuntimeError: when the backend cannot be opened, or only by awaiting.
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
    """The active backend; opens the best one at the first use.

    Raises:
        RuntimeError: when that needs an ``await tf.ready()`` first.
    """
    if active is None:
        bridge.wait(ready(), 'write "await tf.ready()" before the first op')
    assert active is not None
    return active


def storable(epsilon: float) -> float:
    """An epsilon of float32, or the least that is one on the active backend."""
    if active is None or not active.stores_float16:
        return epsilon
    return max(epsilon, active.epsilon())


@contextmanager
def on_host() -> Iterator[None]:
    """Ops in this context run on the cpu backend, whichever is active outside."""
    entry = _entry("cpu")
    if entry.backend is None:
        entry.backend, entry.status = CpuBackend(), Status.AVAILABLE
    with running_on(entry.backend):
        yield


@contextmanager
def running_on(backend: Backend) -> Iterator[None]:
    """Ops in this context run on a backend, which need not be registered."""
    global active
    before, active = active, backend
    try:
        yield
    finally:
        active = before


def backend() -> Backend:
    """The active backend (``tf.backend()``), for what it can be asked.

    Example:
        >>> import tfpy as tf
        >>> tf.backend().epsilon()  # 1e-4 where textures hold float16
        1e-07
    """
    return active_backend()


def get_backend() -> str:
    """Name of the active backend (``tf.get_backend()``).

    Example:
        >>> import tfpy as tf
        >>> tf.get_backend() in tf.backend_report()
        True
    """
    return active_backend().name


def facts_of_backends() -> dict[str, dict[str, Any]]:
    """Return the status, reason, variant and priority of each backend, the best one first."""
    return {name: _entries[name].facts() for name in _by_priority()}


def note(name: str, reason: str) -> None:
    """Adds to the report what speaks for or against an open backend."""
    _entry(name).reason = reason


def find_backend(name: str) -> Backend | None:
    """The backend of this name, if it is open; None while it is not, and when there is none.

    Example:
        >>> import tfpy as tf
        >>> tf.find_backend("no such backend") is None
        True
    """
    entry = _entries.get(name)
    return entry.backend if entry is not None else None


def find_backend_factory(name: str) -> Factory | None:
    """What opens the backend of this name; None when there is none.

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
    """Closes a backend and forgets it; its tensors that live only there are lost.

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
