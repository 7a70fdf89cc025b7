"""``tf.name_scope``: prefixes of the names of Variables and of a trace's tensors."""

from __future__ import annotations

import threading
from typing import Any

from tfpy._src.base import tracing


class _Local(threading.local):
    def __init__(self) -> None:
        self.entered: list[tuple[Any, str]] = []
        """The scopes around the present code, with the traces (or None) that they belong to."""


_local = _Local()


def prefix() -> str:
    """What names begin with here: "" or the scopes, each followed by "/"."""
    if not _local.entered:
        return ""
    trace, scope = _local.entered[-1]
    return scope if trace is tracing.current() else ""


class name_scope:  # noqa: N801 - TensorFlow's name
    """A context in which names begin with ``name``.

    Args:
        name: a scope within the present one; with a "/" at its end, that scope itself; "" leaves
            all scopes.

    Raises:
        ValueError: when ``name`` is not a text.

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
        return self._name

    def __enter__(self) -> str:
        """Gives the prefix, "/" included; a name that a trace has seen gets a number."""
        trace = tracing.current()
        if not self._name or self._name.endswith("/"):
            scope = self._name
        else:
            full = prefix() + self._name
            scope = (full if trace is None else trace.unique_name(full)) + "/"
        _local.entered.append((trace, scope))
        return scope

    def __exit__(self, *exception: object) -> None:
        _local.entered.pop()
