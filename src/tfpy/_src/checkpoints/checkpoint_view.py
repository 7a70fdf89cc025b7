"""`tf.train.CheckpointView`: a comparison of the objects in a checkpoint and in a program."""

from __future__ import annotations

import logging
from typing import Any

from tfpy._src.checkpoints.messages import OBJECT_GRAPH, nodes_in
from tfpy._src.checkpoints.objects import is_trackable
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.trackable_view import TrackableView
from tfpy._src.core.typing import PathLike
from tfpy._src.library.io.gfile import path_text

_log = logging.getLogger("tensorflow")


class CheckpointView:
    """A view of the objects in a checkpoint. Objects have numbers; the root has the number 0.

    Args:
        save_path: Path of a checkpoint of `tf.train.Checkpoint`.

    Raises:
        ValueError: If the checkpoint does not describe objects.
        tf.errors.NotFoundError: If there is no such checkpoint.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0])).save("/tmp/view/model")
        >>> tf.train.CheckpointView(path).children(0)
        {'w': 1, 'save_counter': 2}

    See also: `tf.train.TrackableView`, `tf.train.load_checkpoint`.
    """

    def __init__(self, save_path: PathLike) -> None:
        reader = CheckpointReader(save_path)
        if not reader.has_tensor(OBJECT_GRAPH):
            raise ValueError(
                f'The specified checkpoint "{path_text(save_path)}" does not appear to be '
                f'object-based. It has no value "{OBJECT_GRAPH}", because it was written by '
                "tf.compat.v1.train.Saver"
            )
        self._nodes = nodes_in(reader.get_tensor(OBJECT_GRAPH))

    def children(self, node_id: int) -> dict[str, int]:
        """Return the objects that an object holds.

        Args:
            node_id: Number of the object.

        Returns:
            A dict from attribute names to numbers of objects.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=[tf.Variable(1.0)]).write("/tmp/children/model")
            >>> tf.train.CheckpointView(path).children(1)
            {'0': 2}
        """
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """Return the numbers of all objects that are reachable from the root.

        Returns:
            A list of integers, in breadth-first order.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).write("/tmp/descendants/model")
            >>> tf.train.CheckpointView(path).descendants()
            [0, 1]
        """
        found = {0: None}
        for number in (order := [0]):
            added = [n for n in self.children(number).values() if n not in found]
            order += dict.fromkeys(added)
            found |= dict.fromkeys(added)
        return list(found)

    def match(self, obj: Any) -> dict[int, Any]:
        """Return the objects of a program that have the same place as an object in the checkpoint.

        Args:
            obj: The root of the program's objects, such as a `tf.Module`.

        Returns:
            A dict from numbers of objects in the checkpoint to objects of the program.

        Raises:
            ValueError: If checkpoints cannot contain `obj`.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).write("/tmp/match/model")
            >>> module = tf.Module()
            >>> module.w = tf.Variable(2.0)
            >>> list(tf.train.CheckpointView(path).match(module))
            [0, 1]
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        found = {0: obj}
        done: set[int] = set()
        for number in (order := [0]):
            held = TrackableView.children(found[number])
            for name, child in self.children(number).items():
                if child == 0 or child in done or name not in held:
                    continue
                if child not in found:
                    found[child] = held[name]
                    order.append(child)
                elif found[child] is not held[name]:
                    _log.warning(
                        "The checkpoint has one object where the program has two: %s and %s.",
                        found[child], held[name],
                    )  # fmt: skip
            done.add(number)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Compare the objects in the checkpoint with the objects of a program.

        Args:
            obj: The root of the program's objects, such as a `tf.Module`.

        Returns:
            A tuple of the result of `match(obj)`, a list of the numbers of objects that exist only
            in the checkpoint, and a list of the objects that exist only in the program.

        Raises:
            ValueError: If checkpoints cannot contain `obj`.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).write("/tmp/diff/model")
            >>> module = tf.Module()
            >>> module.v = tf.Variable(2.0)
            >>> view = tf.train.CheckpointView(path)
            >>> found, only_in_checkpoint, only_in_module = view.diff(module)
            >>> list(found), only_in_checkpoint, len(only_in_module)
            ([0], [1], 1)
        """
        found = self.match(obj)
        matched = {id(value) for value in found.values()}
        return (
            found,
            [n for n in self.descendants() if n not in found],
            [x for x in TrackableView(obj).descendants() if id(x) not in matched],
        )
