"""Functions that create an operation instead of computing while a graph is active."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from tfpy._src.base import missing_names, tracing
from tfpy._src.functions.graph_mode.nests import mapped
from tfpy._src.functions.graph_mode.tensors import local, resolved

F = TypeVar("F", bound=Callable[..., Any])

_NAMES = frozenset(
    (
        "control_dependencies", "executing_eagerly", "function", "get_static_value", "gradients",
        "group", "hessians", "init_scope", "inside_function", "is_tensor", "no_op",
        "match_filenames_once",
        "get_global_generator", "set_global_generator", "as_tensorflow", "tuple",
    )
)  # fmt: skip
"""Functions that are not calls of operations, or know graphs themselves."""

_PLACES = (
    *("tfpy._src.functions.graph_mode", "tfpy._src.base", "tfpy._src.keras_support"),
    *(f"tfpy._src.library.compat.{name}" for name in ("error_codes", "graphs", "losses")),
    *("tfpy._src.data", "tfpy._src.distribute"),
    *("tfpy._src.formats", "tfpy._src.checkpoints", "tfpy._src.library.config"),
    *("tfpy._src.library.extension_types", "tfpy._src.library.feature_columns"),
    *("tfpy._src.backends", "tfpy._src.core.nest", "tfpy._src.library.profiler"),
    "tfpy._src.testing",
    "tfpy._src.library.queues",
)
"""Modules with functions that are not calls of operations, or know graphs themselves."""

_recorded: dict[int, Callable[..., Any]] = {}
"""Functions that record, by the ids of the original functions."""


def recorded(function: F) -> F:
    """Return a function that creates an operation while a graph is active."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        graph = tracing.active_graph()
        if graph is not None:
            return graph.record(function, args, kwargs)
        if local.values is not None:
            args, kwargs = mapped(args, resolved), mapped(kwargs, resolved)
        return function(*args, **kwargs)

    found: F = _recorded.setdefault(id(function), call)  # type: ignore[assignment]
    vars(found)["__recorded__"] = True
    return found


class _Installed:
    """The replaced functions of the public modules, and the number of their users."""

    lock = threading.RLock()
    users = 0
    replaced: ClassVar[list[tuple[dict[str, Any], str, Any]]] = []
    """Namespace, name and original function."""


@contextmanager
def installed() -> Iterator[None]:
    """Return a context in which the functions of the public modules record."""
    install()
    try:
        yield
    finally:
        uninstall()


def install() -> None:
    """Replace the functions of the public modules by functions that record."""
    importlib.import_module("tfpy.compat.v1")
    with _Installed.lock:
        _Installed.users += 1
        if _Installed.users > 1:
            return
        missing_names.adapt = _adapted
        for module in _public_modules():
            names = vars(module)
            for name, value in list(names.items()):
                names[name] = _adapted(names, name, value)


def uninstall() -> None:
    """End one use of `install`. The last one restores the functions."""
    with _Installed.lock:
        _Installed.users -= 1
        if _Installed.users:
            return
        missing_names.adapt = missing_names.unchanged
        for names, name, value in _Installed.replaced:
            if names.get(name) is _recorded.get(id(value)):
                names[name] = value
        _Installed.replaced.clear()


def _adapted(names: dict[str, Any], name: str, value: Any) -> Any:
    if not is_recordable(name, value):
        return value
    _Installed.replaced.append((names, name, value))
    return recorded(value)


def is_recordable(name: str, value: Any) -> bool:
    """Return True for a function of a public module whose calls are operations."""
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
