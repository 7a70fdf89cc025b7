"""The status objects that `Checkpoint.restore` and `Checkpoint.read` return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from tfpy._src.checkpoints.objects import has_values, nodes_of
from tfpy._src.checkpoints.restoring import Restoration


class LoadStatus(ABC):
    """A status object that `Checkpoint.restore` and `Checkpoint.read` return."""

    @abstractmethod
    def assert_consumed(self) -> LoadStatus:
        """Check that every value of the checkpoint and every object was matched."""

    @abstractmethod
    def assert_existing_objects_matched(self) -> LoadStatus:
        """Check that every object with values was matched."""

    @abstractmethod
    def assert_nontrivial_match(self) -> LoadStatus:
        """Check that an object other than the root was matched."""

    @abstractmethod
    def expect_partial(self) -> LoadStatus:
        """Suppress the warning about values that were not restored."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Do nothing, because values are restored immediately."""
        return None

    def initialize_or_restore(self, session: Any = None) -> None:
        """Do nothing, because Variables already have their initial or restored values."""
        return None


class CheckpointLoadStatus(LoadStatus):
    """The status of a restored checkpoint, including objects that are created after `restore`."""

    def __init__(
        self, restoration: Restoration, root: Any, attached: Callable[[], dict[str, Any]]
    ) -> None:
        self._restoration = restoration
        self._root = root
        self._attached = attached

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Check that every value of the checkpoint and every object was matched.

        Returns:
            This status object.

        Raises:
            AssertionError: If a value or an object was not matched. The message lists them.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).save("consumed/model")
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(0.0))
            >>> status = checkpoint.restore(path).assert_consumed()
        """
        restoration = self._restoration
        self.assert_existing_objects_matched()
        for number in restoration.unresolved():
            keys = ", ".join(restoration.nodes[number].attributes.values())
            raise AssertionError(
                f"Unresolved object in checkpoint {restoration.path(number)}: {keys}"
            )
        if restoration.unused:
            left = "\n".join(
                f"{restoration.path(number)} ({restoration.bound[number]!r}): {names}"
                for number, names in restoration.unused.items()
            )
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but "
                f"were not restored):\n{left}"
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Check that every object with values was matched.

        Unlike `assert_consumed`, this method accepts values of the checkpoint for which there is no
        object.

        Returns:
            This status object.

        Raises:
            AssertionError: If an object was not matched. The message lists up to ten of them.

        Example:
            >>> import tfpy as tf
            >>> w, b = tf.Variable(1.0), tf.Variable(2.0)
            >>> path = tf.train.Checkpoint(w=w, b=b).save("matched/model")
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(0.0))
            >>> status = checkpoint.restore(path).expect_partial()
            >>> status = status.assert_existing_objects_matched()
        """
        if left := self._unmatched():
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, "
                "likely due to changes in the Python program. "
                f"Showing {min(10, len(left))} of {len(left)} unmatched objects: {left[:10]}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Check that an object other than the root was matched.

        Returns:
            This status object.

        Raises:
            AssertionError: If no other object was matched.
        """
        left = self._unmatched()
        if len(self._restoration.bound) > 1:
            return self
        if left:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program. The following objects have "
                f"no matching checkpointed value: {left}"
            )
        raise AssertionError(
            f"Nothing to load. No dependencies have been added to {self._root!r} yet."
        )

    def expect_partial(self) -> CheckpointLoadStatus:
        """Suppress the warning about values that were not restored.

        Returns:
            This status object.

        Example:
            >>> import tfpy as tf
            >>> w, b = tf.Variable(1.0), tf.Variable(2.0)
            >>> path = tf.train.Checkpoint(w=w, b=b).save("partial/model")
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(0.0))
            >>> status = checkpoint.restore(path).expect_partial()
        """
        self._restoration.partial = True
        return self

    def _unmatched(self) -> list[Any]:
        """Return the objects with values that the checkpoint did not restore."""
        self._restoration.look()
        matched = set(map(id, self._restoration.bound.values()))
        found = (node.value for node in nodes_of(self._root, self._attached()))
        return [value for value in found if id(value) not in matched and has_values(value)]


_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class InitializationOnlyStatus(LoadStatus):
    """The status of `restore(None)`: every assertion fails."""

    def assert_consumed(self) -> InitializationOnlyStatus:
        """Raise an AssertionError.

        Raises:
            AssertionError: Always.
        """
        raise AssertionError(_NOTHING)

    def assert_existing_objects_matched(self) -> InitializationOnlyStatus:
        """Raise an AssertionError.

        Raises:
            AssertionError: Always.
        """
        raise AssertionError(_NOTHING)

    def assert_nontrivial_match(self) -> InitializationOnlyStatus:
        """Raise an AssertionError.

        Raises:
            AssertionError: Always.
        """
        raise AssertionError(_NOTHING)

    def expect_partial(self) -> InitializationOnlyStatus:
        """Do nothing.

        Returns:
            This status object.
        """
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Raise an AssertionError.

        Raises:
            AssertionError: Always.
        """
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to "
            "Saver.restore)."
        )
