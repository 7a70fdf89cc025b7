"""Awaitable `fit`, `evaluate` and `predict` of KerasHub's models, which preprocess strings."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tfpy._src.backends.awaitable import awaitable

_AWAITED = ContextVar("_AWAITED", default=False)
"""True while a method of KerasHub's models prepares the data of an awaitable method."""


def replace(module: types.ModuleType) -> None:
    """Make the awaitable methods prepare their data as the others do.

    KerasHub's `fit` preprocesses the data and calls Keras's `fit` with them.
    """
    keras_model = module.keras.Model
    for name in ("fit", "evaluate", "predict"):
        later = getattr(keras_model, f"{name}_async")
        setattr(keras_model, name, _either(getattr(keras_model, name), later))
        setattr(module.PipelineModel, f"{name}_async", _prepared(name, later))


def _either(plain: Any, later: Any) -> Any:
    """Return a method of Keras that returns the awaitable of another one where this is wanted."""

    @functools.wraps(plain)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return (later if _AWAITED.get() else plain)(self, *args, **kwargs)

    return method


def _prepared(name: str, later: Any) -> Any:
    """Return an awaitable method that first prepares the data."""

    @awaitable(f"model.{name}_async(...)")
    @functools.wraps(later)
    async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _awaited():
            result = getattr(self, name)(*args, **kwargs)
        return await result

    return method


@contextmanager
def _awaited() -> Iterator[None]:
    token = _AWAITED.set(True)
    try:
        yield
    finally:
        _AWAITED.reset(token)
