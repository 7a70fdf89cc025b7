"""`tf.keras`, the unmodified Keras package, which is imported on first access."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

from tfpy._src.keras_support.tensorflow_alias.finder import KERAS, as_tensorflow

MODULES = ("keras", "initializers", "metrics", "optimizers")
"""Names in `tf` that are Keras or one of its namespaces."""


def namespace(name: str) -> Any:
    """Return a namespace of Keras in TensorFlow's form; `"keras"` returns Keras itself.

    Raises:
        ModuleNotFoundError: If Keras is not installed.
        RuntimeError: If TensorFlow is installed, or if Keras uses a different backend.
    """
    as_tensorflow()
    if importlib.util.find_spec("keras") is None:
        raise ModuleNotFoundError(
            f"tf.{name} requires the package keras, which is not installed: `pip install keras`, "
            "or in a page `await loadTfpy({packages: ['keras']})`",
            name="keras",
        )
    if (backend := _backend()) != "tensorflow":
        raise RuntimeError(
            f"tf.{name}: Keras is to run on {backend!r} here, which the variable KERAS_BACKEND or "
            "~/.keras/keras.json specifies; tfpy requires 'tensorflow'"
        )
    keras = importlib.import_module(KERAS)
    found = keras if name == "keras" else getattr(keras, name)
    sys.modules[f"tfpy.{name}"] = found
    return found


def _backend() -> str:
    """Return the backend that Keras uses, or will use once it is imported."""
    if "keras" in sys.modules:
        return str(importlib.import_module("keras.config").backend())
    return os.environ["KERAS_BACKEND"]


def of_package(name: str) -> Any:
    """Return a name of `tf` that belongs to Keras.

    Raises:
        KeyError: If the name does not belong to Keras.
    """
    if name not in MODULES:
        raise KeyError(name)
    return namespace(name)


def of_losses(name: str) -> Any:
    """Return a name of `tf.losses` that belongs to Keras, from `tf.keras.losses`.

    Raises:
        AttributeError: If Keras is not available. The message contains the reason.
        KeyError: If Keras does not have the name.
    """
    try:
        losses = namespace("losses")
    except (ModuleNotFoundError, RuntimeError) as error:
        raise AttributeError(f"tf.losses.{name} requires Keras: {error}") from error
    return vars(losses)[name]


LAZY = {"tfpy": of_package, "tfpy.losses": of_losses}
"""Functions that return the Keras names of public modules."""
