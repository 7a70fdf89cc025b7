"""`tf.compat.v1.train.Saver`: checkpoints with the names of Variables as keys."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.checkpoints.graph_saver import add_saver
from tfpy._src.checkpoints.manager import files_of
from tfpy._src.checkpoints.meta_graphs import meta_graph_of
from tfpy._src.checkpoints.objects import TrackedValue, number_of
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.state import update_checkpoint_state
from tfpy._src.checkpoints.variable_parts import (
    Held,
    divided,
    joined,
    keyed_variables,
    parts_of,
)
from tfpy._src.checkpoints.writing import write
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.io.gfile import path_text
from tfpy._src.library.protos.meta_graphs import MetaGraphDef, SaverDef
from tfpy._src.tensors.variables.variable import Variable


class Saver:
    """An object that saves Variables in a checkpoint of TensorFlow 1, and restores them.

    Args:
        var_list: Variables, a list, or a dict from keys of the checkpoint. Default: the global
            Variables of the default graph, with their names as keys.
        reshape: If True, restore values of another shape with the same number of elements.
        sharded, keep_checkpoint_every_n_hours: Values that `as_saver_def` returns.
        restore_sequentially, saver_def, builder, write_version, save_relative_paths: Has no effect.
        pad_step_number: If True, step numbers in paths have at least 8 digits.
        max_to_keep: Number of checkpoints that are kept. None or 0 keeps all. Default: 5.
        name: Has no effect.
        defer_build: If True, the method `build` collects the Variables. In eager execution the
            first call collects them.
        allow_empty: If True, there may be no Variables.
        filename: Has no effect.

    Raises:
        ValueError: If there are no Variables, two Variables have the same name, or both `var_list`
            and `defer_build` are given.
        RuntimeError: If functions execute eagerly and `var_list` is None.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable(3.0, name="v")
        >>> saver = tf.compat.v1.train.Saver([v])
        >>> path = saver.save(None, "saved/model", global_step=1)
        >>> _ = v.assign(0.0)
        >>> saver.restore(None, path)
        >>> print(path, v.numpy())
        saved/model-1 3.0

    See also: `tf.train.Checkpoint`.
    """

    def __init__(
        self,
        var_list: Mapping[str, Any] | Sequence[Any] | None = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: object = None,
        builder: object = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError("Saver: pass either var_list or defer_build=True, not both.")
        if var_list is None and tracing.executing_eagerly():
            raise RuntimeError(
                "Saver needs var_list, a list or dict of Variables, if functions execute eagerly."
            )
        self._given, self._reshape, self._allow_empty = var_list, reshape, allow_empty
        self._max_to_keep, self._hours = max_to_keep or 0, keep_checkpoint_every_n_hours
        self._is_sharded = sharded
        self._pads = pad_step_number
        self._variables: dict[str, Held] | None = None
        self.last_checkpoints: list[str] = []
        """Paths of the kept checkpoints, oldest first."""
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Collect the Variables.

        Raises:
            ValueError: If there are no Variables, or two Variables have the same name.
        """
        given = self._given
        if given is None:
            given = get_default_graph().get_collection("variables")
        if not given and not self._allow_empty:
            raise ValueError("No variables to save")
        self._variables = keyed_variables(given)

    def _items(self, action: str) -> dict[str, Held]:
        if self._variables is None and not tracing.executing_eagerly():
            raise RuntimeError(
                f"Saver: call build() before {action}(), because of defer_build=True."
            )
        if self._variables is None:
            self.build()
        assert self._variables is not None
        return self._variables

    def save(
        self,
        sess: Any,
        save_path: PathLike,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Save the Variables.

        The graph of the session is saved in a file with the suffix `.meta`, which
        `tf.compat.v1.train.import_meta_graph` reads.

        Args:
            sess: Session whose values are saved. In eager execution None.
            save_path: Path of the checkpoint.
            global_step: Number that is appended to the path, an integer, a tensor or a Variable.
            latest_filename: Name of the file that lists the checkpoints. Default: `"checkpoint"`.
            meta_graph_suffix: Suffix of the file with the graph.
            write_meta_graph: If False, the graph is not saved.
            strip_default_attrs, save_debug_info: Has no effect.
            write_state: If False, the checkpoint is not listed.

        Returns:
            Path of the checkpoint, which `restore` accepts. None if there are no Variables.

        Raises:
            TypeError: If a session is needed.
            RuntimeError: If the Variables have not been collected.
            tf.errors.FailedPreconditionError: If a Variable is not initialized in the session.
        """
        items = dict(sorted(self._items("save").items()))
        values = _values(sess, [v for held in items.values() for v in parts_of(held)])
        prefix = path_text(save_path)
        if global_step is not None:
            prefix = f"{prefix}-{_number(sess, global_step):0{8 if self._pads else 1}d}"
        if not items:
            if write_meta_graph and sess is not None:
                write_message(self._meta_graph(sess.graph), f"{prefix}.{meta_graph_suffix}")
            return None
        with immediately():
            tracked = [
                TrackedValue(key, kind.saved_as or number_of(kind.dtype), value)
                for key, kind, value in joined(items, values)
            ]
            write(prefix, tracked)
        self._keep(prefix)
        if write_meta_graph and any(
            isinstance(v, GraphVariable) for held in items.values() for v in parts_of(held)
        ):
            write_message(self._meta_graph(sess.graph), f"{prefix}.{meta_graph_suffix}")
        if write_state:
            update_checkpoint_state(
                os.path.dirname(prefix) or ".", prefix, self.last_checkpoints, latest_filename
            )
        return prefix

    def _keep(self, prefix: str) -> None:
        if not self._max_to_keep:
            return
        if prefix in self.last_checkpoints:
            self.last_checkpoints.remove(prefix)
        self.last_checkpoints.append(prefix)
        while len(self.last_checkpoints) > self._max_to_keep:
            oldest = self.last_checkpoints.pop(0)
            for path in (*files_of(oldest), f"{oldest}.meta"):
                with contextlib.suppress(OSError):
                    os.remove(path)

    def restore(self, sess: Any, save_path: PathLike) -> None:
        """Restore the Variables.

        Args:
            sess: Session in which the Variables receive the values. In eager execution None.
            save_path: Path that `save` returned.

        Raises:
            ValueError: If there is no such checkpoint.
            RuntimeError: If the Variables have not been collected.
            tf.errors.InvalidArgumentError: If a value does not have the shape or the dtype of its
                Variable.
            tf.errors.NotFoundError: If the checkpoint does not contain a Variable.
        """
        if self._variables == {}:
            return
        prefix = path_text(save_path)
        if not os.path.exists(f"{prefix}.index"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        reader = CheckpointReader(prefix)
        for key, held in self._items("restore").items():
            for variable, value in divided(held, np.asarray(reader.get_tensor(key))):
                self._restore_one(sess, key, variable, value)

    def _restore_one(self, sess: Any, key: str, variable: Variable, value: Any) -> None:
        _check_fits(key, variable, value, self._reshape)
        if self._reshape:
            value = value.reshape(variable.aval.shape)
        if isinstance(variable, GraphVariable):
            variable.load_in(sess, value)
            return
        with immediately():
            variable.assign(convert_to_tensor(value, variable.dtype))

    def export_meta_graph(
        self,
        filename: PathLike | None = None,
        collection_list: Sequence[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """Return the default graph with its collections as a message, and write it to a file.

        Args:
            filename: Path of the file. Default: no file.
            collection_list: Names of the exported collections. Default: all collections.
            as_text: If True, write the text format, otherwise the binary format.
            export_scope, clear_devices, clear_extraneous_savers: Has no effect.
            strip_default_attrs, save_debug_info: Has no effect.

        Returns:
            A `tf.compat.v1.MetaGraphDef` with the nodes that save and restore the Variables.
        """
        found = self._meta_graph(get_default_graph(), collection_list)
        if filename is not None:
            write_message(found, path_text(filename), as_text)
        return found

    def _meta_graph(self, graph: Graph, keys: Sequence[str] | None = None) -> MetaGraphDef:
        found = meta_graph_of(graph, keys=keys)
        items = [
            (key, v)
            for key, held in self._items("export_meta_graph").items()
            for v in parts_of(held)
        ]
        variables = [(key, v) for key, v in items if isinstance(v, GraphVariable)]
        saver = add_saver(found.graph_def, variables, self._max_to_keep)
        saver.sharded, saver.keep_checkpoint_every_n_hours = self._is_sharded, self._hours
        found.saver_def.CopyFrom(saver)
        return found

    def as_saver_def(self) -> SaverDef:
        """Return the nodes that save and restore the Variables as a message.

        Returns:
            A `tf.compat.v1.train.SaverDef`.
        """
        return self.export_meta_graph().saver_def

    to_proto = as_saver_def

    @property
    def saver_def(self) -> SaverDef:
        """The nodes that save and restore the Variables as a message."""
        return self.as_saver_def()

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Set the list of the kept checkpoints.

        Args:
            last_checkpoints: Paths, oldest first.
        """
        self.last_checkpoints = [*last_checkpoints]

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Replace the list of checkpoints by those that exist.

        Args:
            checkpoint_paths: Paths, oldest first.
        """
        self.set_last_checkpoints(
            [path for path in checkpoint_paths if os.path.exists(f"{path}.index")]
        )


def write_message(message: Any, path: str, as_text: bool = False) -> None:
    """Write a message to a file.

    Args:
        message: The message.
        path: Path of the file. Its folder is created if it does not exist.
        as_text: If True, write the text format, otherwise the binary format.
    """
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    replace_file(path, str(message).encode() if as_text else message.SerializeToString())


def _values(sess: Any, variables: Sequence[Variable]) -> list[Any]:
    if any(isinstance(v, GraphVariable) for v in variables):
        if not hasattr(sess, "run"):
            raise TypeError(f"'sess' must be a Session; {sess}")
        found: list[Any] = sess.run([*variables])
        return found
    return [v.held for v in variables]


def _check_fits(key: str, variable: Variable, value: Any, may_reshape: bool) -> None:
    """Check the dtype and the shape of a value of a checkpoint.

    Raises:
        InvalidArgumentError: If the value cannot be restored.
    """
    found, sizes = as_dtype(value.dtype), variable.aval.shape
    problem = ""
    if found != variable.dtype:
        problem = (
            f"the Variable {key} has dtype {variable.dtype.name}, but the value has the original "
            f"dtype {found.name}"
        )
    elif may_reshape and value.size != math.prod(sizes):
        problem = (
            f"the Variable {key} has {math.prod(sizes)} elements, but the value has {value.size}"
        )
    elif not (may_reshape or variable.shape.is_compatible_with(value.shape)):
        problem = (
            f"the Variable {key} has shape {list(sizes)}, but the value has shape "
            f"{list(value.shape)}"
        )
    if problem:
        raise InvalidArgumentError(
            None,
            None,
            f"Restoring from checkpoint failed, because it does not match the graph: {problem}",
        )


def _number(sess: Any, step: Any) -> int:
    if isinstance(step, GraphVariable | GraphTensor):
        return int(sess.run(step))
    return int(step.numpy()) if hasattr(step, "numpy") else int(step)
