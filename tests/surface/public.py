"""The public functions, as the public modules export them."""

from __future__ import annotations

import doctest
import importlib
import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tfpy._src.base.missing_names import own_names

API = tomllib.loads((Path(__file__).parents[2] / "api.toml").read_text())
NOT_OPS = (
    "audio",
    "autodiff",
    "autograph",
    "autograph.experimental",
    "compat",
    "compat.v1",
    "compat.v1.data",
    "compat.v1.distributions",
    "compat.v1.io",
    "compat.v1.math",
    "compat.v1.metrics",
    "compat.v1.nn",
    "compat.v1.python_io",
    "compat.v1.train",
    "config",
    "data",
    "data.experimental",
    "debugging",
    "distribute",
    "dtypes",
    "dtypes.experimental",
    "errors",
    "experimental.dtensor",
    "experimental.numpy",
    "experimental.numpy.random",
    "io",
    "io.gfile",
    "nest",
    "notebook",
    "raw_ops",
    "saved_model",
    "saved_model.experimental",
    "train",
    "typing",
)
"""Namespaces with functions that compute nothing themselves, or have separate tests."""


def module(namespace: str) -> ModuleType:
    """Return the module of a namespace, which is empty for ``tf`` itself."""
    return importlib.import_module(f"tfpy.{namespace}".rstrip("."))


NAMESPACES = [n.removeprefix("tf").lstrip(".") for n in API]


def functions() -> dict[str, Callable[..., Any]]:
    """Return every public function under each of its names: ``{"nn.relu": <function>, ...}``."""
    return {
        f"{namespace}.{name}".lstrip("."): value
        for namespace in NAMESPACES
        if namespace not in NOT_OPS
        for name in own_names(module(namespace))
        if inspect.isfunction(value := getattr(module(namespace), name, None))
    }


def things() -> dict[str, Any]:
    """Return every public function and class by the first of its names.

    The functions of `tf.raw_ops`, which docs/ops.md lists, and the type aliases of `tf.typing` are
    excluded.
    """
    first: dict[int, str] = {}
    for namespace in NAMESPACES:
        home = module(namespace)
        for name in own_names(home) if namespace not in ("raw_ops", "typing") else ():
            value = getattr(home, name)
            if callable(value) and not inspect.ismodule(value):
                first.setdefault(id(value), f"{namespace}.{name}".lstrip("."))
    return {name: named(name) for name in first.values()}


def named(name: str) -> Any:
    """Return the object with a public name."""
    namespace, _, last = name.rpartition(".")
    return getattr(module(namespace), last)


def examples() -> dict[str, list[doctest.Example]]:
    """Return the executable steps of each object's example. Shared docstrings count once."""
    texts = {inspect.getdoc(thing) or "": name for name, thing in things().items()}
    found = {name: doctest.DocTestParser().get_examples(text) for text, name in texts.items()}
    found = {
        name: [step for step in steps if doctest.SKIP not in step.options]
        for name, steps in found.items()
    }
    return {name: steps for name, steps in found.items() if steps}
