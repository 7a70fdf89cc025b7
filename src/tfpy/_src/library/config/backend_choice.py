"""``tf.set_backend``, also for the backend that is fastest on the program's own function."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript import bridge
from tfpy._src.backends.javascript.digests import sha384
from tfpy._src.base.flags.environment import env
from tfpy._src.base.version import __version__
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.display.report import Report
from tfpy._src.library.config.remembered_choices import recall, remember

AUTO = "auto"
_PLACE = "backends"
_SECONDS = 0.1  # for which a candidate is timed, if it is quick
_MOST_CALLS = 20
_HOPELESS = 20  # times slower than the best: not called a second time where nothing is compiled

Model = Callable[..., Any]


@awaitable("tf.set_backend_async(name)")
async def set_backend_async(name: str, *, model: Model | None = None, inputs: Any = ()) -> bool:
    """Makes a backend active, opening it if need be, also anew if the browser has taken its
    device away: what lives on the host, too, is there again, and other tensors are lost.

    Args:
        name: of a backend; or "auto" for the one that is fastest on ``model``. All that open are
            timed then: calls of ``model``, and reading what it gives. The winner is remembered for
            this device, function and inputs, in the page's localStorage or the user's cache folder.
        model: what is timed. It is called some dozens of times: it should change nothing.
        inputs: its arguments, in a list or tuple if there are several or none.

    Raises:
        ValueError: for an unknown name; for "auto" without a model, or a model without "auto".
        RuntimeError: when the backend cannot be opened, or none of them computes the model; the
            text says why.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> asyncio.run(tf.set_backend_async(tf.get_backend()))
        True
    """
    if (name == AUTO) != (model is not None):
        raise ValueError('set_backend: "auto" goes with a model, which is timed, and no other name')
    if model is None:
        return await registry.set_backend_async(name)
    arguments = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    key = await _key(model, arguments)
    if not await _is_opened(recall(_PLACE, key)):
        winner = await _fastest(model, arguments)
        await registry.set_backend_async(winner)
        remember(_PLACE, key, winner)
    return True


def set_backend(name: str, *, model: Model | None = None, inputs: Any = ()) -> bool:
    """:func:`set_backend_async` for code that cannot await.

    Raises:
        ValueError: for an unknown name; for "auto" without a model, or a model without "auto".
        RuntimeError: when the backend cannot be opened, or only by awaiting.

    Example:
        >>> import tfpy as tf
        >>> tf.set_backend(tf.get_backend())
        True
    """
    if name != AUTO and model is None:
        return registry.set_backend(name)
    mend = f'write "await tf.set_backend_async({name!r}, model=..., inputs=...)" instead'
    return bridge.wait(set_backend_async(name, model=model, inputs=inputs), mend)


async def _is_opened(name: Any) -> bool:
    """Whether what was remembered is a backend that opens."""
    if name not in registry.candidates():
        return False
    try:
        return await registry.set_backend_async(name)
    except RuntimeError:
        return False


async def _fastest(model: Model, inputs: tuple[Any, ...]) -> str:
    """The name of the backend on which the model takes least.

    Raises:
        RuntimeError: when it fails on each.
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
        raise RuntimeError(f"set_backend: no backend computes {_name(model)}: {wrong}")
    return min(times, key=lambda name: times[name])


async def _seconds(model: Model, inputs: tuple[Any, ...], best: float) -> float:
    """The least time of a few calls on the active backend, the first of which may compile."""
    backend = registry.active_backend()
    first = await _call(model, inputs)
    if backend.on_host and best and first > _HOPELESS * best:
        return first
    found = [await _call(model, inputs)]
    while sum(found) < _SECONDS and len(found) < _MOST_CALLS:
        found.append(await _call(model, inputs))
    return min(found)


async def _call(model: Model, inputs: tuple[Any, ...]) -> float:
    start = perf_counter()
    for value in nest.flatten(model(*inputs), expand_composites=True):
        if isinstance(value, Tensor):
            await value.data()
    return perf_counter() - start


# what is remembered


async def _key(model: Model, inputs: tuple[Any, ...]) -> str:
    facts = await env().facts()
    names = [*registry.facts_of_backends()]
    device = [facts["webgpu"], facts["webgl"], facts["wasm"], facts["hardwareConcurrency"], names]
    given = [_described(v) for v in nest.flatten(inputs)]
    text = json.dumps([__version__, device, env().get_flags(), _identity(model), given])
    return sha384(text.encode()).hex()


def _name(model: Model) -> str:
    return str(getattr(model, "__qualname__", None) or getattr(model, "name", type(model).__name__))


def _described(value: Any) -> str:
    """Shape and dtype of an array, or what else it is."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    return f"{dtype}{list(shape)}" if shape is not None else repr(value)


def _identity(model: Model) -> list[Any]:
    """What makes a function another one: its name, its code, the shapes of its weights."""
    function = getattr(model, "python_function", model)
    code = getattr(function, "__code__", None)
    weights = getattr(model, "weights", [])
    leaves = weights.values() if isinstance(weights, Mapping) else weights
    return [_name(model), _digest(code), [_described(w) for w in leaves]]


def _digest(code: types.CodeType | None) -> str:
    """Of what a function does, wherever its source stands."""
    if code is None:
        return ""
    inner = [_digest(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    plain = [repr(c) for c in code.co_consts if not isinstance(c, types.CodeType)]
    text = repr((code.co_code, code.co_names, plain, inner))
    return sha384(text.encode()).hex()


def backend_report() -> Report:
    """What is known of each backend, best first.

    Returns:
        name -> ``{"status", "reason", "variant", "priority"}``, a dict that prints as a table;
        status is "chosen", "available" (opened, not active), "lost" (the browser has taken its
        device away), "skipped", "failed" or "not tried".

    Example:
        >>> import tfpy as tf
        >>> sorted(tf.backend_report()["cpu"])
        ['priority', 'reason', 'status', 'variant']
    """
    head = ("backend", "status", "variant", "reason")
    return Report(registry.facts_of_backends(), head)
