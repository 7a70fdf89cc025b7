"""The dispatch extension: a fast path in C for ops and compiled calls, if it is installed.

The functions that it decorates define the semantics. The extension returns to them for everything
but the most frequent calls. `csrc/dispatch` contains its sources.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

NAME = "tfpy._src.core._dispatch"


def _found() -> Any:
    """Return the extension, or None in a package of pure Python."""
    with suppress(ImportError):
        return importlib.import_module(NAME)
    return None


extension: Any = _found()
"""Module of the extension, or None."""


def of_apply(function: F) -> F:
    """Return the executor of ops with a fast path for tensors."""
    return function if extension is None else _named(extension.of_apply(function), function)


def of_operator(op: Any, function: F, reflected: bool = False) -> F:
    """Return an operator with a fast path for tensors and Python numbers.

    Args:
        op: Record of the op that the operator applies to tensors for which it was applied before.
        function: The operator.
        reflected: True if the operator applies the op to its second and first operand.
    """
    if extension is None:
        return function
    return _named(extension.of_operator(op, function, reflected), function)


def of_call(function: F) -> F:
    """Return the method that calls compiled functions with a fast path for tensors."""
    return function if extension is None else _named(extension.of_call(function), function)


def bind_values(objects: Mapping[str, Any]) -> None:
    """Pass the objects to the extension that the fast path of ops uses."""
    if extension is not None:
        extension.bind_values(dict(objects))


def bind_calls(objects: Mapping[str, Any]) -> None:
    """Pass the objects to the extension that the fast path of compiled calls uses."""
    if extension is not None:
        extension.bind_calls(dict(objects))


def _named(made: Any, function: F) -> F:
    """Return the object of the extension with the name and docstring of the Python function."""
    functools.update_wrapper(made, function)
    return cast(F, made)
