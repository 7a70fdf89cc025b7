"""The public names of what tests import from TensorFlow's private modules.

The process that runs TensorFlow makes the table, and the process that runs tfpy reads it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import moved

PRIVATE = ("tensorflow.python", "tensorflow.core", "tensorflow.compiler", "tensorflow.lite")
VALUES = (bool, int, float, str, bytes)
CAMEL = re.compile("[A-Z].*")

Entry = list[Any]
"""What an attribute is: ``[kind, ...]``, where kind is public, raw, module or value."""


def imported(files: Iterable[Path]) -> set[str]:
    """Return the private modules (or their attributes) that files import."""
    found = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
    return {name for name in found if name.startswith(PRIVATE)}


def is_installed(module: str) -> bool:
    """Return True if the installed TensorFlow has a module."""
    try:
        return find_spec(module) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def table(files: Iterable[Path]) -> dict[str, dict[str, Entry]]:
    """Return the entries of all attributes of the private modules that files import."""
    modules = {}
    for name in sorted(imported(files)):
        if is_installed(name):
            try:
                modules[name] = importlib.import_module(name)
            except Exception as error:
                print(f"{name}: {error}", file=sys.stderr)
    moved.restore()
    names = _public_names()
    return {name: dict(_entries(module, names)) for name, module in modules.items()}


def _code(value: object) -> int:
    """Return the identity of a function's code below its decorators, or of the value itself."""
    plain = inspect.unwrap(value) if callable(value) and not inspect.isclass(value) else value
    return id(plain.__code__) if inspect.isfunction(plain) else id(value)


def _public_names() -> dict[int, str]:
    """Return the public name of each public object, by the identity of the object and its code."""
    import tensorflow

    names: dict[int, str] = {}
    codes: dict[int, str] = {}
    queue: list[tuple[str, Any]] = [("", tensorflow)]
    seen = set()
    while queue:
        prefix, module = queue.pop(0)
        if id(module) in seen or prefix.startswith(("keras.", "compat.v2.", "compat.v1.compat.")):
            continue
        seen.add(id(module))
        for name in dir(module):
            if name.startswith("_"):
                continue
            try:
                value = getattr(module, name)
            except Exception:  # a lazily loaded package that is not installed
                continue
            if isinstance(value, types.ModuleType):
                module_name = vars(value).get("__name__", "")  # some names are imported on access
                if module_name.startswith("tensorflow.") and ".python." not in module_name:
                    queue.append((f"{prefix}{name}.", value))
            elif not isinstance(value, (*VALUES, type(None))):
                names.setdefault(id(value), prefix + name)
                codes.setdefault(_code(value), prefix + name)
    return codes | names


def _entries(module: types.ModuleType, names: dict[int, str]) -> Iterator[tuple[str, Entry]]:
    for name, value in list(vars(module).items()):
        if isinstance(value, types.ModuleType):
            if module_name := vars(value).get("__name__"):
                yield name, ["module", module_name]
        elif isinstance(value, VALUES) and not name.startswith("__"):
            yield name, ["value", value if not isinstance(value, bytes) else value.decode("latin")]
        elif public := names.get(id(value)) or names.get(_code(value)):
            if public.startswith("raw_ops.") and not CAMEL.match(name):
                parameters = list(inspect.signature(inspect.unwrap(value)).parameters)
                yield name, ["raw", public, parameters]
            else:
                yield name, ["public", public]
