"""``tf.train.Checkpoint``: the values of a program's objects, in files and back."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.errors import NotFoundError
from tfpy._src.checkpoints.messages import OBJECT_GRAPH, nodes_in, written
from tfpy._src.checkpoints.objects import TrackedValue, add_values, children, is_trackable, nodes_of
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.restoring import Restoration
from tfpy._src.checkpoints.state import update_checkpoint_state
from tfpy._src.checkpoints.status import CheckpointLoadStatus, InitializationOnlyStatus, LoadStatus
from tfpy._src.checkpoints.writing import Note, note_nothing, write
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.io.gfile import Path, path_text
from tfpy._src.tensors.variables.tracking import Tracked, look_in
from tfpy._src.tensors.variables.variable import Variable

INT64 = 9
"""TensorFlow's number of that dtype."""


class CheckpointOptions:
    """How a checkpoint is written (``tf.train.CheckpointOptions``).

    Args:
        experimental_write_callbacks: functions that are called when a checkpoint is there, with its
            path if they take an argument.
        experimental_io_device, experimental_enable_async_checkpoint, enable_async: of no effect: it
            is written before the call returns.
        experimental_skip_slot_variables, experimental_sharding_callback: of no effect.

    Example:
        >>> import tfpy as tf
        >>> told = []
        >>> callbacks = [lambda path: told.append(path)]
        >>> options = tf.train.CheckpointOptions(experimental_write_callbacks=callbacks)
        >>> path = tf.train.Checkpoint(w=tf.Variable(3.0)).save("told/ckpt", options=options)
        >>> len(told)
        1
    """

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = experimental_enable_async_checkpoint
        self.experimental_write_callbacks = experimental_write_callbacks
        self.enable_async = enable_async
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


class Checkpoint(Tracked):
    """The values of objects, to be saved and restored (``tf.train.Checkpoint``).

    Objects are Variables, Modules (``tf.Module``), Keras's models and optimizers, random
    generators, tables that programs change, iterators of datasets, and lists, tuples and
    dictionaries of these. They are found by the names of attributes, from the ones given on. The
    files are TensorFlow's: what it writes is restored here, and the other way round.

    Args:
        root: an object whose attributes count as the checkpoint's.
        **kwargs: objects by name; they become attributes.

    Raises:
        ValueError: for what holds no values, and for a name that the root has for another object.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).save("checkpoints/model")
        >>> w = tf.Variable([0.0, 0.0])
        >>> status = tf.train.Checkpoint(w=w).restore(path)
        >>> w.numpy().tolist()
        [1.0, 2.0]
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        if root is not None:
            kwargs["root"] = root
        for name in sorted(kwargs):
            _check(name, kwargs[name], root)
            setattr(self, name, kwargs[name])
        self._root = root if root is None else Root(root)

    def _top(self) -> Any:
        """The object that the checkpoint begins with."""
        return self if self._root is None else self._root.value

    def _attached(self) -> dict[str, Any]:
        """What counts as attributes of a root that was given."""
        if self._root is None:
            return {}
        return {name: value for name, value in vars(self).items() if is_trackable(value)}

    @property
    def save_counter(self) -> Variable:
        """How often the checkpoint was saved, an integer Variable; it is saved along."""
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

    def write(self, file_prefix: Path, options: CheckpointOptions | None = None) -> str:
        """Writes the values to files whose names begin as said; returns that.

        A file that is written over stays whole until the new one is. Where several processes
        compute together, all call this with the same path, in a folder that they share.

        Raises:
            tf.errors.OpError: when the files cannot be written; UnavailableError when another
                process is gone.
        """
        return self.write_and(path_text(file_prefix), options, note_nothing)

    async def write_async(self, file_prefix: Path, options: CheckpointOptions | None = None) -> str:
        """:meth:`write` where the device's values are to be awaited, as in a page."""
        return await self.write_and_async(path_text(file_prefix), options, note_nothing)

    def save(self, file_prefix: Path, options: CheckpointOptions | None = None) -> str:
        """Writes the values, with a number behind the path, and notes it as the folder's latest.

        Returns:
            The path with the number, which :attr:`save_counter` gives.

        Raises:
            tf.errors.OpError: as :meth:`write`.
        """
        return self.write_and(self._counted(file_prefix), options, _note_latest)

    async def save_async(self, file_prefix: Path, options: CheckpointOptions | None = None) -> str:
        """:meth:`save` where the device's values are to be awaited, as in a page."""
        return await self.write_and_async(self._counted(file_prefix), options, _note_latest)

    def _counted(self, prefix: Path) -> str:
        return f"{path_text(prefix)}-{self.count()}"

    def count(self) -> int:
        """Adds one to the counter; what it is then. Its value stays the host's: none is awaited."""
        number = int(self.save_counter) + 1
        self.save_counter.assign(number)
        return number

    def write_and(self, prefix: str, options: CheckpointOptions | None, note: Note) -> str:
        """Writes the values; notes the checkpoint then, before callbacks are called."""
        write(prefix, self._values(), note)
        _call_back(prefix, options)
        return prefix

    async def write_and_async(
        self, prefix: str, options: CheckpointOptions | None, note: Note
    ) -> str:
        """:meth:`write_and` where the device's values are to be awaited."""
        write(prefix, await _on_host(self._values()), note)
        _call_back(prefix, options)
        return prefix

    def _values(self) -> list[TrackedValue]:
        """What is written."""
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

    def read(self, save_path: Path, options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores what :meth:`write` has written: see :meth:`restore`."""
        reader = CheckpointReader(save_path)
        if not reader.has_tensor(OBJECT_GRAPH):
            raise NotFoundError(
                None,
                None,
                f"{path_text(save_path)} has no object graph: TensorFlow 1 wrote it; "
                "tf.train.load_checkpoint reads its values",
            )
        with reader.checked():
            nodes = nodes_in(reader.get_tensor(OBJECT_GRAPH))
        restoration = Restoration(reader, nodes, self._top(), self._attached)
        return CheckpointLoadStatus(restoration, self._top(), self._attached)

    def restore(
        self, save_path: Path | None, options: CheckpointOptions | None = None
    ) -> LoadStatus:
        """Restores what :meth:`save` has written, here or by TensorFlow, on any backend.

        Values of objects that are not there yet are restored when these become attributes. A
        Variable that is spread over devices stays so, however many wrote the checkpoint.

        Args:
            save_path: what :meth:`save` gave, or ``tf.train.latest_checkpoint``; None restores
                nothing.

        Returns:
            A status, which tells what was not matched.

        Raises:
            NotFoundError: when there is no such checkpoint.
            DataLossError: when it is broken.
            ValueError: when a Variable has another shape there.
            InvalidArgumentError: when a Variable has another dtype there.
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
        _ = self.save_counter  # it is restored, too
        return status

    def sync(self) -> None:
        """Of no effect: checkpoints are there when they are written."""


def _note_latest(path: str, own: bool) -> None:
    """Notes a checkpoint as the latest one of its folder."""
    if own:
        update_checkpoint_state(os.path.dirname(path), path, [path])


def _call_back(path: str, options: CheckpointOptions | None) -> None:
    for callback in (options and options.experimental_write_callbacks) or ():
        callback(*[path][: len(inspect.signature(callback).parameters)])


class Root:
    """Keeps a root from being one of the checkpoint's own attributes."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _check(name: str, value: Any, root: Any) -> None:
    """Whether an object may be part of a checkpoint under a name.

    Raises:
        ValueError: when it holds no values, or the root has another one of that name.
    """
    if not is_trackable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (a Variable, a tf.Module, "
            f"a model of Keras, or what holds such), got {value!r}."
        )
    if root is not None and name != "root" and children(root).get(name, value) is not value:
        raise ValueError(
            f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already "
            "exists."
        )


async def _on_host(values: list[TrackedValue]) -> list[TrackedValue]:
    """The values, read from the device."""

    async def one(value: TrackedValue) -> TrackedValue:
        if not isinstance(value.value, Tensor):
            return value
        host = await value.value.storage.to_host_async()
        return TrackedValue(value.key, value.dtype, host.reshape(value.value.aval.shape))

    return list(await asyncio.gather(*map(one, values)))
