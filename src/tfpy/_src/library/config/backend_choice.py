"""`tf.set_backend`, which can also choose the fastest backend for a function of the program."""

from __future__ import annotations

import json
import os
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript import bridge, page_facts
from tfpy._src.backends.javascript.digests import sha384
from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.flags.environment import env
from tfpy._src.base.version import __version__
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.display.report import Report

_MOST = 64
"""Maximum number of entries under a name. The oldest entries are removed."""


def recall(name: str, key: str) -> Any:
    """Return the value stored under a key, or None."""
    return _entries(name).get(key)


def remember(name: str, key: str, value: Any) -> None:
    """Store a JSON value for the next run, if storage is available."""
    entries = {k: v for k, v in _entries(name).items() if k != key}
    newest = [*entries.items(), (key, value)][-_MOST:]
    _write(name, json.dumps(dict(newest)))


def _entries(name: str) -> dict[str, Any]:
    """Return all stored entries of a name."""
    try:
        found = json.loads(_read(name) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read(name: str) -> str | None:
    """Return the stored text of a name, or None."""
    if bridge.IN_BROWSER:
        return page_facts.stored(f"tfpy.{name}")
    try:
        return _file(name).read_text("utf-8")
    except OSError:
        return None


def _write(name: str, text: str) -> None:
    """Store the text of a name."""
    if bridge.IN_BROWSER:
        return page_facts.store(f"tfpy.{name}", text)
    file = _file(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, text.encode())
    except OSError:
        pass  # the value is not stored


def _file(name: str) -> Path:
    """Return the file of a name."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tfpy" / f"{name}.json"


AUTO = "auto"
_PLACE = "backends"
_SECONDS = 0.1  # time to measure a fast candidate
_MOST_CALLS = 20
_HOPELESS = 20  # a host backend that is slower by this factor is not called a second time

Model = Callable[..., Any]


@awaitable("tf.set_backend_async(name)")
async def set_backend_async(name: str, *, model: Model | None = None, inputs: Nest = ()) -> bool:
    """Make a backend active, and initialize it if necessary.

    The ops that follow run on this backend. Tensors are copied to it when they are used. If the
    device of the backend was lost, for example because the browser has taken away the GPU, the
    backend is initialized again; values that were only on the lost device are lost.

    If `name` is `"auto"`, `model` is called more than once on every backend, and the fastest
    backend becomes active. The model should therefore not change any state. The choice is stored in
    the page's localStorage or the user's cache folder. It is used again for a function with the
    same `__name__`, code and shapes of Variables, if the shapes of the inputs, the device and the
    flags of `tf.env` are the same.

    Args:
        name: Name of a backend (`"webgpu"`, `"webgl"`, `"wasm"`, `"cpu"`, `"jax"`, or the name of a
            registered backend), or `"auto"`.
        model: Function to measure. The measured time includes reading its results. It is required
            if `name` is `"auto"`, and not allowed otherwise.
        inputs: Argument of `model`, or a list or tuple of its arguments. Default: no arguments.

    Returns:
        An awaitable that resolves to True.

    Raises:
        ValueError: If the backend is unknown, if `name` is `"auto"` and `model` is missing, or if
            `model` is passed and `name` is not `"auto"`.
        RuntimeError: If the backend cannot be initialized, or if no backend can run the model. The
            message contains the reasons.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> name = tf.get_backend()  # or "webgpu", "wasm", ...
        >>> asyncio.run(tf.set_backend_async(name))  # in a page: await tf.set_backend_async(name)
        True

    See also: `tf.set_backend`, `tf.get_backend`, `tf.backend_report`.
    """
    if (name == AUTO) != (model is not None):
        raise ValueError('set_backend: pass a model to measure if and only if the name is "auto"')
    if model is None:
        return await registry.set_backend_async(name)
    arguments = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    key = await _key(model, arguments)
    if not await _is_opened(recall(_PLACE, key)):
        winner = await _fastest(model, arguments)
        await registry.set_backend_async(winner)
        remember(_PLACE, key, winner)
    return True


def set_backend(name: str, *, model: Model | None = None, inputs: Nest = ()) -> bool:
    """Make a backend active, in code that cannot await.

    The function initializes the backend if this is possible without awaiting. In a page, webgpu,
    webgl and wasm must be initialized with `await tf.set_backend_async(name)` or
    `await tf.ready()`, unless the browser can suspend Python (JSPI). Afterwards, this function can
    switch between them.

    Args:
        name: Name of a backend (`"webgpu"`, `"webgl"`, `"wasm"`, `"cpu"`, `"jax"`, or the name of a
            registered backend), or `"auto"` for the backend on which `model` is fastest.
        model: Function to measure, which is called more than once. It is required if `name` is
            `"auto"`, and not allowed otherwise.
        inputs: Argument of `model`, or a list or tuple of its arguments. Default: no arguments.

    Returns:
        True. If the backend cannot become active, an error is raised.

    Raises:
        ValueError: If the backend is unknown, if `name` is `"auto"` and `model` is missing, or if
            `model` is passed and `name` is not `"auto"`.
        RuntimeError: If the backend cannot be initialized, or only by awaiting
            `tf.set_backend_async`.

    Example:
        >>> import tfpy as tf
        >>> before = tf.get_backend()
        >>> tf.set_backend("cpu")
        True
        >>> tf.get_backend()
        'cpu'
        >>> tf.set_backend(before)
        True

    See also: `tf.set_backend_async`, `tf.get_backend`.
    """
    if name != AUTO and model is None:
        return registry.set_backend(name)
    mend = f'write "await tf.set_backend_async({name!r}, model=..., inputs=...)" instead'
    return bridge.wait(set_backend_async(name, model=model, inputs=inputs), mend)


async def _is_opened(name: Any) -> bool:
    """Return True if a remembered name is a backend that opens."""
    if name not in registry.candidates():
        return False
    try:
        return await registry.set_backend_async(name)
    except RuntimeError:
        return False


async def _fastest(model: Model, inputs: tuple[Any, ...]) -> str:
    """Return the name of the backend on which the model is fastest.

    Raises:
        RuntimeError: If the model fails on every backend.
    """
    before = registry.active
    times: dict[str, float] = {}
    wrong: dict[str, str] = {}
    for name in registry.candidates():
        try:
            await registry.set_backend_async(name)
            times[name] = await _seconds(model, inputs, min(times.values(), default=0.0))
            registry.note(name, f"{times[name] * 1e3:.3g} ms for {_name(model)}")
        except Exception as error:
            wrong[name] = str(error)
    if not times:
        if before is not None:
            await registry.set_backend_async(before.name)
        raise RuntimeError(f"set_backend: no backend can run {_name(model)}: {wrong}")
    return min(times, key=lambda name: times[name])


async def _seconds(model: Model, inputs: tuple[Any, ...], best: float) -> float:
    """Return the least time of repeated calls on the active backend. The first call may compile."""
    backend = registry.active_backend()
    first = await _call(model, inputs)
    if backend.on_host and best and first > _HOPELESS * best:
        return first
    found = [await _call(model, inputs)]
    while sum(found) < _SECONDS and len(found) < _MOST_CALLS:
        found.append(await _call(model, inputs))
    return min(found)


async def _call(model: Model, inputs: tuple[Any, ...]) -> float:
    """Return the time of one call, including reading its results."""
    start = perf_counter()
    for value in nest.flatten(model(*inputs), expand_composites=True):
        if isinstance(value, Tensor):
            await value.data()
    return perf_counter() - start


# Keys of remembered choices


async def _key(model: Model, inputs: tuple[Any, ...]) -> str:
    """Return a key for the device, the function and its inputs."""
    facts = await env().facts()
    names = [*registry.facts_of_backends()]
    device = [facts["webgpu"], facts["webgl"], facts["wasm"], facts["hardwareConcurrency"], names]
    given = [_described(v) for v in nest.flatten(inputs)]
    text = json.dumps([__version__, device, env().get_flags(), _identity(model), given])
    return sha384(text.encode()).hex()


def _name(model: Model) -> str:
    """Return a name of a model for messages."""
    return str(getattr(model, "__qualname__", None) or getattr(model, "name", type(model).__name__))


def _described(value: Any) -> str:
    """Return the shape and dtype of an array, or the repr of any other value."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    return f"{dtype}{list(shape)}" if shape is not None else repr(value)


def _identity(model: Model) -> list[Any]:
    """Return the name, the code and the shapes of the weights of a function, which identify it."""
    function = getattr(model, "python_function", model)
    code = getattr(function, "__code__", None)
    weights = getattr(model, "weights", [])
    leaves = weights.values() if isinstance(weights, Mapping) else weights
    return [_name(model), _digest(code), [_described(w) for w in leaves]]


def _digest(code: types.CodeType | None) -> str:
    """Return a digest of a function's bytecode, which does not depend on its source location."""
    if code is None:
        return ""
    inner = [_digest(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    plain = [repr(c) for c in code.co_consts if not isinstance(c, types.CodeType)]
    text = repr((code.co_code, code.co_names, plain, inner))
    return sha384(text.encode()).hex()


def backend_report() -> dict[str, dict[str, Any]]:
    """Return the status of each backend, and why a backend cannot be used.

    Returns:
        A dict that prints as a table. It maps the name of each backend, highest priority first, to
        a dict with these keys:

        - `"status"`: `"chosen"` (the active backend), `"available"` (initialized but not active),
          `"lost"` (the browser has taken away its device), `"skipped"` (usable, but not chosen
          automatically), `"failed"` or `"not tried"`.
        - `"reason"`: Reason for the status, or an empty string.
        - `"variant"`: Variant of the backend that this browser uses, such as `"relaxed-threads"`.
        - `"priority"`: Number by which `tf.ready` orders the backends.

    Example:
        >>> import tfpy as tf
        >>> tf.backend_report()[tf.get_backend()]["status"]
        'chosen'

    See also: `tf.set_backend`, `tf.device_info`.
    """
    head = ("backend", "status", "variant", "reason")
    return Report(registry.facts_of_backends(), head)
