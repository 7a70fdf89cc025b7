"""Keras's table of classes by name, which model files use, extended to modules loaded later.

Keras registers a class when the module of the class is loaded.
"""

from __future__ import annotations

import types
from typing import Any

from tfpy._src.keras_support import overlay


def replace(module: types.ModuleType) -> None:
    """Make Keras's `api_export` load deferred modules if it does not find a name."""
    entered = vars(module)["get_symbol_from_name"]

    def get_symbol_from_name(name: str) -> Any:
        found = entered(name)
        if found is None and overlay.load_keras():
            found = entered(name)
        return found

    vars(module)["get_symbol_from_name"] = get_symbol_from_name
