"""``tf.train.load_checkpoint`` and its like: the values in a checkpoint's files, by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfpy._src.backends.interface import Ranges
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import DataLossError, NotFoundError
from tfpy._src.checkpoints.state import latest_checkpoint
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import Bundle, BundleEntry, shard_name
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.gfile import Path, path_text, translated


class CheckpointReader:
    """The values of a checkpoint (what ``tf.train.load_checkpoint`` gives).

    Args:
        prefix: the path that the names of all its files begin with.

    Raises:
        NotFoundError: when there is no such checkpoint.
        DataLossError: when it is broken.
    """

    def __init__(self, prefix: Path) -> None:
        self._prefix = path_text(prefix)
        try:
            with open(f"{self._prefix}.index", "rb") as file:
                index = file.read()
        except FileNotFoundError:
            raise NotFoundError(
                None, None, f"Failed to find any matching files for {self._prefix}"
            ) from None
        shards = glob.glob(f"{glob.escape(self._prefix)}.data-?????-of-?????")
        with self.checked():
            self._bundle = Bundle(index, self._bytes, sum(map(os.path.getsize, shards)))

    @contextmanager
    def checked(self) -> Iterator[None]:
        """What is found to be broken is DataLossError."""
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
        """Whether there is a value of that name."""
        return tensor_str in self._bundle.entries

    def get_tensor(self, tensor_str: str) -> Any:
        """A value, as NumPy's; a single text as bytes.

        Raises:
            NotFoundError: when there is none of that name.
            DataLossError: when its bytes are not those that were written.
        """
        return self.part(tensor_str)[()]

    def part(self, key: str, ranges: Ranges | None = None) -> Any:
        """Part of a value, of which little more is read: see :meth:`get_tensor`."""
        self._entry(key)
        with self.checked():
            return self._bundle.part(key, ranges)

    def number(self, key: str) -> int:
        """TensorFlow's number of a value's dtype."""
        return self._entry(key).dtype

    def shape(self, key: str) -> tuple[int, ...]:
        """A value's shape."""
        return self._entry(key).shape

    def _entry(self, key: str) -> BundleEntry:
        if key not in self._bundle.entries:
            raise NotFoundError(None, None, f"Key {key} not found in checkpoint {self._prefix}")
        return self._bundle.entries[key]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes of all values, by their names."""
        return {key: list(entry.shape) for key, entry in self._bundle.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """What the dtypes of all values are here, by their names."""
        return {key: as_dtype(entry.dtype) for key, entry in self._bundle.entries.items()}


def load_checkpoint(ckpt_dir_or_file: Path) -> CheckpointReader:
    """The values of a checkpoint, or of the latest one of a folder.

    Raises:
        ValueError: when the folder has none.
        NotFoundError: when there is no such checkpoint.
        DataLossError: when it is broken.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write("/tmp/of_w")
        >>> tf.train.load_checkpoint(path).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
        array([1., 2.], dtype=float32)
    """
    path = path_text(ckpt_dir_or_file)
    found = latest_checkpoint(path) if os.path.isdir(path) else path
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return CheckpointReader(found)


def list_variables(ckpt_dir_or_file: Path) -> list[tuple[str, list[int]]]:
    """Names and shapes of the values of a checkpoint, in the names' order.

    Raises:
        ValueError, NotFoundError, DataLossError: as :func:`load_checkpoint`.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).save("listed/ckpt")
        >>> [shape for name, shape in tf.train.list_variables(path) if name.startswith("w/")]
        [[2]]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Path, name: str) -> Any:
    """A value of a checkpoint, as NumPy's.

    Raises:
        ValueError, NotFoundError, DataLossError: as :func:`load_checkpoint`.

    Example:
        >>> import tfpy as tf
        >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).save("loaded/ckpt")
        >>> tf.train.load_variable(path, "w/.ATTRIBUTES/VARIABLE_VALUE").tolist()
        [1.0, 2.0]
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
