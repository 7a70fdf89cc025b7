"""Notes on errors of Keras's functions that save and load models, for places of the browser."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from tfpy._src.backends.javascript import storage


def replace(saving_api: types.ModuleType) -> None:
    """Let errors about URLs such as `indexeddb://name` name tfpy's functions for such URLs."""
    functions = vars(saving_api)
    functions["save_model"] = _noted(functions["save_model"], 1, "await model.save_async({!r})")
    functions["load_model"] = _noted(functions["load_model"], 0, "await tf.models.load_async({!r})")


def _noted(function: Callable[..., Any], position: int, instead: str) -> Callable[..., Any]:
    """Return a function whose errors have a note if its path is a place of the browser.

    Args:
        function: A function of Keras.
        position: Position of its parameter `filepath`.
        instead: The call to use instead, with a field for the path.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            given = args[position] if len(args) > position else kwargs.get("filepath")
            if storage.is_place(given):
                error.add_note(f"Keras does not support this URL. Write {instead.format(given)}.")
            raise

    return call
