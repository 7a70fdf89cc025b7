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
_OWN = ("__internal__", "optimizers")
"""Modules that differ from those of Keras 3."""
_LEGACY_LAYERS = f"{_VERSION_1}.__internal__.legacy.layers"


def module(name: str) -> types.ModuleType | None:
    """Return the module with a name below `tf_keras`, which is empty for `tf_keras` itself."""
    if name == "__internal__":
        return _internal()
    if name == "optimizers":
        return _optimizers()
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


def _optimizers() -> types.ModuleType:
    """Return the module of optimizers, in which `Optimizer` takes its name first, as in Keras 2."""
    made = _forwarding("optimizers", f"{_KERAS}.optimizers")
    base: Any = importlib.import_module(f"{_KERAS}.optimizers").Optimizer

    class AnyOptimizer(type(base)):  # type: ignore[misc]
        """The class of `Optimizer`, of which all optimizers of Keras 3 are instances."""

        def __instancecheck__(cls, instance: object) -> bool:
            return (
                isinstance(instance, base)
                if cls is Optimizer
                else super().__instancecheck__(instance)
            )

    class Optimizer(base, metaclass=AnyOptimizer):  # type: ignore[misc]
        """The base of optimizers that other libraries define."""

        def __init__(self, name: str, weight_decay: float | None = 0, **kwargs: Any) -> None:
            super().__init__(0.0, weight_decay=weight_decay or None, name=name, **kwargs)

    vars(made).update(Optimizer=Optimizer, legacy=made)
    return made


def _forwarding(name: str, target: str) -> types.ModuleType:
    """Return a module whose names are those of another one, which is imported when needed."""
    made = types.ModuleType(f"{NAME}.{name}".removesuffix("."))
    made.__path__ = []

    def found(attribute: str) -> Any:
        keras = importlib.import_module(target)
        if attribute == "__all__":
            return [n for n in dir(keras) if not n.startswith("_")]
        if not name and attribute in _OWN:
            return importlib.import_module(f"{NAME}.{attribute}")
        return getattr(keras, attribute)

    vars(made)["__getattr__"] = found
    return made
