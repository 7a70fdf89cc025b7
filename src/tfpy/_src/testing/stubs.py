"""`tf.compat.v1.test.StubOutForTesting`, which replaces attributes during a test."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any
from unittest import mock as mock


class StubOutForTesting:
    """Replacements of attributes, which can be undone.

    The object is also a context manager, which undoes the replacements at its end.

    Example:
        >>> import os
        >>> import tfpy as tf
        >>> with tf.compat.v1.test.StubOutForTesting() as stubs:
        ...     stubs.Set(os.path, "exists", lambda path: True)
        ...     print(os.path.exists("/no/such/file"))
        True
        >>> os.path.exists("/no/such/file")
        False

    See also: `tf.test.TestCase`.
    """

    def __init__(self) -> None:
        self._set: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *raised: object) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Undo all replacements."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replace an attribute of an object.

        Args:
            parent: Module, class or object.
            child_name: Name of the attribute.
            new_child: New value.

        Raises:
            AttributeError: If the object has no such attribute.
        """
        self._set.append((parent, child_name, _original(parent, child_name)))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Undo the replacements by `Set`, the latest first."""
        _restore(self._set)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replace an attribute where it is defined: in the object, its class or a base class.

        Args:
            obj: Module, class or object.
            attr_name: Name of the attribute.
            new_attr: New value.

        Raises:
            AttributeError: If the object has no such attribute.
        """
        owner = obj
        if not isinstance(obj, ModuleType) and (
            inspect.isclass(obj) or attr_name not in getattr(obj, "__dict__", {})
        ):
            kind = obj if inspect.isclass(obj) else type(obj)
            owners = [base for base in kind.__mro__ if attr_name in vars(base)]
            if not owners:
                raise AttributeError(f"{obj!r} has no attribute {attr_name!r} to replace.")
            owner = owners[0]
        self._smart.append((owner, attr_name, _original(owner, attr_name)))
        setattr(owner, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Undo the replacements by `SmartSet`, the latest first."""
        _restore(self._smart)


def _original(owner: Any, name: str) -> Any:
    """Return an attribute so that it can be assigned again: a static method remains one."""
    value = getattr(owner, name)
    found = getattr(owner, "__dict__", {}).get(name)
    return found if isinstance(found, staticmethod | classmethod) else value


def _restore(replaced: list[tuple[Any, str, Any]]) -> None:
    while replaced:
        setattr(*replaced.pop())
