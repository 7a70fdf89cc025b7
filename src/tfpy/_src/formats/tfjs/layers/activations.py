"""Activations and layers that Keras 3 means otherwise, or has no more."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError

PACKAGE = "tfpy"
"""The name under which Keras knows these functions in files."""
LEGACY_LAYERS = ("ThresholdedReLU",)


def legacy_layer(kind: str) -> Any:
    """A layer that Keras keeps for old files."""
    return getattr(importlib.import_module("keras.src.legacy.layers"), kind)


@cache
def _own(keras: Any) -> dict[str, Callable[[Any], Any]]:
    """Activations by the names that files have for them."""

    def hard_sigmoid(x: Any) -> Any:
        """Keras 2's: min(max(0.2 x + 0.5, 0), 1). Keras 3's has another slope."""
        return keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0)

    def gelu_new(x: Any) -> Any:
        """TensorFlow.js's approximation of ``gelu`` by a hyperbolic tangent."""
        return keras.ops.gelu(x, approximate=True)

    register = keras.saving.register_keras_serializable(PACKAGE)
    return {made.__name__: register(made) for made in (hard_sigmoid, gelu_new)}


def modern(keras: Any, name: str, what: str, by_keras_3: bool) -> Any:
    """An activation as Keras 3 is told of it.

    Args:
        by_keras_3: Keras 3 wrote the file.

    Raises:
        ModelFileError: for one that there is not.
    """
    if name in _own(keras) and not by_keras_3:
        registered = f"{PACKAGE}>{name}"
        return {
            "module": "builtins",
            "class_name": "function",
            "config": registered,
            "registered_name": registered,
        }
    try:
        keras.activations.get(name)
    except ValueError:
        raise ModelFileError(f"{what}: Keras has no activation {name!r}") from None
    return name
