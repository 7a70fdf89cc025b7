"""What restoring gives: how much of a checkpoint and of the program have found each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from tfpy._src.checkpoints.objects import has_values, nodes_of
from tfpy._src.checkpoints.restoring import Restoration


class LoadStatus(ABC):
    """What ``Checkpoint.restore`` and ``read`` give."""

    @abstractmethod
    def assert_consumed(self) -> LoadStatus:
        """Checks that every value of the checkpoint and every object of the program is matched."""

    @abstractmethod
    def assert_existing_objects_matched(self) -> LoadStatus:
        """Checks that every object of the program that has values has got them."""

    @abstractmethod
    def assert_nontrivial_match(self) -> LoadStatus:
        """Checks that more than the root is matched."""

    @abstractmethod
    def expect_partial(self) -> LoadStatus:
        """Says that it is meant when values are left, of which a warning tells otherwise."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Of no effect: values are restored at once."""
        return None

    def initialize_or_restore(self, session: Any = None) -> None:
        """Of no effect: Variables have their initial values, or those restored."""
        return None


class CheckpointLoadStatus(LoadStatus):
    """How far a checkpoint is restored; objects that come later are counted when they are there."""

    def __init__(
        self, restoration: Restoration, root: Any, attached: Callable[[], dict[str, Any]]
    ) -> None:
        self._restoration = restoration
        self._root = root
        self._attached = attached

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that every value of the checkpoint and every object of the program is matched.

        Raises:
            AssertionError: when something is left; it is named.
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
        """Checks that every object of the program that has values has got them.

        Raises:
            AssertionError: when there are others; up to ten are named.
        """
        if left := self._unmatched():
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, "
                "likely due to changes in the Python program. "
                f"Showing {min(10, len(left))} of {len(left)} unmatched objects: {left[:10]}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Checks that more than the root is matched.

        Raises:
            AssertionError: when nothing else is.
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
        """Says that it is meant when values are left, of which a warning tells otherwise."""
        self._restoration.partial = True
        return self

    def _unmatched(self) -> list[Any]:
        """The objects with values that have got none."""
        self._restoration.look()
        matched = set(map(id, self._restoration.bound.values()))
        found = (node.value for node in nodes_of(self._root, self._attached()))
        return [value for value in found if id(value) not in matched and has_values(value)]


_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class InitializationOnlyStatus(LoadStatus):
    """What restoring from no checkpoint gives: all that is asserted fails."""

    def assert_consumed(self) -> InitializationOnlyStatus:
        """Raises.

        Raises:
            AssertionError: always.
        """
        raise AssertionError(_NOTHING)

    def assert_existing_objects_matched(self) -> InitializationOnlyStatus:
        """Raises.

        Raises:
            AssertionError: always.
        """
        raise AssertionError(_NOTHING)

    def assert_nontrivial_match(self) -> InitializationOnlyStatus:
        """Raises.

        Raises:
            AssertionError: always.
        """
        raise AssertionError(_NOTHING)

    def expect_partial(self) -> InitializationOnlyStatus:
        """Of no effect."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises.

        Raises:
            AssertionError: always.
        """
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to "
            "Saver.restore)."
        )
