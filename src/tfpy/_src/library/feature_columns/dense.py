"""Functions that create numeric and dense feature columns, and the parsing spec of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, as_dtype, float32
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.compat.initializers import TruncatedNormal
from tfpy._src.library.feature_columns.base import CategoricalColumn, FeatureColumn
from tfpy._src.library.feature_columns.dense_columns import (
    BucketizedColumn,
    EmbeddingColumn,
    IndicatorColumn,
    NumericColumn,
    SequenceNumericColumn,
)


def numeric_column(
    key: str,
    shape: int | Sequence[int] = (1,),
    default_value: TensorLike | None = None,
    dtype: DTypeLike = float32,
    normalizer_fn: Callable[[Tensor], Tensor] | None = None,
) -> NumericColumn:
    """Describe a feature of numbers.

    Args:
        key: Name of the feature.
        shape: Shape of the numbers of one example. Default: one number.
        default_value: Number or numbers in place of a missing feature, for `tf.io.parse_example`.
            Default: the feature must be present.
        dtype: Dtype of the feature in examples. Default: float32.
        normalizer_fn: Function that is applied to the tensor of the feature. Default: none.

    Returns:
        A column, which is dense.

    Raises:
        ValueError: If the key is not a string, the shape is not positive, or `dtype` is not
            numeric.
        TypeError: If `default_value` does not have the shape or dtype.

    Example:
        >>> import tfpy as tf
        >>> price = tf.feature_column.numeric_column("price")
        >>> tf.feature_column.make_parse_example_spec([price])
        {'price': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}

    See also: `tf.feature_column.bucketized_column`.
    """
    sizes = _checked_shape(shape, key)
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {kind}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return NumericColumn(key, sizes, _default(default_value, sizes, kind, key), kind, normalizer_fn)


def _checked_shape(shape: Any, key: Any) -> tuple[int, ...]:
    """Return a shape as a tuple of positive integers."""
    check_key(key)
    sizes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


def check_key(key: Any) -> None:
    """Raise a ValueError unless the name of a feature is a string."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def _default(value: Any, sizes: tuple[int, ...], dtype: DType, key: str) -> Any:
    """Return the default value as nested tuples of the shape of a column."""
    if value is None:
        return None
    array = np.asarray(value)
    if (array.dtype.kind not in "iu" and dtype.is_integer) or array.dtype.kind not in "iufb":
        raise TypeError(
            f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, "
            f"key: {key}"
        )
    if array.shape not in ((), sizes):
        raise ValueError(
            f"The shape of default_value must be equal to given shape. default_value: {value}, "
            f"shape: {sizes}, key: {key}"
        )
    return _tuples(np.broadcast_to(array, sizes).astype(dtype.as_numpy_dtype).tolist())


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def bucketized_column(
    source_column: NumericColumn, boundaries: Sequence[float]
) -> BucketizedColumn:
    """Describe the numbers of a numeric column by the ranges in which they are.

    Args:
        source_column: A numeric column of rank 1.
        boundaries: Bounds of the ranges in ascending order. A range includes its lower bound.

    Returns:
        A column, which is dense and categorical.

    Raises:
        ValueError: If the column is not numeric, or the boundaries do not ascend.

    Example:
        >>> import tfpy as tf
        >>> price = tf.feature_column.numeric_column("price")
        >>> ranges = tf.feature_column.bucketized_column(price, [0.0, 10.0, 100.0])
        >>> tensor = tf.constant([[-1.0], [10.0]])
        >>> tf.compat.v1.feature_column.input_layer({"price": tensor}, [ranges]).numpy().tolist()
        [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]

    See also: `tf.feature_column.numeric_column`.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    bounds = tuple(boundaries)
    if any(a >= b for a, b in pairwise(bounds)):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, bounds)


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """Describe a categorical column by the number of occurrences of each id.

    Args:
        categorical_column: A categorical column.

    Returns:
        A column, which is dense.

    Raises:
        ValueError: If the column is not categorical.

    Example:
        >>> import tfpy as tf
        >>> kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b"])
        >>> column = tf.feature_column.indicator_column(kind)
        >>> features = {"kind": tf.constant([["b", "b"], ["a", "?"]])}
        >>> tf.compat.v1.feature_column.input_layer(features, [column]).numpy().tolist()
        [[0.0, 2.0], [1.0, 0.0]]

    See also: `tf.feature_column.embedding_column`.
    """
    return IndicatorColumn(_categorical(categorical_column))


def _categorical(column: Any) -> CategoricalColumn:
    if not isinstance(column, CategoricalColumn):
        raise ValueError(
            f"Unsupported input type. Input must be a CategoricalColumn. Given: {column}"
        )
    return column


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., TensorLike] | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Describe a categorical column by trainable vectors, one for each id.

    Args:
        categorical_column: A categorical column.
        dimension: Length of the vectors.
        combiner: Combination of the vectors of one example: `"mean"`, `"sqrtn"` or `"sum"`.
        initializer: Initializer of the vectors. Default: a truncated normal distribution with the
            standard deviation `1 / sqrt(dimension)`.
        ckpt_to_load_from: Must be None; restore the Variable from a checkpoint instead.
        tensor_name_in_ckpt: Must be None.
        max_norm: Maximum norm of a vector. Longer vectors are scaled. Default: no limit.
        trainable: If True, the vectors are trainable.
        use_safe_embedding_lookup: Has no effect.

    Returns:
        A column, which is dense.

    Raises:
        ValueError: If the column is not categorical, or `dimension` is not positive.

    Example:
        >>> import tfpy as tf
        >>> kind = tf.feature_column.categorical_column_with_identity("kind", 3)
        >>> column = tf.feature_column.embedding_column(kind, 2)
        >>> tf.compat.v1.feature_column.input_layer({"kind": [[0], [2]]}, [column]).shape
        TensorShape([2, 2])

    See also: `tf.feature_column.indicator_column`, `tf.nn.embedding_lookup`.
    """
    start = vectors_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    return EmbeddingColumn(
        _categorical(categorical_column), dimension, combiner, start, None, None, max_norm,
        trainable, use_safe_embedding_lookup,
    )  # fmt: skip


def vectors_initializer(dimension: Any, initializer: Any, path: Any, tensor: Any) -> Any:
    """Return the initializer of the vectors of an embedding.

    Raises:
        ValueError: If the dimension or the initializer is wrong, or a checkpoint is given.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (path is None) != (tensor is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if path is not None:
        raise ValueError(
            "ckpt_to_load_from and tensor_name_in_ckpt are not supported. Restore the Variable "
            "with tf.compat.v1.train.init_from_checkpoint."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")
    return initializer or TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))


def sequence_numeric_column(
    key: str,
    shape: int | Sequence[int] = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = float32,
    normalizer_fn: Callable[[Tensor], Tensor] | None = None,
) -> SequenceNumericColumn:
    """Describe a feature of sequences of numbers.

    Args:
        key: Name of the feature.
        shape: Shape of the numbers of one step. Default: one number.
        default_value: Number that fills shorter sequences.
        dtype: Dtype of the feature in examples. Default: float32.
        normalizer_fn: Function that is applied to the tensor of the feature. Default: none.

    Returns:
        A column of sequences.

    Raises:
        ValueError: If the key is not a string, the shape is not positive, or `dtype` is not
            numeric.

    Example:
        >>> import tfpy as tf
        >>> tf.feature_column.sequence_numeric_column("sound").parse_example_spec
        {'sound': VarLenFeature(dtype=tf.float32)}

    See also: `tf.feature_column.numeric_column`.
    """
    sizes = _checked_shape(shape, key)
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {kind}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, sizes, default_value, kind, normalizer_fn)


def make_parse_example_spec(feature_columns: Iterable[FeatureColumn]) -> dict[str, Any]:
    """Return the configuration of `tf.io.parse_example` for the features of columns.

    Args:
        feature_columns: Feature columns.

    Returns:
        A dict from names of features to `tf.io.FixedLenFeature` and `tf.io.VarLenFeature`.

    Raises:
        ValueError: If an item is not a feature column, or two columns have different
            configurations of one feature.

    Example:
        >>> import tfpy as tf
        >>> kind = tf.feature_column.categorical_column_with_hash_bucket("kind", 10)
        >>> tf.feature_column.make_parse_example_spec([kind])
        {'kind': VarLenFeature(dtype=tf.string)}

    See also: `tf.io.parse_example`.
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be FeatureColumn instances. Given: {column}"
            )
        for key, value in column.parse_example_spec.items():
            if found.setdefault(key, value) != value:
                raise ValueError(
                    "feature_columns contain different parse_spec for key "
                    f"{key}. Given {value} and {found[key]}"
                )
    return found
