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
        """Return a dataset of the same elements; prefetching has no effect.

        Elements are always computed when they are requested. The method exists so that programs
        from TensorFlow run unchanged.

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

        The first complete iteration computes and stores the elements. Later iterations read the
        stored ones.

        Args:
            filename: Path of the file, to which `.data` is appended. If the file exists, the
                elements are read from it. Default: cache in memory.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> def numbers():
            ...     print("computed")
            ...     yield from (1, 2)
            >>> spec = tf.TensorSpec([], tf.int32)
            >>> cached = tf.data.Dataset.from_generator(numbers, output_signature=spec).cache()
            >>> [int(x) for x in cached]
            computed
            [1, 2]
            >>> [int(x) for x in cached]
            [1, 2]

        See also: `tf.data.Dataset.snapshot`.
        """
        path = structure.text_of(filename)
        node = saving.FileCache(self._node, path) if path else selection.Cache(self._node)
        return self._with(node)

    def snapshot(
        self,
        path: PathLike | TensorLike,
        compression: str | None = "AUTO",
        reader_func: Callable[..., DatasetBase] | None = None,
        shard_func: Callable[..., TensorLike] | None = None,
        name: str | None = None,
    ) -> Self:
        """Write the elements to a directory at the first iteration, and read them from it later.

        The first iteration writes all elements before it produces the first one, so the dataset
        must be finite.

        Args:
            path: Path of the directory. If it contains a snapshot, the elements are read from it.
            compression: `"GZIP"`, or `"AUTO"` (default) or None for files without compression.
            reader_func: Function that takes a dataset whose elements are datasets, one for each
                file, and returns a dataset of the elements. Default: read one file after the other.
            shard_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns the
                number of the file to which it is written, a scalar integer tensor. Default: one
                file.

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
        shard_func: Callable[..., TensorLike] | None = None,
        checkpoint_args: dict[str, Any] | None = None,
    ) -> None:
        """Write the elements to a directory, from which `tf.data.Dataset.load` reads them.

        Args:
            path: Path of the directory. A dataset that it already contains is replaced.
            compression: `"GZIP"`, or None (default) for files without compression.
            shard_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns the
                number of the file to which it is written, a scalar integer tensor. Default: one
                file.
            checkpoint_args: Has no effect.

        Raises:
            TypeError: If an element contains a dataset.
            ValueError: If `compression` is unknown, or if `shard_func` does not return a scalar
                integer tensor.

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
        reader_func: Callable[..., DatasetBase] | None = None,
        wait: bool = False,
    ) -> Any:
        """Make a dataset of the elements that `tf.data.Dataset.save` wrote.

        Args:
            path: Path of the directory.
            element_spec: Type of the elements, as `tf.data.Dataset.element_spec` of the saved
                dataset. Required only for named tuples, which otherwise are loaded as tuples.
                Default: the saved type.
            compression: Has no effect. The directory records the compression of its files.
            reader_func: Function that takes a dataset whose elements are datasets, one for each
                file, and returns a dataset of the elements. Default: read one file after the other.
            wait: Has no effect.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            tf.errors.NotFoundError: If the directory contains no saved dataset.
            tf.errors.DataLossError: If a file is corrupt.

        Example:
            >>> import tfpy as tf
            >>> tf.data.Dataset.range(3).save("saved")
            >>> [int(x) for x in tf.data.Dataset.load("saved")]
            [0, 1, 2]

        See also: `tf.data.Dataset.save`.
        """
        node = saving.Loaded(structure.text_of(path), element_spec, reader_func)
        return structure.AS_DATASET[0](node)
