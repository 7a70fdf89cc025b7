"""Functions that read the values in a checkpoint's files by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.backends.interface import Ranges
from tfpy._src.base.dtypes import WIDER, DType, as_dtype
from tfpy._src.base.errors import DataLossError, NotFoundError
from tfpy._src.checkpoints.state import latest_checkpoint
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import Bundle, BundleEntry, shard_name
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.gfile import path_text, translated

_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
"""Names of dtypes in messages that differ from their names."""


class CheckpointReader:
    """A reader of a checkpoint's values, which `tf.train.load_checkpoint` returns.

    Args:
        prefix: Path of the checkpoint, without a file name extension.

    Raises:
        tf.errors.NotFoundError: If there is no such checkpoint.
        tf.errors.DataLossError: If the checkpoint is corrupt.
    """

    def __init__(self, prefix: PathLike) -> None:
        self._prefix = path_text(prefix)
        try:
            with open(f"{self._prefix}.index", "rb") as file:
                index = file.read()
        except FileNotFoundError:
            raise NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{self._prefix}",
            ) from None
        shards = glob.glob(f"{glob.escape(self._prefix)}.data-?????-of-?????")
        with self.checked():
            self._bundle = Bundle(index, self._bytes, sum(map(os.path.getsize, shards)))

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Convert errors about corrupt files to `DataLossError`."""
        try:
            yield
        except ModelFileError as error:
            raise DataLossError(None, None, f"{self._prefix}: {error}") from None

    def _bytes(self, shard: int, shards: int, offset: int, size: int) -> bytes:
        path = self._prefix + shard_name(shard, shards)
        with translated(path), open(path, "rb") as file:
            file.seek(offset)
            return file.read(size)

    def has_tensor(self, tensor_str: str) -> bool:
        """Return True if the checkpoint has a value with the given name.

        Args:
            tensor_str: Name of the value.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write("has/model")
            >>> tf.train.load_checkpoint(path).has_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
            True
        """
        return tensor_str in self._bundle.entries

    def get_tensor(self, tensor_str: str) -> Any:
        """Return a value by its name.

        Args:
            tensor_str: Name of the value.

        Returns:
            A NumPy array. A scalar is a NumPy scalar, or bytes if the dtype is string.

        Raises:
            tf.errors.NotFoundError: If there is no value with this name.
            tf.errors.DataLossError: If the stored bytes do not match their checksum.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write("get/model")
            >>> tf.train.load_checkpoint(path).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
            array([1., 2.], dtype=float32)
        """
        return self.part(tensor_str)[()]

    def part(self, key: str, ranges: Ranges | None = None) -> Any:
        """Return part of a value, reading little more than that part from the file.

        Args:
            key: Name of the value.
            ranges: Start and stop along each axis. Default: the whole value.

        Returns:
            A NumPy array.
        """
        self._entry(key)
        with self.checked():
            return self._bundle.part(key, ranges)

    def number(self, key: str) -> int:
        """Return TensorFlow's enum value of a value's dtype.

        Args:
            key: Name of the value.

        Returns:
            An integer.
        """
        return self._entry(key).dtype

    def shape(self, key: str) -> tuple[int, ...]:
        """Return a value's shape.

        Args:
            key: Name of the value.

        Returns:
            A tuple of integers.
        """
        return self._entry(key).shape

    def debug_string(self) -> bytes:
        """Return the names, dtypes and shapes of all values as text.

        Returns:
            Bytes with one line per value.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1.0, 2.0], name="v")
            >>> path = tf.compat.v1.train.Saver([v]).save(None, "debugged/model")
            >>> tf.train.load_checkpoint(path).debug_string()
            b'v (DT_FLOAT) [2]\\n'
        """
        lines = (
            f"{key} (DT_{_message_name(entry.dtype)}) [{','.join(map(str, entry.shape))}]\n"
            for key, entry in sorted(self._bundle.entries.items())
        )
        return "".join(lines).encode()

    def _entry(self, key: str) -> BundleEntry:
        if key not in self._bundle.entries:
            raise NotFoundError(None, None, f"Key {key} not found in checkpoint {self._prefix}")
        return self._bundle.entries[key]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shapes of all values.

        Returns:
            A dictionary from names to lists of dimensions.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write("shapes/model")
            >>> reader = tf.train.load_checkpoint(path)
            >>> reader.get_variable_to_shape_map()["w/.ATTRIBUTES/VARIABLE_VALUE"]
            [2]
        """
        return {key: list(entry.shape) for key, entry in self._bundle.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtypes of all values.

        Returns:
            A dictionary from names to `tf.DType`. Unless the environment variable
            `TFPY_ENABLE_X64` is set, int64 and float64 values are reported as int32 and float32.

        Example:
            >>> import tfpy as tf
            >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write("dtypes/model")
            >>> reader = tf.train.load_checkpoint(path)
            >>> reader.get_variable_to_dtype_map()["w/.ATTRIBUTES/VARIABLE_VALUE"]
            tf.float32
        """
        return {key: as_dtype(entry.dtype) for key, entry in self._bundle.entries.items()}


def _message_name(number: int) -> str:
    """Return the name of a dtype in messages, without the prefix."""
    wide = (name for name, wider in WIDER.items() if wider == number)
    name = next(wide, as_dtype(number).name)
    return _NAMES.get(name, name.upper())


def load_checkpoint(ckpt_dir_or_file: PathLike) -> CheckpointReader:
    """Open a checkpoint, or the latest checkpoint of a folder, for reading.

    Args:
        ckpt_dir_or_file: Path of a checkpoint, or of a folder whose latest checkpoint is read.

    Returns:
        A reader. Its method `get_tensor(name)` returns a value as a NumPy array, and
        `has_tensor(name)` returns True if there is one. The methods `get_variable_to_shape_map()`
        and `get_variable_to_dtype_map()` return dictionaries from names to shapes and dtypes.

    Raises:
        ValueError: If the folder has no checkpoint.
        tf.errors.NotFoundError: If there is no such checkpoint.
        tf.errors.DataLossError: If the checkpoint is corrupt.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write("/tmp/of_w")
        >>> tf.train.load_checkpoint(path).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
        array([1., 2.], dtype=float32)

    See also: `tf.train.list_variables`, `tf.train.load_variable`.
    """
    path = path_text(ckpt_dir_or_file)
    found = latest_checkpoint(path) if os.path.isdir(path) else path
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return CheckpointReader(found)


def list_variables(ckpt_dir_or_file: PathLike) -> list[tuple[str, list[int]]]:
    """List the names and shapes of a checkpoint's values.

    The name of a Variable's value consists of the names of the attributes that lead to the
    Variable, separated by slashes, and of `/.ATTRIBUTES/VARIABLE_VALUE`.

    Args:
        ckpt_dir_or_file: Path of a checkpoint, or of a folder whose latest checkpoint is read.

    Returns:
        A list of pairs `(name, shape)`, sorted by name.

    Raises:
        ValueError: If the folder has no checkpoint.
        tf.errors.NotFoundError: If there is no such checkpoint.
        tf.errors.DataLossError: If the checkpoint is corrupt.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).save("listed/ckpt")
        >>> for name, shape in tf.train.list_variables(path):
        ...     print(name, shape)
        _CHECKPOINTABLE_OBJECT_GRAPH []
        save_counter/.ATTRIBUTES/VARIABLE_VALUE []
        w/.ATTRIBUTES/VARIABLE_VALUE [2]

    See also: `tf.train.load_checkpoint`, `tf.train.load_variable`.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(
    ckpt_dir_or_file: PathLike, name: str
) -> np.ndarray[Any, Any] | np.generic | bytes:
    """Read one value of a checkpoint.

    Args:
        ckpt_dir_or_file: Path of a checkpoint, or of a folder whose latest checkpoint is read.
        name: Name of the value, as `tf.train.list_variables` returns it.

    Returns:
        A NumPy array. A scalar is a NumPy scalar, or bytes if the dtype is string.

    Raises:
        ValueError: If the folder has no checkpoint.
        tf.errors.NotFoundError: If there is no such checkpoint, or no value with this name.
        tf.errors.DataLossError: If the checkpoint is corrupt.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).save("loaded/ckpt")
        >>> tf.train.load_variable(path, "w/.ATTRIBUTES/VARIABLE_VALUE").tolist()
        [1.0, 2.0]

    See also: `tf.train.list_variables`, `tf.train.load_checkpoint`.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
