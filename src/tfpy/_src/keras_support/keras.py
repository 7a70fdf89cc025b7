"""``tf.keras``: Keras itself, imported when it is first touched."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

from tfpy._src.keras_support.tensorflow_alias.finder import KERAS, as_tensorflow

MODULES = ("keras", "initializers", "metrics", "optimizers")
"""Names of ``tf`` that are Keras, or namespaces of it."""


def namespace(name: str) -> Any:
    """A namespace of Keras as TensorFlow shows it; ``"keras"`` is Keras.

    Raises:
        ModuleNotFoundError: where Keras is not installed.
        RuntimeError: where TensorFlow is installed, or Keras is imported with another backend.
    """
    as_tensorflow()
    if importlib.util.find_spec("keras") is None:
        raise ModuleNotFoundError(
            f"tf.{name} is the package keras, which is not here: `pip install keras`, or in "
            "a page `await loadTfpy({packages: ['keras']})`",
            name="keras",
        )
    if (backend := _backend()) != "tensorflow":
        raise RuntimeError(
            f"tf.{name}: Keras is to run on {backend!r} here, as the variable KERAS_BACKEND or "
            "~/.keras/keras.json says; only 'tensorflow' is tfpy"
        )
    keras = importlib.import_module(KERAS)
    found = keras if name == "keras" else getattr(keras, name)
    sys.modules[f"tfpy.{name}"] = found
    return found


def _backend() -> str:
    """The backend that Keras has, or will have."""
    if "keras" in sys.modules:
        return str(importlib.import_module("keras.config").backend())
    return os.environ["KERAS_BACKEND"]


def of_package(name: str) -> Any:
    """What ``tf`` has of Keras.

    Raises:
        KeyError: for a name that is not Keras's.
    """
    if name not in MODULES:
        raise KeyError(name)
    return namespace(name)


def of_losses(name: str) -> Any:
    """What ``tf.losses`` has of Keras: all of ``tf.keras.losses``.

    Raises:
        AttributeError: where there is no Keras, with the reason.
        KeyError: for a name that is not Keras's.
    """
    try:
        losses = namespace("losses")
    except (ModuleNotFoundError, RuntimeError) as error:
        raise AttributeError(f"tf.losses.{name} may be Keras's: {error}") from error
    return vars(losses)[name]


LAZY = {"tfpy": of_package, "tfpy.losses": of_losses}
"""Public modules -> what gives those of their names that are Keras's."""
