"""Methods of datasets that make batches, windows and groups of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, IntLike, Nest, ShapeLike
from tfpy._src.data import batching, nesting, padding, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.sources import whole
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.scans import cumprod
from tfpy._src.tensors.math.reductions import reduce_sum


class Grouping(DatasetBase):
    """Methods that group elements or split them."""

    def batch(
        self,
        batch_size: IntLike,
        drop_remainder: bool = False,
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Combine consecutive elements into batches.

        Args:
            batch_size: Number of elements in a batch.
            drop_remainder: If True, drop a last batch that is smaller. The spec then has the static
                batch size.
            num_parallel_calls: Has no effect.
            deterministic: Has no effect.

        Returns:
            A `tf.data.Dataset` with elements of shape `[batch_size, ...]`.

        Raises:
            tf.errors.InvalidArgumentError: If the size is less than 1, or elements have different
                shapes.

        Example:
            >>> import tfpy as tf
            >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
            [[0, 1], [2, 3], [4]]

        See also: `tf.data.Dataset.padded_batch`, `tf.data.Dataset.unbatch`.
        """
        return self._with(batching.Batch(self._node, whole(batch_size), bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> Self:
        """Split elements along their first axis.

        Returns:
            A `tf.data.Dataset` of the slices.

        Raises:
            ValueError: If a component is a scalar, or first sizes differ.

        Example:
            >>> import tfpy as tf
            >>> [int(x) for x in tf.data.Dataset.range(4).batch(2).unbatch()]
            [0, 1, 2, 3]

        See also: `tf.data.Dataset.batch`.
        """
        return self._with(batching.Unbatch(self._node))

    def rebatch(
        self, batch_size: IntLike, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """Change the batch size of a dataset of batches.

        Args:
            batch_size: Integer, or 1-D tensor of integers that are used in turn.
            drop_remainder: If True, drop a last batch that is smaller.

        Returns:
            A `tf.data.Dataset` of batches.

        Example:
            >>> import tfpy as tf
            >>> [x.numpy().tolist() for x in tf.data.Dataset.range(6).batch(2).rebatch(3)]
            [[0, 1, 2], [3, 4, 5]]

        See also: `tf.data.Dataset.batch`.
        """
        sizes = np.atleast_1d(convert_to_tensor(batch_size).host_view()).tolist()
        return self._with(batching.Rebatch(self._node, sizes, bool(drop_remainder)))

    def padded_batch(
        self,
        batch_size: IntLike,
        padded_shapes: Nest = None,
        padding_values: Nest = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Combine consecutive elements into batches and pad them to a common shape.

        Args:
            batch_size: Number of elements in a batch.
            padded_shapes: Nest of shapes to pad to. A size of None means the largest size in the
                batch. Default: the shapes of the specs.
            padding_values: Nest of padding values, or one value for all components. Default: zeros
                and empty strings.
            drop_remainder: If True, drop a last batch that is smaller.

        Returns:
            A `tf.data.Dataset` of batches.

        Raises:
            ValueError: If a shape does not fit the elements.
            TypeError: If a padding value does not fit the elements.
            tf.errors.DataLossError: If an element is larger than its padded shape.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
            >>> [x.numpy().tolist() for x in rows.padded_batch(3)]
            [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]

        See also: `tf.data.Dataset.batch`, `tf.data.Dataset.ragged_batch`.
        """
        return self._with(
            padding.PaddedBatch(
                self._node, whole(batch_size), padded_shapes, padding_values, bool(drop_remainder)
            )
        )

    def ragged_batch(
        self,
        batch_size: IntLike,
        drop_remainder: bool = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Self:
        """Combine consecutive elements into batches without padding.

        Tensors with unknown sizes in their specs become ragged tensors.

        Args:
            batch_size: Number of elements in a batch.
            drop_remainder: If True, drop a last batch that is smaller.
            row_splits_dtype: Has no effect.

        Returns:
            A `tf.data.Dataset` of batches.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
            >>> [x.to_list() for x in rows.ragged_batch(2)]
            [[[1], [2, 2]], [[3, 3, 3]]]

        See also: `tf.data.Dataset.padded_batch`.
        """
        return self._with(padding.AsRagged(self._node)).batch(batch_size, drop_remainder)

    def sparse_batch(
        self, batch_size: IntLike, row_shape: ShapeLike, name: str | None = None
    ) -> Self:
        """Combine consecutive tensors into sparse tensors.

        Args:
            batch_size: Number of elements in a batch.
            row_shape: Dense shape of each row; None for the largest size in the batch.

        Returns:
            A `tf.data.Dataset` of sparse tensors.

        Raises:
            tf.errors.DataLossError: If an element is larger than `row_shape`.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
            >>> [tf.sparse.to_dense(x).numpy().tolist() for x in rows.sparse_batch(2, [3])]
            [[[1, 0, 0], [2, 2, 0]]]

        See also: `tf.data.Dataset.padded_batch`, `tf.data.Dataset.ragged_batch`.
        """
        return self._with(padding.SparseBatch(self._node, whole(batch_size), row_shape))

    def window(
        self,
        size: IntLike,
        shift: IntLike | None = None,
        stride: IntLike = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Combine consecutive elements into windows, each of which is a dataset.

        For nested elements, each component becomes a dataset.

        Args:
            size: Number of elements in a window.
            shift: Number of elements between the starts of consecutive windows. Default: `size`.
            stride: Step between the elements of a window.
            drop_remainder: If True, drop last windows that are smaller.

        Returns:
            A `tf.data.Dataset` of datasets.

        Raises:
            tf.errors.InvalidArgumentError: If an argument is less than 1.

        Example:
            >>> import tfpy as tf
            >>> windows = tf.data.Dataset.range(4).window(2, shift=1, drop_remainder=True)
            >>> [[int(x) for x in window] for window in windows]
            [[0, 1], [1, 2], [2, 3]]

        See also: `tf.data.Dataset.batch`, `tf.data.Dataset.flat_map`.
        """
        count = whole(size)
        step = count if shift is None else whole(shift)
        return self._with(
            nesting.WindowNode(self._node, count, step, whole(stride), bool(drop_remainder))
        )

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: IntLike | None = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Group elements by key, and reduce each full group to a dataset.

        Args:
            key_func: Function of an element that returns its key, a scalar int64 tensor.
            reduce_func: Function of a key and a dataset of the elements with this key. It returns a
                dataset.
            window_size: Number of elements in a group.
            window_size_func: Function of a key that returns the number of elements in its groups.

        Returns:
            A `tf.data.Dataset` of the elements of the reduced groups.

        Raises:
            ValueError: If not exactly one of the two sizes is given, or a key is not a scalar
                integer.
            TypeError: If `reduce_func` does not return a dataset.

        Example:
            >>> import tfpy as tf
            >>> groups = tf.data.Dataset.range(6).group_by_window(
            ...     lambda x: x % 2, lambda key, group: group.batch(3), window_size=3
            ... )
            >>> [x.numpy().tolist() for x in groups]
            [[0, 2, 4], [1, 3, 5]]

        See also: `tf.data.Dataset.bucket_by_sequence_length`.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        count: Any = window_size
        size = window_size_func or (lambda key: convert_to_tensor(count, dtypes.int64))
        return self._with(nesting.GroupByWindow(self._node, key_func, reduce_func, size))

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Nest = None,
        padding_values: Nest = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Combine elements of similar length into padded batches.

        Args:
            element_length_func: Function of an element that returns its length, a scalar integer
                tensor.
            bucket_boundaries: Lengths at which the second and later buckets begin. An element is in
                the bucket before the first boundary above its length, even if boundaries descend.
            bucket_batch_sizes: Batch size of each bucket, one more than there are boundaries.
            padded_shapes: Nest of shapes to pad to, as in `tf.data.Dataset.padded_batch`.
            padding_values: Nest of padding values, or one value for all components. Default: zeros
                and empty strings.
            pad_to_bucket_boundary: If True, pad to the bucket's boundary minus 1 instead of to the
                largest element.
            no_padding: If True, do not pad. The elements of a batch must then have equal shapes.
            drop_remainder: If True, drop a last batch that is smaller.

        Returns:
            A `tf.data.Dataset` of batches.

        Raises:
            ValueError: If the numbers of boundaries and sizes do not match.
            tf.errors.InvalidArgumentError: If an element beyond the last boundary must be padded to
                a boundary.

        Example:
            >>> import tfpy as tf
            >>> rows = tf.data.Dataset.from_tensor_slices([1, 3, 2]).map(lambda n: tf.fill([n], n))
            >>> batches = rows.bucket_by_sequence_length(tf.size, [3], [2, 2])
            >>> [x.numpy().tolist() for x in batches]
            [[[1, 0], [2, 2]], [[3, 3, 3]]]

        See also: `tf.data.Dataset.padded_batch`, `tf.data.Dataset.group_by_window`.
        """
        boundaries, sizes = (
            [int(n) for n in bucket_boundaries],
            [int(n) for n in bucket_batch_sizes],
        )
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(sizes)}` and "
                f"`len(bucket_boundaries)={len(boundaries)}`."
            )
        limits = constant(np.array(boundaries, np.int32))
        batch_sizes = constant(np.array(sizes, np.int32))

        def bucket(*element: Any) -> Any:
            length = cast(element_length_func(*element), dtypes.int32)
            return reduce_sum(cumprod(cast(limits <= length, dtypes.int32)))

        def batches(number: Any, group: Any) -> Any:
            size = batch_sizes[number]
            if no_padding:
                return group.batch(size, drop_remainder)
            filler = None
            if pad_to_bucket_boundary:
                if number.has_values and int(number) == len(boundaries):
                    raise InvalidArgumentError(
                        None,
                        "bucket_by_sequence_length",
                        "When pad_to_bucket_boundary=True, elements must have length < "
                        "max(bucket_boundaries).",
                    )
                filler = boundaries[int(number)] - 1 if number.has_values else None
            shapes = padded_shapes
            if shapes is None:
                shapes = structure.map_structure(lambda s: s.shape, self.element_spec)
            filled = structure.map_structure(
                lambda spec, shape: TensorShape(
                    [filler if n is None else n for n in TensorShape(shape)]
                ),
                self.element_spec,
                shapes,
            )
            return group.padded_batch(size, filled, padding_values, drop_remainder)

        return self.group_by_window(bucket, batches, window_size_func=lambda n: batch_sizes[n])
