"""Methods of datasets that make batches, windows and groups of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, IntLike, Nest, ShapeLike, TensorLike
from tfpy._src.data import batching, nesting, padding, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.sources import whole
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.scans import cumprod
from tfpy._src.tensors.math.reductions import reduce_sum


class Grouping(DatasetBase):
    """Methods that group or split elements."""

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
            drop_remainder: If True, drop the last batch if it has fewer than `batch_size` elements.
                The first dimension in `element_spec` is then `batch_size` instead of None.
            num_parallel_calls: Has no effect.
            deterministic: Has no effect.

        Returns:
            A `tf.data.Dataset`. Its elements have the structure of the elements of this dataset,
            with tensors of shape `[batch_size, ...]`. The last batch may be smaller.

        Raises:
            tf.errors.InvalidArgumentError: If `batch_size` is less than 1, or if the elements of a
                batch have different shapes; the latter is raised while iterating.

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
            ValueError: If a component of the elements is a scalar, or if the components have
                different first dimensions.

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
            batch_size: Number of elements in a batch. A 1-D tensor contains the sizes of
                consecutive batches, which are used in turn.
            drop_remainder: If True, drop the last batch if it has fewer than `batch_size` elements.

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
            padded_shapes: Shape to which each component is padded, in the structure of an element.
                A dimension of None or -1 is padded to the largest one in the batch. Default: the
                shapes in `element_spec`.
            padding_values: Scalar with which each component is padded, in the structure of an
                element, or one scalar for all components. Default: 0 and the empty string.
            drop_remainder: If True, drop the last batch if it has fewer than `batch_size` elements.

        Returns:
            A `tf.data.Dataset` of batches.

        Raises:
            ValueError: If a padded shape does not match the shape of its component, or if a padding
                value is not a scalar.
            TypeError: If a component is not a dense tensor, or if the dtype of a padding value
                differs from the dtype of its component.
            tf.errors.DataLossError: If an element is larger than its padded shape; raised while
                iterating.

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
        """Combine consecutive elements of different shapes into batches without padding.

        A component with unknown (None) dimensions in `element_spec` becomes a `tf.RaggedTensor`.

        Args:
            batch_size: Number of elements in a batch.
            drop_remainder: If True, drop the last batch if it has fewer than `batch_size` elements.
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
        """Combine consecutive tensors of different shapes into sparse tensors.

        Args:
            batch_size: Number of elements in a batch.
            row_shape: Shape of each row of the sparse tensors. A dimension of None becomes the
                largest one in the batch.

        Returns:
            A `tf.data.Dataset` of `tf.SparseTensor` with the dense shape
            `[batch_size, *row_shape]`. The last batch may be smaller.

        Raises:
            TypeError: If the elements are not single tensors.
            tf.errors.DataLossError: If an element is larger than `row_shape`; raised while
                iterating.

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

        If the elements are nested, a window is a nest in the same structure, with one dataset for
        each component.

        Args:
            size: Number of elements in a window.
            shift: Distance between the first elements of consecutive windows. Default: `size`, so
                that the windows do not overlap.
            stride: Distance between consecutive elements of a window. Default: 1.
            drop_remainder: If True, drop the windows at the end that have fewer than `size`
                elements.

        Returns:
            A `tf.data.Dataset` whose elements are datasets, or nests of datasets.

        Raises:
            tf.errors.InvalidArgumentError: If `size`, `shift` or `stride` is less than 1.

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
        key_func: Callable[..., TensorLike],
        reduce_func: Callable[..., DatasetBase],
        window_size: IntLike | None = None,
        window_size_func: Callable[..., TensorLike] | None = None,
        name: str | None = None,
    ) -> Self:
        """Collect elements with equal keys in groups, and reduce each group to a dataset.

        A group is reduced when it has `window_size` elements, or at the end of the dataset.

        Args:
            key_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns its
                key, a scalar integer tensor.
            reduce_func: Function that takes a key and a dataset of the elements in a group, and
                returns a dataset.
            window_size: Number of elements in a full group. Pass either this argument or
                `window_size_func`.
            window_size_func: Function that takes a key and returns the number of elements in a full
                group with this key.

        Returns:
            A `tf.data.Dataset` of the elements of the datasets that `reduce_func` returns.

        Raises:
            ValueError: If neither or both of `window_size` and `window_size_func` are given, or if
                a key is not a scalar integer.
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
        element_length_func: Callable[..., TensorLike],
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

        Each element is assigned to a bucket by its length. The elements of a batch are all from the
        same bucket.

        Args:
            element_length_func: Function that takes an element, as in `tf.data.Dataset.map`, and
                returns its length, a scalar integer tensor.
            bucket_boundaries: Lengths at which the second and later buckets begin, in ascending
                order. The first bucket contains the elements that are shorter than the first
                boundary.
            bucket_batch_sizes: Batch size of each bucket, one more than there are boundaries.
            padded_shapes: Shapes to pad to, as in `tf.data.Dataset.padded_batch`.
            padding_values: Values to pad with, as in `tf.data.Dataset.padded_batch`.
            pad_to_bucket_boundary: If True, pad unknown dimensions to the largest length in the
                bucket, which is the next boundary minus 1, instead of the largest in the batch.
            no_padding: If True, do not pad. The elements of a batch must then have equal shapes.
            drop_remainder: If True, drop the last batch of each bucket if it is not full.

        Returns:
            A `tf.data.Dataset` of batches.

        Raises:
            ValueError: If `bucket_batch_sizes` does not have one more entry than
                `bucket_boundaries`.
            tf.errors.InvalidArgumentError: If `pad_to_bucket_boundary` is True and an element is
                not shorter than the last boundary; raised while iterating.

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
