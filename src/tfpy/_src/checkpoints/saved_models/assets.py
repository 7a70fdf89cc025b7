"""`tf.saved_model.Asset`: files that a SavedModel contains."""

from __future__ import annotations

from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import PathLike
from tfpy._src.library.io.gfile import path_text


class Asset:
    """A file that becomes part of a SavedModel, such as a vocabulary.

    `tf.saved_model.save` copies the file into the folder of the model. The loaded
    model has the path of the copy.

    Args:
        path: Path of the file.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("words.txt", "a\\nb")
        >>> module = tf.Module()
        >>> module.words = tf.saved_model.Asset("words.txt")
        >>> tf.saved_model.save(module, "with_asset")
        >>> loaded = tf.saved_model.load("with_asset")
        >>> print(tf.io.read_file(loaded.words.asset_path).numpy())
        b'a\\nb'

    See also: `tf.saved_model.save`, `tf.lookup.TextFileInitializer`.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = path_text(path)

    @property
    def asset_path(self) -> Tensor:
        """Path of the file, as a scalar string tensor."""
        return constant(self._path)

    @property
    def path(self) -> str:
        """Path of the file."""
        return self._path
