"""Restoration of checkpoints of TensorFlow 1, which store Variables by name, into objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.checkpoints.assigning import assign, initialize, is_uninitialized
from tfpy._src.checkpoints.objects import nodes_of, values_of, variable_of
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.status import LoadStatus


class NameBasedSaverStatus(LoadStatus):
    """The status of a restored checkpoint that `tf.compat.v1.train.Saver` wrote.

    Variables are matched by name. Variables that are created after `restore` are restored by the
    next call of a method.

    Args:
        reader: Reader of the checkpoint.
        root: First object of the program.
        attached: Function that returns additional attributes of the root.
    """

    def __init__(
        self, reader: CheckpointReader, root: Any, attached: Callable[[], dict[str, Any]]
    ) -> None:
        self._reader, self._root, self._attached = reader, root, attached
        self._done: list[Any] = []
        self._optional: list[Any] = []
        self._missing: list[Any] = []
        self._restore()

    def add_optional(self, value: Any) -> None:
        """Accept that the checkpoint does not contain an object."""
        self._optional.append(value)

    def _restore(self) -> None:
        """Restore the objects that have been added since the last call."""
        self._missing = []
        for node in nodes_of(self._root, self._attached()):
            if any(node.value is done for done in self._done):
                continue
            if self._found(node.value):
                self._done.append(node.value)
            else:
                self._missing.append(node.value)

    def _found(self, value: Any) -> bool:
        """Restore an object. Return False if the checkpoint does not contain its values."""
        variable = variable_of(value)
        if variable is None:
            return not values_of(value)
        name = variable._shared_name
        if not self._reader.has_tensor(name):
            return False
        with self._reader.checked():
            if is_uninitialized(value):
                initialize(value, self._reader, name)
            else:
                assign(variable, self._reader, name)
        return True

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Check that the checkpoint contained every object with values.

        Returns:
            This status object.

        Raises:
            AssertionError: If the checkpoint does not contain an object. The message lists them.
        """
        self._restore()
        missing = [x for x in self._missing if all(x is not y for y in self._optional)]
        if missing:
            left = "".join(f"\n    {value!r}" for value in missing)
            raise AssertionError(f"Some objects had attributes which were not restored: {left}")
        return self

    def assert_existing_objects_matched(self) -> NameBasedSaverStatus:
        """Check that the checkpoint contained every object with values.

        Returns:
            This status object.

        Raises:
            AssertionError: If the checkpoint does not contain an object. The message lists them.
        """
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> NameBasedSaverStatus:
        """Check that the checkpoint contained every object with values.

        Returns:
            This status object.

        Raises:
            AssertionError: If the checkpoint does not contain an object. The message lists them.
        """
        return self.assert_consumed()

    def expect_partial(self) -> NameBasedSaverStatus:
        """Do nothing, because there is no warning about unused values.

        Returns:
            This status object.
        """
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restore the objects that have been added since the call of `restore`."""
        self._restore()

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restore the objects that have been added since the call of `restore`."""
        self._restore()
