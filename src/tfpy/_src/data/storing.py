"""Methods of datasets that keep elements in memory or in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tfpy._src.core.typing import IntLike, Nest, PathLike, TensorLike
from tfpy._src.data import saving, selection, structure
from tfpy._src.data.base import DatasetBase


class Storing(DatasetBase):
    """Methods that keep elements in memory or in files."""

    def prefetch(self, buffer_size: IntLike, name: str | None = None) -> Self:
        """Return the same elements; prefetching has no effect.

        Elements are computed when they are requested.

        Args:
            buffer_size: Has no effect.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
            [0, 1, 2]
        """
        return self._with(selection.Unchanged(self._node, "_PrefetchDataset"))

    def cache(self, filename: PathLike | TensorLike = "", name: str | None = None) -> Self:
        """Cache the elements in memory or in a file.

        The first complete iteration computes and stores them; later iterations read them.

        Args:
            filename: Path of the file. Default: cache in memory.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> numbers = tf.data.Dataset.random().take(2).cache()
            >>> [int(x) for x in numbers] == [int(x) for x in numbers]
            True

        See also: `tf.data.Dataset.snapshot`.
        """
        path = structure.text_of(filename)
        node = saving.FileCache(self._node, path) if path else selection.Cache(self._node)
        return self._with(node)

    def snapshot(
        self,
        path: PathLike | TensorLike,
        compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Write the elements to files at the first iteration, and read them from there afterwards.

        Args:
            path: Path of the directory.
            compression: `"GZIP"`, or `None` or `"AUTO"` for no compression.
            reader_func: Function from a dataset of the datasets of files to a dataset of elements.
            shard_func: Function of an element that returns the number of its file.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> numbers = tf.data.Dataset.range(3).snapshot("numbers")
            >>> [int(x) for x in numbers], [int(x) for x in numbers]
            ([0, 1, 2], [0, 1, 2])

        See also: `tf.data.Dataset.cache`, `tf.data.Dataset.save`.
        """
        node = saving.Snapshot(
            self._node, structure.text_of(path), compression, reader_func, shard_func
        )
        return self._with(node)

    def save(
        self,
        path: PathLike | TensorLike,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: dict[str, Any] | None = None,
    ) -> None:
        """Write the elements to a directory, which `tf.data.Dataset.load` reads.

        Args:
            path: Path of the directory.
            compression: `"GZIP"` or None.
            shard_func: Function of an element that returns the number of its file.
            checkpoint_args: Has no effect.

        Raises:
            TypeError: If a component is a dataset.
            ValueError: If the compression is not supported.

        Example:
            >>> import tfpy as tf
            >>> tf.data.Dataset.range(3).save("saved")
            >>> [int(x) for x in tf.data.Dataset.load("saved")]
            [0, 1, 2]

        See also: `tf.data.Dataset.load`.
        """
        saving.save(self._node, structure.text_of(path), compression, shard_func)

    @staticmethod
    def load(
        path: PathLike | TensorLike,
        element_spec: Nest = None,
        compression: str | None = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Any:
        """Make a dataset of the elements that `tf.data.Dataset.save` wrote.

        Args:
            path: Path of the directory.
            element_spec: Nest of specs. Necessary only for named tuples, which are saved as tuples.
            compression: Has no effect: files record their compression.
            reader_func: Function from a dataset of the datasets of files to a dataset of elements.
            wait: Has no effect.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            tf.errors.NotFoundError: If the directory contains no saved dataset.

        Example:
            >>> import tfpy as tf
            >>> tf.data.Dataset.range(3).save("saved")
            >>> [int(x) for x in tf.data.Dataset.load("saved")]
            [0, 1, 2]

        See also: `tf.data.Dataset.save`.
        """
        node = saving.Loaded(structure.text_of(path), element_spec, reader_func)
        return structure.AS_DATASET[0](node)
