"""Keras's table of its classes by name, which files of models ask: with those loaded later.

Keras enters a class when the module that has it is loaded.
"""

from __future__ import annotations

import types
from typing import Any

from tfpy._src.keras_support import overlay


def replace(module: types.ModuleType) -> None:
    """Lets Keras's ``api_export`` look where it has not looked yet."""
    entered = vars(module)["get_symbol_from_name"]

    def get_symbol_from_name(name: str) -> Any:
        found = entered(name)
        if found is None and overlay.load_keras():
            found = entered(name)
        return found

    vars(module)["get_symbol_from_name"] = get_symbol_from_name
