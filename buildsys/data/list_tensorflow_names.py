"""Print the public names of the installed TensorFlow, except Keras's, one per line."""

from __future__ import annotations

import types
from collections.abc import Iterator

import tensorflow as tf

SKIPPED = {"keras", "v1", "v2"}
"""Modules that are not listed as a part of another one."""


def names(module: types.ModuleType, path: str) -> Iterator[str]:
    """Yield the names in a module and in the modules below it.

    Args:
        module: Module to list.
        path: Name of the module in programs.
    """
    for name in sorted({*dir(module)} - SKIPPED):
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        if not isinstance(value, types.ModuleType):
            yield f"{path}.{name}"
        elif (path, name) != ("tf.compat.v1", "raw_ops") and _is_public(value):
            yield from names(value, f"{path}.{name}")


def _is_public(module: types.ModuleType) -> bool:
    """Return True for a module of the API, False for one that its implementation imports."""
    own = str(module.__dict__.get("__name__", ""))
    return own.startswith(("tensorflow._api.v2.", "tensorflow.experimental"))


if __name__ == "__main__":
    print("\n".join(sorted({*names(tf, "tf"), *names(tf.compat.v1, "tf.compat.v1")})))
