"""`tf.name_scope`: prefixes of the names of Variables and of the tensors of a trace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfpy._src.base import tracing


class _Local(threading.local):
    def __init__(self) -> None:
        self.entered: list[tuple[Any, str]] = []
        """Active scopes, innermost last, each with the trace (or None) that it belongs to."""


_local = _Local()


def prefix(trace: Any = None) -> str:
    """Return the prefix of names in a trace: empty, or the scopes, each followed by "/".

    Args:
        trace: The trace or graph. Default: the current one.
    """
    trace = tracing.current() if trace is None else trace
    if _local.entered:
        owner, scope = _local.entered[-1]
        if owner is trace:
            return scope
    return "" if trace is None else str(trace.scope)


class name_scope:  # noqa: N801 - TensorFlow's name
    """Context manager that prefixes the names of the Variables created within it.

    Args:
        name: Name of the scope, which is appended to the enclosing scopes. A name that ends in "/"
            replaces the enclosing scopes, and "" leaves all scopes.

    Raises:
        ValueError: If `name` is not a string.

    Example:
        >>> import tfpy as tf
        >>> with tf.name_scope("layer"):
        ...     v = tf.Variable(1.0, name="weight")
        >>> print(v.name)
        layer/weight:0
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name

    @property
    def name(self) -> str:
        """Name that was passed to the constructor."""
        return self._name

    def __enter__(self) -> str:
        """Return the prefix, including "/". A name that the trace already uses gets a number."""
        return _enter(tracing.current(), self._name)

    def __exit__(self, *exception: object) -> None:
        _local.entered.pop()


def _enter(trace: Any, name: str) -> str:
    if not name or name.endswith("/"):
        scope = name
    else:
        full = prefix(trace) + name
        scope = (full if trace is None else trace.unique_name(full)) + "/"
    _local.entered.append((trace, scope))
    return scope


@contextmanager
def entered(trace: Any, name: str) -> Iterator[str]:
    """Enter a scope of a trace or graph, which need not be the current one."""
    try:
        yield _enter(trace, name)
    finally:
        _local.entered.pop()


def get_current_name_scope() -> str:
    """Return the name scope in which the call is, without a trailing slash.

    Returns:
        Names of the active scopes, separated by "/", or "".

    Example:
        >>> import tfpy as tf
        >>> with tf.name_scope("model"), tf.name_scope("layer"):
        ...     print(tf.get_current_name_scope())
        model/layer

    See also: `tf.name_scope`.
    """
    return prefix().removesuffix("/")
