"""Keras's indexing of folders without threads, which Pyodide does not support."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any


def replace(module: types.ModuleType) -> None:
    """Replace the thread pool in Keras's `dataset_utils` by immediate calls."""
    vars(module)["ThreadPool"] = Serial


class Serial:
    """A subset of `multiprocessing.pool.ThreadPool` that runs in the caller's thread."""

    def apply_async(self, function: Callable[..., Any], args: Sequence[Any] = ()) -> _Done:
        """Call a function immediately and return its result as a finished task."""
        return _Done(function(*args))

    def close(self) -> None:
        """Do nothing, because there are no workers."""

    def join(self) -> None:
        """Do nothing, because all calls have finished."""


class _Done:
    def __init__(self, result: Any) -> None:
        self._result = result

    def get(self) -> Any:
        """Return the result of the call."""
        return self._result
