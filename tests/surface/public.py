"""The public functions, as the public modules show them."""

from __future__ import annotations

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
