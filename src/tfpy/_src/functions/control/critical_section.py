"""`tf.CriticalSection`: functions that must not run at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tfpy._src.core import nest
from tfpy._src.core.typing import Nest
from tfpy._src.tensors.array.reshaping import identity


class CriticalSection:
    """A lock for functions that read and change the same Variables.

    Only one function at a time runs in a section, also if several threads call `execute`. The
    operations of a `tf.function` always run in the order of the program.

    Args:
        name: Name of the section.
        shared_name: Has no effect.
        critical_section_def: Has no effect.
        import_scope: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> total, section = tf.Variable(0.0), tf.CriticalSection()
        >>> section.execute(lambda: total.assign_add(2.0)).numpy().tolist()
        2.0

    See also: `tf.control_dependencies`.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: None = None,
        import_scope: None = None,
    ) -> None:
        self._name = name or shared_name or "critical_section"
        self._lock = threading.RLock()

    @property
    def name(self) -> str:
        """Name of the section."""
        return self._name

    def execute(
        self,
        fn: Callable[[], Nest],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Nest:
        """Call a function in the section.

        Args:
            fn: Function without arguments.
            exclusive_resource_access: Has no effect.
            name: Has no effect.

        Returns:
            The result of the function, with tensors in place of Variables and numbers.
        """
        with self._lock:
            found = fn()
            return nest.map_structure(lambda x: None if x is None else identity(x), found)
