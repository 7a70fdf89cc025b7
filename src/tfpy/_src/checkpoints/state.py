"""The file `checkpoint` of a folder, which lists its checkpoints and names the latest one."""

from __future__ import annotations

import ast
import logging
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from tfpy._src.base.atomic_files import remove_abandoned, replace_file
from tfpy._src.core.typing import PathLike
from tfpy._src.library.io.gfile import path_text, translated

_log = logging.getLogger("tensorflow")
_LINE = re.compile(r"\s*(\w+)\s*:\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[-+\w.]+)\s*(?:#.*)?")
_MAX_BYTES = 1 << 24


@dataclass
class CheckpointState:
    """The content of a folder's file `checkpoint` (TensorFlow's message `CheckpointState`).

    Attributes:
        model_checkpoint_path: Path of the latest checkpoint.
        all_model_checkpoint_paths: Paths of all kept checkpoints, oldest first.
        all_model_checkpoint_timestamps: Times when they were written, in seconds.
        last_preserved_timestamp: Time of the last checkpoint that is kept permanently.
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0

    def text(self) -> str:
        """Return the content of the file."""
        paths = ("model_checkpoint_path", [self.model_checkpoint_path])
        all_paths = ("all_model_checkpoint_paths", self.all_model_checkpoint_paths)
        lines = [f"{name}: {_quoted(path)}" for name, some in (paths, all_paths) for path in some]
        stamps = self.all_model_checkpoint_timestamps
        lines += [f"all_model_checkpoint_timestamps: {stamp!r}" for stamp in stamps]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"


_NAMES = frozenset(one.name for one in fields(CheckpointState))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _parsed(text: str) -> CheckpointState:
    """Parse the content of a file.

    Raises:
        ValueError: If a line cannot be parsed.
    """
    found = CheckpointState()
    for line in filter(str.strip, text.split("\n")):
        match = _LINE.fullmatch(line)
        name = match[1] if match else ""
        if match is None or name not in _NAMES:
            raise ValueError(f"{line[:80]!r} is not a line of a checkpoint state file.")
        is_path = name.endswith(("path", "paths"))
        value = ast.literal_eval("b" + match[2]).decode() if is_path else float(match[2])
        if isinstance(getattr(found, name), list):
            getattr(found, name).append(value)
        else:
            setattr(found, name, value)
    return found


def _file(directory: str, name: str | None) -> str:
    return os.path.join(directory, name or "checkpoint")


def get_checkpoint_state(
    checkpoint_dir: PathLike, latest_filename: str | None = None
) -> CheckpointState | None:
    """Read the file that lists a folder's checkpoints.

    Args:
        checkpoint_dir: Path of the folder.
        latest_filename: Name of the file. Default: `"checkpoint"`.

    Returns:
        An object with the attributes `model_checkpoint_path` (path of the latest checkpoint),
        `all_model_checkpoint_paths` (paths of all checkpoints, oldest first),
        `all_model_checkpoint_timestamps` and `last_preserved_timestamp` (times in seconds), or None
        if there is no such file or it cannot be parsed.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable(3.0)).save("stated/ckpt")
        >>> tf.train.get_checkpoint_state("stated").model_checkpoint_path
        'stated/ckpt-1'

    See also: `tf.train.latest_checkpoint`.
    """
    directory = path_text(checkpoint_dir)
    path = _file(directory, latest_filename)
    try:
        with open(path, encoding="utf-8") as file:
            found = _parsed(file.read(_MAX_BYTES))
    except FileNotFoundError:
        return None
    except (ValueError, SyntaxError) as error:
        _log.warning("%s: Checkpoint ignored: %s", path, error)
        return None
    if not found.model_checkpoint_path:
        _log.warning("%s: Checkpoint ignored: the file does not name a checkpoint", path)
        return None
    found.model_checkpoint_path = os.path.join(directory, found.model_checkpoint_path)
    paths = found.all_model_checkpoint_paths
    found.all_model_checkpoint_paths = [os.path.join(directory, one) for one in paths]
    return found


def latest_checkpoint(checkpoint_dir: PathLike, latest_filename: str | None = None) -> str | None:
    """Return the path of a folder's latest checkpoint.

    Args:
        checkpoint_dir: Path of the folder.
        latest_filename: Name of the file that lists the checkpoints. Default: `"checkpoint"`.

    Returns:
        The path, which `tf.train.Checkpoint.restore` accepts, or None if there is no checkpoint.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).save("/tmp/kept/model")
        >>> tf.train.latest_checkpoint("/tmp/kept")
        '/tmp/kept/model-1'

    See also: `tf.train.get_checkpoint_state`, `tf.train.list_variables`.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path = state.model_checkpoint_path
    if os.path.exists(f"{path}.index"):
        return path
    _log.warning("Couldn't match files for checkpoint %s", path)
    return None


def update_checkpoint_state(
    save_dir: PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file that lists a folder's checkpoints.

    The file is replaced atomically.

    Args:
        save_dir: Path of the folder.
        model_checkpoint_path: Path of the latest checkpoint. A path inside of the folder is stored
            relative to the folder.
        all_model_checkpoint_paths: Paths of all checkpoints, oldest first. The latest one is added
            if it is missing. Default: only the latest one.
        latest_filename: Name of the file. Default: `"checkpoint"`.
        all_model_checkpoint_timestamps: Times when the checkpoints were written, in seconds since
            1970. Default: unknown.
        last_preserved_timestamp: Time when the last checkpoint that is kept permanently was
            written. Default: none is kept permanently.

    Raises:
        ValueError: If the number of timestamps differs from the number of checkpoints.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable(3.0)).write("updated/ckpt")
        >>> tf.compat.v1.train.update_checkpoint_state("updated", path)
        >>> tf.train.latest_checkpoint("updated")
        'updated/ckpt'

    See also: `tf.train.get_checkpoint_state`.
    """
    directory = path_text(save_dir)
    paths = list(all_model_checkpoint_paths or ())
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(paths):
        raise ValueError(
            f"all_model_checkpoint_timestamps has {len(times)} entries, but there are "
            f"{len(paths)} checkpoints."
        )
    state = CheckpointState(
        _relative(model_checkpoint_path, directory),
        [_relative(path, directory) for path in paths],
        times,
        last_preserved_timestamp or 0.0,
    )
    path = _file(directory, latest_filename)
    with translated(path):
        replace_file(path, state.text().encode(), durable=True)
        remove_abandoned(f"{path}.")


def _relative(path: str, directory: str) -> str:
    """Return a path as it is stored in the folder's file."""
    return (
        os.path.relpath(path, directory) if path.startswith(os.path.join(directory, "")) else path
    )
