"""`tf.compat.v1.train`: files of checkpoints, and initial values of Variables from them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.checkpoints.manager import files_of
from tfpy._src.checkpoints.reader import CheckpointReader, load_checkpoint
from tfpy._src.checkpoints.state import CheckpointState
from tfpy._src.checkpoints.variable_parts import Held, divided
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.compat.graphs.partitioned import PartitionedVariable
from tfpy._src.library.compat.graphs.scopes import scope_store
from tfpy._src.library.io.gfile import path_text
from tfpy._src.tensors.variables.variable import Variable


def NewCheckpointReader(filepattern: PathLike) -> CheckpointReader:  # noqa: N802
    """Return a reader of a checkpoint.

    Args:
        filepattern: Path of the checkpoint.

    Returns:
        A reader with the methods `has_tensor`, `get_tensor`, `get_variable_to_shape_map` and
        `get_variable_to_dtype_map`.

    Raises:
        tf.errors.NotFoundError: If there is no such checkpoint.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0], name="v")
        >>> path = tf.compat.v1.train.Saver([v]).save(None, "read/model")
        >>> tf.compat.v1.train.NewCheckpointReader(path).get_variable_to_shape_map()
        {'v': [2]}

    See also: `tf.train.load_checkpoint`.
    """
    return CheckpointReader(filepattern)


def checkpoint_exists(checkpoint_prefix: PathLike) -> bool:
    """Return True if a checkpoint exists.

    Args:
        checkpoint_prefix: Path of the checkpoint.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.checkpoint_exists("missing/model")
        False

    See also: `tf.train.latest_checkpoint`.
    """
    return os.path.exists(f"{path_text(checkpoint_prefix)}.index")


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[PathLike]) -> list[float]:
    """Return the times at which checkpoints were written.

    Args:
        checkpoint_prefixes: Paths of checkpoints. Missing ones are skipped.

    Returns:
        List of seconds since 1970.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.get_checkpoint_mtimes(["missing/model"])
        []

    See also: `tf.compat.v1.train.checkpoint_exists`.
    """
    paths = [f"{path_text(prefix)}.index" for prefix in checkpoint_prefixes]
    return [os.path.getmtime(path) for path in paths if os.path.exists(path)]


def remove_checkpoint(
    checkpoint_prefix: PathLike, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Remove the files of a checkpoint.

    Args:
        checkpoint_prefix: Path of the checkpoint.
        checkpoint_format_version: Has no effect.
        meta_graph_suffix: Suffix of the file with the graph, which is removed as well.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0], name="v")
        >>> path = tf.compat.v1.train.Saver([v]).save(None, "removed/model")
        >>> tf.compat.v1.train.remove_checkpoint(path)
        >>> tf.compat.v1.train.checkpoint_exists(path)
        False

    See also: `tf.compat.v1.train.checkpoint_exists`.
    """
    prefix = path_text(checkpoint_prefix)
    for path in [*files_of(prefix), f"{prefix}.{meta_graph_suffix}"]:
        with contextlib.suppress(OSError):
            os.remove(path)


def generate_checkpoint_state_proto(
    save_dir: PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Return the state of a folder with checkpoints.

    Args:
        save_dir: Folder of the checkpoints.
        model_checkpoint_path: Path of the latest checkpoint.
        all_model_checkpoint_paths: Paths of all checkpoints, oldest first.
        all_model_checkpoint_timestamps: Times of the checkpoints, in seconds.
        last_preserved_timestamp: Time of the last checkpoint that is kept permanently.

    Returns:
        The state, which `tf.train.get_checkpoint_state` also returns.

    Raises:
        ValueError: If there is not one time for each checkpoint.

    Example:
        >>> import tfpy as tf
        >>> state = tf.compat.v1.train.generate_checkpoint_state_proto("saved", "saved/model-1")
        >>> state.all_model_checkpoint_paths
        ['model-1']

    See also: `tf.train.get_checkpoint_state`.
    """
    folder = path_text(save_dir)
    paths = [*(all_model_checkpoint_paths or ())]
    times = all_model_checkpoint_timestamps
    if times is not None and len(times) != len(paths):
        raise ValueError("Checkpoint timestamps, if provided, must match checkpoint paths")
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)

    def relative(path: str) -> str:
        is_kept = os.path.isabs(path) or not folder or os.path.isabs(folder)
        return path if is_kept else os.path.relpath(path, folder)

    return CheckpointState(
        relative(model_checkpoint_path),
        [relative(path) for path in paths],
        [*(times or ())],
        last_preserved_timestamp or 0.0,
    )


def init_from_checkpoint(
    ckpt_dir_or_file: PathLike, assignment_map: Mapping[str, Any] | Iterable[tuple[str, Any]]
) -> None:
    """Replace the initial values of Variables by values of a checkpoint.

    Args:
        ckpt_dir_or_file: Path of a checkpoint, or a folder whose latest checkpoint is used.
        assignment_map: Dict or pairs from names in the checkpoint to Variables, lists of the parts
            of a Variable, or names of Variables. A name that ends with `/` is a scope: all its
            Variables are initialized.

    Raises:
        ValueError: If a value or a Variable does not exist, or their shapes differ.

    Example:
        >>> import tfpy as tf
        >>> v = tf.Variable([1.0, 2.0], name="v")
        >>> path = tf.compat.v1.train.Saver([v]).save(None, "initial/model")
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     w = tf.compat.v1.get_variable("w", [2])
        ...     tf.compat.v1.train.init_from_checkpoint(path, {"v": w})
        ...     sess.run(tf.compat.v1.global_variables_initializer())
        ...     print(sess.run(w))
        [1. 2.]

    See also: `tf.compat.v1.train.Saver`.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    known = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for key, target in pairs:
        if not isinstance(target, str) or not target.endswith("/"):
            held = _variable(target)
            if key not in known:
                where = path_text(ckpt_dir_or_file)
                raise ValueError(f"Tensor {key} is not found in {where} checkpoint {known}")
            _initialize(held, key, reader)
            continue
        if not key.endswith("/"):
            raise ValueError(
                f"Assignment map with scope only name {target} should map to scope only {key}. "
                "Should be 'scope/': 'other_scope/'."
            )
        for name, variable in _scope(target).items():
            full = ("" if key == "/" else key) + name
            if full not in known:
                raise ValueError(f"Tensor {name} ({full} in {target}) is not found in checkpoint")
            _initialize(variable, full, reader)


def _variable(target: Any) -> Held:
    if isinstance(target, PartitionedVariable | Sequence) and not isinstance(target, str):
        return list(target)
    if isinstance(target, Variable):
        return target
    found = scope_store().variables.get(target)
    if found is None:
        raise ValueError(f"Assignment map contains the variable {target!r}, which does not exist.")
    return found


def _scope(target: str) -> dict[str, Variable]:
    scope = target.removesuffix("/")
    lead = f"{scope}/" if scope else ""
    variables = scope_store().variables
    found = {name.removeprefix(lead): v for name, v in variables.items() if name.startswith(lead)}
    if not found:
        raise ValueError(f"The scope {target!r} of the assignment map contains no variables.")
    return found


def _initialize(held: Held, key: str, reader: CheckpointReader) -> None:
    whole = np.asarray(reader.get_tensor(key))
    for variable, value in divided(held, whole):
        if not variable.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of "
                f"tensor {key} ({[*whole.shape]}) from checkpoint reader."
            )
        set_initial_value(variable, value)


def set_initial_value(variable: Variable, value: Array) -> None:
    """Replace the initial value of a Variable; assign the value outside of graphs."""
    with immediately():
        tensor = convert_to_tensor(value, variable.dtype)
        if not isinstance(variable, GraphVariable):
            variable.assign(tensor)
            return
    op = variable.initializer
    op.sources, op.args = (), (tensor,)


def assert_global_step(global_step_tensor: Any) -> None:
    """Check that a tensor or Variable can be the global step: a scalar integer.

    Args:
        global_step_tensor: Tensor or Variable.

    Raises:
        TypeError: If it is not a scalar integer.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.assert_global_step(tf.Variable(0))

    See also: `tf.compat.v1.train.get_global_step`.
    """
    tensor = global_step_tensor
    if not hasattr(tensor, "dtype"):
        tensor = convert_to_tensor(tensor)
    if not tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {tensor.dtype}')
    if tensor.shape.rank != 0:
        raise TypeError(f'Existing "global_step" is not scalar: {tensor.shape}')


def write_graph(graph_or_graph_def: Any, logdir: PathLike, name: str, as_text: bool = True) -> str:
    """Write a graph to a file.

    Args:
        graph_or_graph_def: `tf.Graph` or `tf.compat.v1.GraphDef`.
        logdir: Folder of the file.
        name: Name of the file.
        as_text: If True, write the text format, otherwise the binary format.

    Returns:
        Path of the file.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(1.0)
        >>> tf.compat.v1.train.write_graph(graph, "graphs", "graph.pbtxt")
        'graphs/graph.pbtxt'

    See also: `tf.compat.v1.import_graph_def`.
    """
    found = graph_or_graph_def
    if hasattr(found, "as_graph_def"):
        found = found.as_graph_def()
    folder = path_text(logdir)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    data = str(found).encode() if as_text else found.SerializeToString()
    with open(path, "wb") as file:
        file.write(data)
    return path
