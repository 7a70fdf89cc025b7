"""Methods of datasets that select, repeat and reorder elements."""

from __future__ import annotations

from typing import Self

from tfpy._src.core.typing import IntLike
from tfpy._src.data import selection
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.mapping import Enumerate, IgnoreErrors, UniqueNode
from tfpy._src.data.seeds import seeds_of
from tfpy._src.data.sources import whole


class Choosing(DatasetBase):
    """Methods that select, repeat and reorder elements."""

    def take(self, count: IntLike, name: str | None = None) -> Self:
        """Keep the first `count` elements.

        Args:
            count: Number of elements to keep. If it is -1, all elements are kept.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
            [0, 1, 2]

        See also: `tf.data.Dataset.skip`, `tf.data.Dataset.take_while`.
        """
        return self._with(selection.Take(self._node, whole(count)))

    def skip(self, count: IntLike, name: str | None = None) -> Self:
        """Drop the first `count` elements.

        Args:
            count: Number of elements to drop. If it is -1, all elements are dropped.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
            [3, 4]

        See also: `tf.data.Dataset.take`.
        """
        return self._with(selection.Skip(self._node, whole(count)))

    def repeat(self, count: IntLike | None = None, name: str | None = None) -> Self:
        """Repeat the dataset.

        Args:
            count: Number of times that the elements are produced. If it is None (default) or -1,
                they are repeated without end.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
            [0, 1, 0, 1]
        """
        return self._with(selection.Repeat(self._node, -1 if count is None else whole(count)))

    def shuffle(
        self,
        buffer_size: IntLike,
        seed: IntLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Self:
        """Shuffle the elements randomly.

        Each element is drawn at random from a buffer, in which the next element of this dataset
        replaces it. All orders are therefore equally likely only if the buffer is at least as large
        as the dataset. TensorFlow produces the same order for the same seeds.

        Args:
            buffer_size: Number of elements in the buffer, or `tf.data.UNKNOWN_CARDINALITY` for a
                buffer that holds all elements.
            seed: Integer that makes a run of the program reproducible, even without
                `tf.random.set_seed`. Default: the results differ between runs unless
                `tf.random.set_seed` was called.
            reshuffle_each_iteration: If True (default), each iteration has a different order. If
                False, all iterations have the same order.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            tf.errors.InvalidArgumentError: If `buffer_size` is less than 1.

        Example:
            >>> import tfpy as tf
            >>> tf.random.set_seed(1)
            >>> [int(x) for x in tf.data.Dataset.range(4).shuffle(4, seed=1)]
            [2, 3, 0, 1]
        """
        anew = reshuffle_each_iteration is not False
        size = whole(buffer_size)
        return self._with(selection.Shuffle(self._node, size, seeds_of(seed), anew))

    def shard(self, num_shards: IntLike, index: IntLike, name: str | None = None) -> Self:
        """Divide the elements into `num_shards` parts, and keep one of them.

        The part consists of every `num_shards`-th element, starting at element `index`.

        Args:
            num_shards: Number of parts.
            index: Index of the part to keep, from 0 to `num_shards - 1`.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            tf.errors.InvalidArgumentError: If `num_shards` is less than 1, or if `index` is not
                from 0 to `num_shards - 1`.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(6).shard(3, 1)]
            [1, 4]
        """
        return self._with(selection.ShardNode(self._node, whole(num_shards), whole(index)))

    def enumerate(self, start: IntLike = 0, name: str | None = None) -> Self:
        """Pair every element with its number.

        Args:
            start: Number of the first element. Default: 0.

        Returns:
            A `tf.data.Dataset` of pairs of the number, a scalar integer tensor, and the element.

        Example:
            >>> import tfpy as tf
            >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(5, 7).enumerate(start=1)]
            [(1, 5), (2, 6)]
        """
        return self._with(Enumerate(self._node, whole(start)))

    def unique(self, name: str | None = None) -> Self:
        """Drop every element that is equal to an earlier one.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 1, 3]).unique()]
            [1, 2, 3]
        """
        return self._with(UniqueNode(self._node))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """Drop the elements whose computation raises an error.

        Args:
            log_warning: Has no effect.

        Returns:
            A `tf.data.Dataset`.

        Example:
            >>> import tfpy as tf
            >>> data = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
            >>> checked = data.map(lambda x: tf.debugging.check_numerics(1.0 / x, "division"))
            >>> [float(x) for x in checked.ignore_errors()]
            [1.0, 0.5]
        """
        return self._with(IgnoreErrors(self._node))
