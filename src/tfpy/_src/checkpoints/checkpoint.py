"""Implementation of `tf.train.Checkpoint`, which saves and restores the values of objects."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import NotFoundError
from tfpy._src.base.members import Listed
from tfpy._src.checkpoints.messages import OBJECT_GRAPH, nodes_in, written
from tfpy._src.checkpoints.name_based import NameBasedSaverStatus
from tfpy._src.checkpoints.objects import (
    TrackedValue,
    add_values,
    check_trackable,
    children,
    is_trackable,
    nodes_of,
    on_host,
)
from tfpy._src.checkpoints.options import CheckpointOptions, call_back
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.restoring import Restoration
from tfpy._src.checkpoints.state import update_checkpoint_state
from tfpy._src.checkpoints.status import CheckpointLoadStatus, InitializationOnlyStatus, LoadStatus
from tfpy._src.checkpoints.writing import Note, note_nothing, write
from tfpy._src.core.typing import PathLike
from tfpy._src.library.io.gfile import path_text
from tfpy._src.tensors.variables.tracking import Tracked, look_in
from tfpy._src.tensors.variables.variable import Variable

INT64 = 9
"""TensorFlow's enum value of the dtype int64."""


class Checkpoint(Listed, Tracked):
    """A group of objects whose values are saved and restored together.

    Supported objects are Variables, modules (`tf.Module`), Keras models and optimizers, random
    generators, mutable lookup tables, dataset iterators, and lists, tuples and dictionaries of
    these. To restore a value, the object is found by the names of the attributes that lead to it,
    such as `model.w`. tfpy and TensorFlow can restore each other's checkpoints.

    Args:
        root: Object such as a model. Its attributes are saved and restored. Default: only the
            keyword arguments are.
        **kwargs: Objects to save and restore. Each becomes an attribute of the checkpoint, with the
            name of the keyword argument.

    Raises:
        ValueError: If an argument is not a supported object, or if `root` already has a different
            object under the name of a keyword argument.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).save("checkpoints/model")
        >>> w = tf.Variable([0.0, 0.0])
        >>> status = tf.train.Checkpoint(w=w).restore(path)
        >>> w.numpy().tolist()
        [1.0, 2.0]

    See also: `tf.train.CheckpointManager`, `tf.train.latest_checkpoint`.
    """

    _package_members = frozenset(("count", "write_and", "write_and_async"))

    def __init__(self, root: object = None, **kwargs: object) -> None:
        if root is not None:
            kwargs["root"] = root
        for name in sorted(kwargs):
            check_trackable(name, kwargs[name], root)
            setattr(self, name, kwargs[name])
        self._root = root if root is None else Root(root)

    def _top(self) -> Any:
        """Return the object at which the object graph starts."""
        return self if self._root is None else self._root.value

    def _attached(self) -> dict[str, Any]:
        """Return the keyword arguments, which count as attributes of the given root."""
        if self._root is None:
            return {}
        return {name: value for name, value in vars(self).items() if is_trackable(value)}

    @property
    def save_counter(self) -> Variable:
        """Integer Variable with the number of calls of `save`; it is part of the checkpoint."""
        found: Variable | None = children(self._top()).get("save_counter")
        if found is None:
            found = vars(self).get("save_counter")
        if found is None:
            with tracing.init_scope():
                found = Variable(0, trainable=False, name="save_counter", dtype=dtypes.int64)
            found.saved_as = INT64
            vars(self)["save_counter"] = found
            for waiting in (self, self._top()):
                if isinstance(waiting, Tracked):
                    look_in(waiting)
        return found

    def write(self, file_prefix: PathLike, options: CheckpointOptions | None = None) -> str:
        """Write the values to files whose names begin with `file_prefix`.

        An existing checkpoint with this path stays intact until the new one is complete. In a
        program of several processes, all of them must call this method with the same path, in a
        folder that they share.

        Args:
            file_prefix: Path of the checkpoint, without a file name extension.
            options: A `tf.train.CheckpointOptions`. Default: no options.

        Returns:
            `file_prefix` as a string, which `tf.train.Checkpoint.read` accepts.

        Raises:
            tf.errors.OpError: If the files cannot be written.
            tf.errors.UnavailableError: If another process of the program has ended.

        Example:
            >>> import tfpy as tf
            >>> tf.train.Checkpoint(w=tf.Variable(1.0)).write("written/model")
            'written/model'

        See also: `tf.train.Checkpoint.save`, `tf.train.Checkpoint.write_async`.
        """
        return self.write_and(path_text(file_prefix), options, note_nothing)

    @awaitable("checkpoint.write_async(path)")
    async def write_async(
        self, file_prefix: PathLike, options: CheckpointOptions | None = None
    ) -> str:
        """Write the values without blocking the page.

        On webgpu, this method works in all browsers, but `write` only in those that can suspend
        Python (JSPI).

        Args:
            file_prefix: Path of the checkpoint, without a file name extension.
            options: A `tf.train.CheckpointOptions`. Default: no options.

        Returns:
            An awaitable that resolves to `file_prefix` as a string.

        Raises:
            tf.errors.OpError: If the files cannot be written.

        Example::

            path = await checkpoint.write_async("written/model")
        """
        return await self.write_and_async(path_text(file_prefix), options, note_nothing)

    def save(self, file_prefix: PathLike, options: CheckpointOptions | None = None) -> str:
        """Write a numbered checkpoint and record it as the latest one of its folder.

        The number is the value of `save_counter`, which each call increments.

        Args:
            file_prefix: Path of the checkpoint, to which a hyphen and the number are appended.
            options: A `tf.train.CheckpointOptions`. Default: no options.

        Returns:
            The path with the number, such as `"folder/model-1"`.

        Raises:
            tf.errors.OpError: If the files cannot be written.
            tf.errors.UnavailableError: If another process of the program has ended.

        Example:
            >>> import tfpy as tf
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
            >>> checkpoint.save("saved/model"), checkpoint.save("saved/model")
            ('saved/model-1', 'saved/model-2')

        See also: `tf.train.Checkpoint.restore`, `tf.train.latest_checkpoint`.
        """
        return self.write_and(self._counted(file_prefix), options, _note_latest)

    @awaitable("checkpoint.save_async(path)")
    async def save_async(
        self, file_prefix: PathLike, options: CheckpointOptions | None = None
    ) -> str:
        """Write a numbered checkpoint without blocking the page.

        On webgpu, this method works in all browsers, but `save` only in those that can suspend
        Python (JSPI).

        Args:
            file_prefix: Path of the checkpoint, to which a hyphen and the number are appended.
            options: A `tf.train.CheckpointOptions`. Default: no options.

        Returns:
            An awaitable that resolves to the path with the number, such as `"folder/model-1"`.

        Raises:
            tf.errors.OpError: If the files cannot be written.

        Example::

            path = await checkpoint.save_async("saved/model")
        """
        return await self.write_and_async(self._counted(file_prefix), options, _note_latest)

    def _counted(self, prefix: PathLike) -> str:
        return f"{path_text(prefix)}-{self.count()}"

    def count(self) -> int:
        """Increment the save counter and return its new value.

        Returns:
            The number of the next checkpoint.

        Example:
            >>> import tfpy as tf
            >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
            >>> checkpoint.count(), checkpoint.count()
            (1, 2)
        """
        number = int(self.save_counter) + 1
        self.save_counter.assign(number)
        return number

    def write_and(self, prefix: str, options: CheckpointOptions | None, note: Note) -> str:
        """Write the values, then call `note`, then the callbacks of `options`.

        Args:
            prefix: Path of the checkpoint, without a file name extension.
            options: A `tf.train.CheckpointOptions`.
            note: Function that takes the path and a bool, which is True if this process wrote the
                table.

        Returns:
            The prefix.
        """
        write(prefix, self._values(), note)
        call_back(prefix, options)
        return prefix

    @awaitable("checkpoint.write_and_async(path)")
    async def write_and_async(
        self, prefix: str, options: CheckpointOptions | None, note: Note
    ) -> str:
        """Write the values without blocking the page, then call `note` and the callbacks.

        Args:
            prefix: Path of the checkpoint, without a file name extension.
            options: A `tf.train.CheckpointOptions`.
            note: Function that takes the path and a bool, which is True if this process wrote the
                table.

        Returns:
            An awaitable that resolves to the prefix.
        """
        write(prefix, await on_host(self._values()), note)
        call_back(prefix, options)
        return prefix

    def _values(self) -> list[TrackedValue]:
        """Return the object graph and all values, sorted by key."""
        nodes = nodes_of(self._top(), self._attached())
        for node in nodes:
            add_values(node)
        graph = np.empty((), object)
        graph[()] = written(nodes)
        found = [value for node in nodes for some in node.values.values() for value in some]
        text = dtypes.string.as_datatype_enum
        return [
            TrackedValue(OBJECT_GRAPH, text, graph),
            *sorted(found, key=lambda value: value.key),
        ]

    def read(self, save_path: PathLike, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restore the values of a checkpoint that `write` created.

        Unlike `restore`, it restores `save_counter` only if the program has already used it.

        Args:
            save_path: Path that `write` returned.
            options: Has no effect.

        Returns:
            A status object. Its method `assert_consumed` raises an AssertionError unless every
            value of the checkpoint and every object was matched. If values have not been restored
            by the time the status object is deleted, a warning lists them, unless its method
            `expect_partial` was called.

        Raises:
            tf.errors.NotFoundError: If there is no such checkpoint.
            tf.errors.DataLossError: If the checkpoint is corrupt.
            ValueError: If a Variable has a different shape in the checkpoint.
            tf.errors.InvalidArgumentError: If a Variable has a different dtype in the checkpoint.

        Example:
            >>> import tfpy as tf
            >>> w = tf.Variable(1.0)
            >>> checkpoint = tf.train.Checkpoint(w=w)
            >>> path = checkpoint.write("read/model")
            >>> w.assign(5.0, read_value=False)
            >>> status = checkpoint.read(path).assert_consumed()
            >>> w.numpy().tolist()
            1.0
        """
        reader = CheckpointReader(save_path)
        if not reader.has_tensor(OBJECT_GRAPH):
            return NameBasedSaverStatus(reader, self._top(), self._attached)
        with reader.checked():
            nodes = nodes_in(reader.get_tensor(OBJECT_GRAPH))
        restoration = Restoration(reader, nodes, self._top(), self._attached)
        return CheckpointLoadStatus(restoration, self._top(), self._attached)

    def restore(
        self, save_path: PathLike | None, options: CheckpointOptions | None = None
    ) -> LoadStatus:
        """Restore the values of a checkpoint that `save` or TensorFlow wrote.

        The checkpoint may have been written on a different backend. It can have values of objects
        that do not exist yet, such as Variables of a layer that is built later. Such a value is
        restored as soon as the object becomes part of a restored object, as an attribute or as an
        item of a list or dictionary. A sharded Variable keeps its sharding.

        Args:
            save_path: Path that `save` or `tf.train.latest_checkpoint` returned. If it is None,
                nothing is restored.
            options: Has no effect.

        Returns:
            A status object. Its method `assert_consumed` raises an AssertionError unless every
            value of the checkpoint and every object was matched. If values have not been restored
            by the time the status object is deleted, a warning lists them, unless its method
            `expect_partial` was called.

        Raises:
            tf.errors.NotFoundError: If there is no such checkpoint.
            tf.errors.DataLossError: If the checkpoint is corrupt.
            ValueError: If a Variable has a different shape in the checkpoint.
            tf.errors.InvalidArgumentError: If a Variable has a different dtype in the checkpoint.

        Example:
            >>> import tfpy as tf
            >>> w = tf.Variable(1.0)
            >>> checkpoint = tf.train.Checkpoint(w=w)
            >>> path = checkpoint.save("restored/model")
            >>> w.assign(5.0, read_value=False)
            >>> status = checkpoint.restore(path).assert_consumed()
            >>> w.numpy().tolist()
            1.0

        See also: `tf.train.Checkpoint.save`, `tf.train.latest_checkpoint`.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        try:
            status = self.read(save_path)
        except NotFoundError as error:
            raise NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint at {path_text(save_path)}: {error.message}",
            ) from None
        counter = self.save_counter  # creates the counter, so that it is restored as well
        if isinstance(status, NameBasedSaverStatus):
            status.add_optional(counter)
        return status

    def sync(self) -> None:
        """Do nothing, because a checkpoint is complete when the call that writes it returns.

        Example:
            >>> import tfpy as tf
            >>> tf.train.Checkpoint(w=tf.Variable(1.0)).sync()
        """


def _note_latest(path: str, own: bool) -> None:
    """Record a checkpoint as the latest one of its folder."""
    if own:
        update_checkpoint_state(os.path.dirname(path), path, [path])


class Root:
    """A holder that keeps the root out of the checkpoint's own attributes."""

    def __init__(self, value: Any) -> None:
        self.value = value
