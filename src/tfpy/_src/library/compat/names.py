"""Names of `tf.compat.v1` that are functions of TensorFlow 2 under other names or arguments."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

from tfpy._src.base.missing_names import Lazy
from tfpy._src.functions.graph_mode.recording import is_recordable, recorded
from tfpy._src.library.compat.app import package
from tfpy._src.library.compat.moved_names import MOVED, NAMESPACES, OUTSIDE, SEPARATE
from tfpy._src.library.compat.signatures import SIGNATURES


def adapted(function: Callable[..., Any], signature: str) -> Callable[..., Any]:
    """Return a function with the parameters of TensorFlow 1.

    Args:
        function: Function of TensorFlow 2.
        signature: Signature, as in `SIGNATURES`.
    """
    present = recorded(function) if is_recordable(function.__name__, function) else function
    pairs = [p.partition("=") for p in signature.split()]
    newer = {older: new if equals else older for older, equals, new in pairs}
    parameters = [
        inspect.Parameter(p, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for p in newer
    ]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(newer):
            raise TypeError(
                f"{function.__name__}() takes {len(newer)} positional arguments but {len(args)} "
                "were given"
            )
        given = dict(zip(newer, args, strict=False))
        if twice := given.keys() & kwargs:
            raise TypeError(
                f"{function.__name__}() got multiple values for argument {twice.pop()!r}"
            )
        given |= kwargs
        renamed = {newer.get(name, name): x for name, x in given.items() if x is not None}
        renamed.pop("", None)
        return present(**renamed)

    vars(call).update(__recorded__=True, __signature__=inspect.Signature(parameters))
    return call


def find(namespace: str) -> Callable[[str], Any]:
    """Return a function that finds the names of a namespace of `tf.compat.v1`.

    Args:
        namespace: Namespace within `tf.compat.v1`, such as `"nn"`, or an empty string.
    """
    lead = f"{namespace}." if namespace else ""

    def found(name: str) -> Any:
        path = lead + name
        if name in OUTSIDE or (namespace in SEPARATE and path not in MOVED):
            raise KeyError(name)
        if path == "flags":
            return package("flags")
        target = MOVED.get(path, path)
        value = _public(target)
        return adapted(value, SIGNATURES[path]) if path in SIGNATURES else value

    return found


def _public(path: str) -> Any:
    value: Any = sys.modules[__name__.partition(".")[0]]
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise KeyError(path) from None
    return value


def names(namespace: str) -> Callable[[], Iterable[str]]:
    """Return a function that lists the names that `find` finds in a namespace."""

    def listed() -> Iterable[str]:
        root = sys.modules[__name__.partition(".")[0]]
        moved = [path.rpartition(".") for path in MOVED]
        found = [name for where, _, name in moved if where == namespace]
        with contextlib.suppress(KeyError):
            if namespace in SEPARATE:
                return found
            holder = _public(namespace) if namespace else root
            found += [n for n in dir(holder) if not n.startswith("_") and n not in OUTSIDE]
        return found

    return listed


LAZY = {
    f"tfpy.compat.v1.{namespace}".removesuffix("."): Lazy(find(namespace), names(namespace))
    for namespace in NAMESPACES
}
"""Names of `tf.compat.v1` that are names of `tf`, by module."""
