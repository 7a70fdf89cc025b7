"""Keras's indexing of folders without threads, which Pyodide has not."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any


def replace(module: types.ModuleType) -> None:
    """Gives Keras's ``dataset_utils`` a pool that calls at once."""
    vars(module)["ThreadPool"] = Serial


class Serial:
    """What Keras uses of ``multiprocessing.pool.ThreadPool``, in the caller's thread."""

    def apply_async(self, function: Callable[..., Any], args: Sequence[Any] = ()) -> _Done:
        """Calls a function."""
        return _Done(function(*args))

    def close(self) -> None:
        """Nothing is open."""

    def join(self) -> None:
        """Nothing is under way."""


class _Done:
    def __init__(self, result: Any) -> None:
        self._result = result

    def get(self) -> Any:
        """The result."""
        return self._result
