"""The decision whether Keras runs on tfpy."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType

NAME = "tensorflow"
"""Name of TensorFlow's package, and of the backend of Keras that imports it."""


class Alias:
    """The module that `import tensorflow` imports after `as_tensorflow()`."""

    module: ModuleType | None = None


def is_replaced() -> bool:
    """Return True if `import tensorflow` imports tfpy, or would after `as_tensorflow()`."""
    if NAME in sys.modules:
        return sys.modules[NAME] is Alias.module
    return PathFinder.find_spec(NAME) is None


def is_wanted() -> bool:
    """Return True if a program that imports Keras is to run on tfpy."""
    return is_replaced() and (os.environ.get("KERAS_BACKEND") or _configured()) == NAME


def is_available() -> bool:
    """Return True if `tf.keras` is Keras on tfpy. Keras is not imported.

    The access to `tf.keras` selects the backend, so Keras's configuration file has no effect.
    """
    if not is_replaced():
        return False
    if sys.modules.get("keras") is not None:
        return backend() == NAME
    selected = os.environ.get("KERAS_BACKEND") or NAME
    return selected == NAME and importlib.util.find_spec("keras") is not None


def backend() -> str:
    """Return the backend that Keras uses, or will use once it is imported."""
    if "keras" in sys.modules:
        return str(importlib.import_module("keras.config").backend())
    return os.environ["KERAS_BACKEND"]


def _configured() -> str:
    """Return the backend in Keras's configuration file, which Keras finds in the same way."""
    home = os.path.expanduser("~")
    folder = os.path.join(home if os.access(home, os.W_OK) else "/tmp", ".keras")
    path = os.path.join(os.environ.get("KERAS_HOME", folder), "keras.json")
    try:
        with open(os.path.expanduser(path)) as file:
            return str(json.load(file).get("backend", NAME))
    except (OSError, ValueError):
        return NAME
