"""Functions that create an operation instead of computing while a graph is active."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TypeVar

from tfpy._src.base import tracing
from tfpy._src.functions.graph_mode.inference import mapped
from tfpy._src.functions.graph_mode.tensors import local, resolved

F = TypeVar("F", bound=Callable[..., Any])

_NAMES = frozenset(
    (
        "control_dependencies", "executing_eagerly", "function", "get_static_value", "gradients",
        "group", "hessians", "init_scope", "inside_function", "is_tensor", "no_op",
        "get_global_generator", "set_global_generator", "as_tensorflow", "tuple",
    )
)  # fmt: skip
"""Functions that are not calls of operations, or know graphs themselves."""

_PLACES = (
    *("tfpy._src.functions.graph_mode", "tfpy._src.base", "tfpy._src.keras_support"),
    *("tfpy._src.library.compat.graph", "tfpy._src.data", "tfpy._src.distribute"),
    *("tfpy._src.formats", "tfpy._src.checkpoints", "tfpy._src.library.config"),
    *("tfpy._src.backends", "tfpy._src.core.nest", "tfpy._src.library.profiler"),
)
"""Modules with functions that are not calls of operations, or know graphs themselves."""

_recorded: dict[int, Callable[..., Any]] = {}
"""Functions that record, by the ids of the original functions."""


def recorded(function: F) -> F:
    """Return a function that creates an operation while a graph is active."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        active = tracing.local.active
        if active and active[-1].is_graph:
            return active[-1].record(function, args, kwargs)
        if local.values is not None:
            args, kwargs = mapped(args, resolved), mapped(kwargs, resolved)
        return function(*args, **kwargs)

    found: F = _recorded.setdefault(id(function), call)  # type: ignore[assignment]
    vars(found)["__recorded__"] = True
    return found


def install() -> None:
    """Replace the functions of the public modules by functions that record."""
    for module in _public_modules():
        names = vars(module)
        for name, value in list(names.items()):
            if _is_recordable(name, value):
                names[name] = recorded(value)


def _is_recordable(name: str, value: Any) -> bool:
    if name.startswith("_") or not inspect.isfunction(value) or name in _NAMES:
        return False
    module = value.__module__ or ""
    is_own = module.startswith("tfpy._src.") and not module.startswith(_PLACES)
    return is_own and value.__name__ not in _NAMES and not hasattr(value, "__recorded__")


def _public_modules() -> Iterator[ModuleType]:
    for root in ("tfpy", "tensorflow"):
        module = sys.modules.get(root)
        if module is not None and "as_tensorflow" in vars(module):
            yield module
    for name, module in list(sys.modules.items()):
        if name.startswith("tfpy.") and not name.startswith(("tfpy._src", "tfpy.testing")):
            yield module
