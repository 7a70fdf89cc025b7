"""The public functions, as the public modules show them."""

from __future__ import annotations

import doctest
import importlib
import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

API = tomllib.loads((Path(__file__).parents[2] / "api.toml").read_text())
NOT_OPS = (
    "audio",
    "autodiff",
    "autograph",
    "autograph.experimental",
    "compat",
    "compat.v1",
    "compat.v1.math",
    "compat.v1.nn",
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
    "io",
    "io.gfile",
    "nest",
    "notebook",
    "raw_ops",
    "train",
    "typing",
)
"""Namespaces whose functions compute nothing by themselves, or have tests of their own."""


def module(namespace: str) -> ModuleType:
    """The module of a namespace, which is empty for ``tf`` itself."""
    return importlib.import_module(f"tfpy.{namespace}".rstrip("."))


NAMESPACES = [n.removeprefix("tf").lstrip(".") for n in API]


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function under each of its names: ``{"nn.relu": <function>, ...}``."""
    return {
        f"{namespace}.{name}".lstrip("."): value
        for namespace in NAMESPACES
        if namespace not in NOT_OPS
        for name in dir(module(namespace))
        if inspect.isfunction(value := getattr(module(namespace), name, None))
        and not name.startswith("_")
    }


def things() -> dict[str, Any]:
    """Every public function and class, under the first of its names.

    The functions of `tf.raw_ops`, which docs/ops.md lists, and the type aliases of `tf.typing` are
    left out.
    """
    first: dict[int, str] = {}
    for namespace in NAMESPACES:
        home = module(namespace)
        for name in dir(home) if namespace not in ("raw_ops", "typing") else ():
            value = getattr(home, name)
            if callable(value) and not inspect.ismodule(value) and not name.startswith("_"):
                first.setdefault(id(value), f"{namespace}.{name}".lstrip("."))
    return {name: named(name) for name in first.values()}


def named(name: str) -> Any:
    """What has a public name."""
    namespace, _, last = name.rpartition(".")
    return getattr(module(namespace), last)


def examples() -> dict[str, list[doctest.Example]]:
    """The steps of each thing's example that can be run, if it has one; those of a text once."""
    texts = {inspect.getdoc(thing) or "": name for name, thing in things().items()}
    found = {name: doctest.DocTestParser().get_examples(text) for text, name in texts.items()}
    found = {
        name: [step for step in steps if doctest.SKIP not in step.options]
        for name, steps in found.items()
    }
    return {name: steps for name, steps in found.items() if steps}
