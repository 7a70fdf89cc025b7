"""The module `tf_keras`, which libraries for TensorFlow import in place of Keras 2.

It has the names of Keras 3, which runs on tfpy. Keras 2 needs TensorFlow's private modules.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

NAME = "tf_keras"
_KERAS = "keras._tf_keras.keras"
_VERSION_1 = "api._v1.keras"
_LEGACY_LAYERS = f"{_VERSION_1}.__internal__.legacy.layers"


def module(name: str) -> types.ModuleType | None:
    """Return the module with a name below `tf_keras`, which is empty for `tf_keras` itself."""
    if name == "__internal__":
        return _internal()
    if name in ("", "api", "api._v1", _VERSION_1):
        return _forwarding(name, _KERAS)
    if name in (f"{_VERSION_1}.__internal__", f"{_VERSION_1}.__internal__.legacy"):
        return _forwarding(name, _KERAS)
    if name == _LEGACY_LAYERS:
        return _forwarding(name, f"{_KERAS}.layers")
    try:
        return importlib.import_module(f"{_KERAS}.{name}")
    except ModuleNotFoundError:
        return None


def _internal() -> types.ModuleType:
    """Return the module of private names. Classes of tensors need no registration in Keras 3."""
    made = types.ModuleType(f"{NAME}.__internal__")
    utils = types.SimpleNamespace(register_symbolic_tensor_type=lambda cls: None)
    vars(made)["utils"] = utils
    return made


def _forwarding(name: str, target: str) -> types.ModuleType:
    """Return a module whose names are those of another one, which is imported when needed."""
    made = types.ModuleType(f"{NAME}.{name}".removesuffix("."))
    made.__path__ = []

    def found(attribute: str) -> Any:
        keras = importlib.import_module(target)
        if attribute == "__all__":
            return [n for n in dir(keras) if not n.startswith("_")]
        return getattr(keras, attribute)

    vars(made)["__getattr__"] = found
    return made
