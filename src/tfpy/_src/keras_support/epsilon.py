"""Keras's epsilons for devices with float16, where smaller values would become zero."""

from __future__ import annotations

import threading
import types
from typing import Any

from tfpy._src.backends.registry import storable

CONFIG = "keras.src.backend.config"


def replace(module: types.ModuleType) -> None:
    """Adapt `keras.config.epsilon()`, or the `epsilon` of optimizers, to the active device."""
    if module.__name__ == CONFIG:
        _in_config(module)
    else:
        _in_optimizers(module.BaseOptimizer)


def _in_config(config: types.ModuleType) -> None:
    plain = config.epsilon

    def epsilon() -> float:
        return storable(plain())

    epsilon.__doc__ = plain.__doc__
    exported = config.keras_export(["keras.config.epsilon", "keras.backend.epsilon"])
    vars(config)["epsilon"] = exported(epsilon)


class _Local(threading.local):
    updates = 0
    """Number of optimizer updates that are running in this thread."""


_local = _Local()


def _in_optimizers(optimizer: Any) -> None:
    """Adapt `epsilon` to the device while Variables are updated.

    At all other times, such as in `get_config`, it has the value that the program specified.
    """
    plain = optimizer.apply

    def apply(self: Any, *args: Any, **kwargs: Any) -> Any:
        _local.updates += 1
        try:
            return plain(self, *args, **kwargs)
        finally:
            _local.updates -= 1

    def get(self: Any) -> float:
        try:
            said: float = vars(self)["_epsilon"]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no epsilon") from None
        return storable(said) if _local.updates and isinstance(said, float) else said

    def put(self: Any, value: float) -> None:
        vars(self)["_epsilon"] = value

    apply.__doc__ = plain.__doc__
    optimizer.apply = apply
    optimizer.epsilon = property(get, put)
