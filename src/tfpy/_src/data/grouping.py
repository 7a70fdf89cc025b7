"""Datasets of batches, windows and groups of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.data import batching, nesting, padding, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.sources import whole
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.scans import cumprod
from tfpy._src.tensors.math.reductions import reduce_sum


class Grouping(DatasetBase):
    """Methods that put elements together, or take them apart."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """So many elements as one, along a new first dimension.

        Args:
            drop_remainder: leaves out a last batch that is smaller; the spec has the size then.

        Raises:
            InvalidArgumentError: for a size below 1, or elements of different shapes.
        """
        return self._with(batching.Batch(self._node, whole(batch_size), bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> Self:
        """The rows of the elements.

        Raises:
            ValueError: for scalars, or components of different first sizes.
        """
        return self._with(batching.Unbatch(self._node))

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """The rows of the elements in batches of another size, or of sizes that take turns."""
        sizes = np.atleast_1d(convert_to_tensor(batch_size).host_view()).tolist()
        return self._with(batching.Rebatch(self._node, sizes, bool(drop_remainder)))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """So many elements as one, each filled up to a common shape.

        Args:
            padded_shapes: a nest of shapes; None in one for the largest size of the batch.
            padding_values: a nest of what is filled in, or one for all; zeros and empty texts.

        Raises:
            ValueError, TypeError: when shapes or values do not fit the elements.
            DataLossError: when an element is larger than its shape.
        """
        return self._with(
            padding.PaddedBatch(
                self._node, whole(batch_size), padded_shapes, padding_values, bool(drop_remainder)
            )
        )

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Self:
        """So many elements as one; tensors with open sizes become rows of ragged ones."""
        return self._with(padding.AsRagged(self._node)).batch(batch_size, drop_remainder)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Self:
        """So many tensors as one sparse tensor of a common shape of rows.

        Raises:
            DataLossError: when an element is larger than that.
        """
        return self._with(padding.SparseBatch(self._node, whole(batch_size), row_shape))

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Datasets of ``size`` elements, ``stride`` apart, each ``shift`` after the last one.

        Raises:
            InvalidArgumentError: for numbers below 1.
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
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The datasets that ``reduce_func`` makes of a key and so many elements of that key.

        Raises:
            ValueError: unless one of the sizes is given; when keys are no scalar integers.
            TypeError: when ``reduce_func`` gives no dataset.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        size = window_size_func or (lambda key: convert_to_tensor(window_size, dtypes.int64))
        return self._with(nesting.GroupByWindow(self._node, key_func, reduce_func, size))

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Batches of elements of similar length, padded.

        Args:
            element_length_func: the length of an element.
            bucket_boundaries: lengths at which buckets begin, but the first. An element is in the
                bucket before the first boundary above its length, also where they descend.
            bucket_batch_sizes: the batch size of each bucket, one more than boundaries.
            pad_to_bucket_boundary: fills up to the boundary, not to the largest element.

        Raises:
            ValueError: when the numbers of boundaries and sizes do not fit.
            InvalidArgumentError: for an element beyond the last boundary that is to be padded.
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
