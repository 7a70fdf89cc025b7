"""`tf.keras`, the unmodified Keras package, which is imported on first access."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from tfpy._src.base.missing_names import Lazy
from tfpy._src.base.missing_packages import remedy
from tfpy._src.keras_support.choice import NAME, backend, is_available
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
            f"tf.{name} requires the package keras, which is not installed. {remedy('keras')}",
            name="keras",
        )
    if (selected := backend()) != NAME:
        raise RuntimeError(
            f"tf.{name}: Keras is to run on {selected!r} here, which the variable KERAS_BACKEND or "
            "~/.keras/keras.json specifies; tfpy requires 'tensorflow'"
        )
    keras = importlib.import_module(KERAS)
    found = keras if name == "keras" else getattr(keras, name)
    sys.modules[f"tfpy.{name}"] = found
    return found


def names_of_package() -> list[str]:
    """Return the names of `tf` that belong to Keras; none if Keras is not available."""
    return [*MODULES] if is_available() else []


def of_package(name: str) -> Any:
    """Return a name of `tf` that belongs to Keras.

    Raises:
        KeyError: If the name does not belong to Keras.
    """
    if name not in MODULES:
        raise KeyError(name)
    return namespace(name)


def names_of_losses() -> list[str]:
    """Return the names of `tf.losses` that belong to Keras; none if Keras is not imported."""
    losses = sys.modules.get(f"{KERAS}.losses")
    return [] if losses is None else [name for name in vars(losses) if not name.startswith("_")]


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


def of_compat(name: str) -> Any:
    """Return `tf.compat.v2`, which is `tf`.

    Raises:
        KeyError: If the name is another one.
    """
    if name != "v2":
        raise KeyError(name)
    return sys.modules["tfpy"]


LAZY = {
    "tfpy": Lazy(of_package, names_of_package),
    "tfpy.losses": Lazy(of_losses, names_of_losses),
    "tfpy.compat": Lazy(of_compat, lambda: ["v2"]),
}
"""Names of public modules that other packages or other public modules define."""
