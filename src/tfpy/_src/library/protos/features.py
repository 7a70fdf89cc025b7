"""The configurations of the features that `tf.io.parse_example` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.typing import DTypeLike, ShapeLike, TensorLike


class FixedLenFeature(NamedTuple):
    """A feature with the same number of values in every example.

    `tf.io.parse_example` converts it to a dense tensor.

    Args:
        shape: Shape of the feature in one example.
        dtype: `tf.int64`, `tf.float32` or `tf.string`.
        default_value: Values of shape `shape` for examples without the feature. Default: the
            feature is required.

    Example:
        >>> import tfpy as tf
        >>> values = tf.train.FloatList(value=[0.5, 2.0])
        >>> features = {"size": tf.train.Feature(float_list=values)}
        >>> example = tf.train.Example(features=tf.train.Features(feature=features))
        >>> config = {"size": tf.io.FixedLenFeature([2], tf.float32)}
        >>> tf.io.parse_single_example(example.SerializeToString(), config)["size"].numpy().tolist()
        [0.5, 2.0]

    See also: `tf.io.parse_example`, `tf.io.VarLenFeature`.
    """

    shape: ShapeLike
    dtype: DTypeLike
    default_value: TensorLike | None = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature that is a sequence of blocks of the same shape.

    The number of blocks can differ between examples. `tf.io.parse_example` converts the feature to
    a dense tensor with the additional axis of the blocks, which is padded to the longest sequence.

    Args:
        shape: Shape of one block.
        dtype: `tf.int64`, `tf.float32` or `tf.string`.
        allow_missing: If True, examples without the feature have no blocks. `tf.io.parse_example`
            requires True.
        default_value: Scalar for the padding. Default: 0 or the empty string.

    Example:
        >>> import tfpy as tf
        >>> values = tf.train.Int64List(value=[1, 2, 3])
        >>> features = {"steps": tf.train.Feature(int64_list=values)}
        >>> example = tf.train.Example(features=tf.train.Features(feature=features))
        >>> config = {"steps": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
        >>> found = tf.io.parse_single_example(example.SerializeToString(), config)
        >>> found["steps"].numpy().tolist()
        [1, 2, 3]

    See also: `tf.io.parse_sequence_example`, `tf.io.RaggedFeature`.
    """

    shape: ShapeLike
    dtype: DTypeLike
    allow_missing: bool = False
    default_value: TensorLike | None = None


class VarLenFeature(NamedTuple):
    """A feature whose number of values differs between examples.

    `tf.io.parse_example` converts it to a sparse tensor.

    Args:
        dtype: `tf.int64`, `tf.float32` or `tf.string`.

    Example:
        >>> import tfpy as tf
        >>> values = tf.train.Int64List(value=[7, 8])
        >>> features = {"ids": tf.train.Feature(int64_list=values)}
        >>> example = tf.train.Example(features=tf.train.Features(feature=features))
        >>> config = {"ids": tf.io.VarLenFeature(tf.int64)}
        >>> ids = tf.io.parse_single_example(example.SerializeToString(), config)["ids"]
        >>> tf.sparse.to_dense(ids).numpy().tolist()
        [7, 8]

    See also: `tf.io.RaggedFeature`, `tf.io.FixedLenFeature`.
    """

    dtype: DTypeLike


class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are separate features of an example.

    Args:
        index_key: Name of the feature with the indices. For a tensor with several axes, a list with
            a name for each axis.
        value_key: Name of the feature with the values.
        dtype: `tf.int64`, `tf.float32` or `tf.string`.
        size: Size of the axis, or a list of sizes if `index_key` is a list.
        already_sorted: If True, the values are not sorted by their indices.

    Example:
        >>> import tfpy as tf
        >>> features = {
        ...     "at": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 1])),
        ...     "weight": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 2.0])),
        ... }
        >>> example = tf.train.Example(features=tf.train.Features(feature=features))
        >>> config = {"x": tf.io.SparseFeature("at", "weight", tf.float32, size=4)}
        >>> x = tf.io.parse_single_example(example.SerializeToString(), config)["x"]
        >>> tf.sparse.to_dense(x).numpy().tolist()
        [0.0, 2.0, 0.0, 0.5]

    See also: `tf.io.VarLenFeature`.
    """

    index_key: str | Sequence[str]
    value_key: str
    dtype: DTypeLike
    size: int | Sequence[int]
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """A partition of a ragged tensor: the feature `key` contains the splits of the rows."""

    key: str


class RowLengths(NamedTuple):
    """A partition of a ragged tensor: the feature `key` contains the lengths of the rows."""

    key: str


class RowStarts(NamedTuple):
    """A partition of a ragged tensor: the feature `key` contains the starts of the rows."""

    key: str


class RowLimits(NamedTuple):
    """A partition of a ragged tensor: the feature `key` contains the ends of the rows."""

    key: str


class ValueRowIds(NamedTuple):
    """A partition of a ragged tensor: the feature `key` contains the row of each value."""

    key: str


class UniformRowLength(NamedTuple):
    """A partition of a ragged tensor into rows of the same length."""

    length: int


PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


class _RaggedFields(NamedTuple):
    dtype: DType
    value_key: str | None
    partitions: tuple[Any, ...]
    row_splits_dtype: DType
    validate: bool


class RaggedFeature(_RaggedFields):
    """A feature that becomes a ragged tensor, whose rows can be partitioned by other features.

    Args:
        dtype: `tf.int64`, `tf.float32` or `tf.string`.
        value_key: Name of the feature with the values. Default: the name of this feature.
        partitions: List of partitions of the values of one example, from the outermost to the
            innermost: `tf.io.RaggedFeature.RowSplits(key)`, `RowLengths(key)`, `RowStarts(key)`,
            `RowLimits(key)`, `ValueRowIds(key)` or `UniformRowLength(length)`.
        row_splits_dtype: Dtype of the row splits, `tf.int32` (default) or `tf.int64`.
        validate: If True, check that the partitions match the values.

    Raises:
        ValueError: If a dtype or `value_key` is not supported.
        TypeError: If `partitions` is not a list of partitions, or `validate` is not a bool.

    Example:
        >>> import tfpy as tf
        >>> def example(values):
        ...     numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        ...     features = tf.train.Features(feature={"ids": numbers})
        ...     return tf.train.Example(features=features).SerializeToString()
        >>> config = {"ids": tf.io.RaggedFeature(tf.int64)}
        >>> tf.io.parse_example([example([1, 2]), example([3])], config)["ids"].to_list()
        [[1, 2], [3]]

    See also: `tf.io.parse_example`, `tf.io.VarLenFeature`.
    """

    __slots__ = ()
    RowSplits = RowSplits
    RowLengths = RowLengths
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls,
        dtype: DTypeLike,
        value_key: str | None = None,
        partitions: Sequence[NamedTuple] = (),
        row_splits_dtype: DTypeLike = dtypes.int32,
        validate: bool = False,
    ) -> Self:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        if value_key == "":
            raise ValueError("Argument `value_key` must not be empty")
        kind, splits = as_dtype(dtype), as_dtype(row_splits_dtype)
        if kind not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {kind!r}")
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got {splits!r}")
        if not isinstance(partitions, list | tuple):
            raise TypeError(
                "Argument `partitions` must be a list or tuple. Received "
                f"partitions={partitions} of type {type(partitions).__name__}."
            )
        for partition in partitions:
            if not isinstance(partition, PARTITIONS):
                raise TypeError(
                    "Argument `partitions` cannot be cast to any of the partition types in "
                    f"{PARTITIONS}; got: {partition!r} with type {type(partition)}"
                )
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, kind, value_key, tuple(partitions), splits, validate)


Feature = FixedLenFeature | FixedLenSequenceFeature | VarLenFeature | SparseFeature | RaggedFeature
