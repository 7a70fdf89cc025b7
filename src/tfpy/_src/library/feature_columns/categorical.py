"""Functions that create categorical feature columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.typing import DTypeLike
from tfpy._src.library.feature_columns.base import CategoricalColumn
from tfpy._src.library.feature_columns.categorical_columns import (
    CrossedColumn,
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    SequenceCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
)
from tfpy._src.library.feature_columns.dense import check_key


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> HashedCategoricalColumn:
    """Describe a feature of strings or integers, whose hashes are the ids.

    Args:
        key: Name of the feature.
        hash_bucket_size: Number of ids. Different values can have the same id.
        dtype: Dtype of the feature, a string or integer dtype. Default: string.

    Returns:
        A column, which is categorical.

    Raises:
        ValueError: If `hash_bucket_size` is not positive, or the dtype is neither string nor
            integer.

    Example:
        >>> import tfpy as tf
        >>> tf.feature_column.categorical_column_with_hash_bucket("word", 10).num_buckets
        10

    See also: `tf.strings.to_hash_bucket_fast`.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    check_key(key)
    return HashedCategoricalColumn(key, hash_bucket_size, _string_or_integer(dtype, key))


def _string_or_integer(dtype: Any, key: str) -> DType:
    kind = as_dtype(dtype)
    if kind != dtypes.string and not kind.is_integer:
        raise ValueError(f"dtype must be string or integer. dtype: {kind}, column_name: {key}")
    return kind


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Describe a feature of integers, which are the ids.

    Args:
        key: Name of the feature.
        num_buckets: Number of ids. Valid values are in `[0, num_buckets)`.
        default_value: Id in place of other values. Default: they are not replaced.

    Returns:
        A column, which is categorical.

    Raises:
        ValueError: If `num_buckets` is not positive, or `default_value` is out of range.

    Example:
        >>> import tfpy as tf
        >>> tf.feature_column.categorical_column_with_identity("id", 4)
        IdentityCategoricalColumn(key='id', number_buckets=4, default_value=None)
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[str | int],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Describe a feature whose ids are the positions of its values in a list.

    Args:
        key: Name of the feature.
        vocabulary_list: Strings or integers.
        dtype: Dtype of the feature. Default: the dtype of `vocabulary_list`.
        default_value: Id of other values. The default, -1, ignores them.
        num_oov_buckets: Number of additional ids for the hashes of other values.

    Returns:
        A column, which is categorical.

    Raises:
        ValueError: If the list is empty or contains duplicates, or if both `default_value` and
            `num_oov_buckets` are specified.

    Example:
        >>> import tfpy as tf
        >>> kinds = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b"])
        >>> kinds.num_buckets
        2
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    _check_outside(num_oov_buckets, default_value, key)
    check_key(key)
    array = np.array(vocabulary_list)
    own = dtypes.string if array.dtype.kind in "SUO" else as_dtype(array.dtype)
    kind = _string_or_integer(own if dtype is None else dtype, key)
    if (kind == dtypes.string) != (own == dtypes.string):
        raise ValueError(
            f"dtype {kind} and vocabulary dtype {own} do not match, column_name: {key}"
        )
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), kind, default_value, num_oov_buckets
    )


def _check_outside(buckets: int, default: int | None, key: str) -> None:
    """Check the arguments for values that are not in a vocabulary."""
    if buckets:
        if default not in (None, -1):
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {buckets} in {key}.")


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: DTypeLike = dtypes.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Describe a feature whose ids are the line numbers of its values in a file.

    Args:
        key: Name of the feature.
        vocabulary_file: Path of a text file with one value per line.
        vocabulary_size: Number of lines that are used. Default: all lines.
        dtype: Dtype of the feature, a string or integer dtype. Default: string.
        default_value: Id of other values. By default, they are ignored.
        num_oov_buckets: Number of additional ids for the hashes of other values.
        file_format: Must be None.

    Returns:
        A column, which is categorical.

    Raises:
        ValueError: If `vocabulary_file` is empty, `vocabulary_size` is not positive, or both
            `default_value` and `num_oov_buckets` are specified.

    Example:
        >>> import tempfile
        >>> import tfpy as tf
        >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        ...     written = file.write("a\\nb\\n")
        ...     file.flush()
        ...     column = tf.feature_column.categorical_column_with_vocabulary_file("k", file.name)
        >>> column.num_buckets
        2
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format is not None:
        raise ValueError(f"file_format must be None, got {file_format!r} in {key}: use a text file")
    if vocabulary_size is None:
        with open(os.fspath(vocabulary_file), "rb") as file:
            vocabulary_size = sum(1 for _ in file)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_outside(num_oov_buckets, default_value, key)
    check_key(key)
    return VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, _string_or_integer(dtype, key),
        -1 if default_value is None else default_value, None,
    )  # fmt: skip


def weighted_categorical_column(
    categorical_column: CategoricalColumn,
    weight_feature_key: str,
    dtype: DTypeLike = dtypes.float32,
) -> WeightedCategoricalColumn:
    """Describe a categorical column with weights, which are another feature.

    Args:
        categorical_column: A categorical column.
        weight_feature_key: Name of the feature with one weight for each value.
        dtype: Dtype of the weights. Default: float32.

    Returns:
        A column, which is categorical.

    Raises:
        ValueError: If `dtype` is not numeric.

    Example:
        >>> import tfpy as tf
        >>> ids = tf.feature_column.categorical_column_with_identity("id", 4)
        >>> tf.feature_column.weighted_categorical_column(ids, "weight").name
        'id_weighted_by_weight'
    """
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {kind} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)


def crossed_column(
    keys: Sequence[str | CategoricalColumn], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """Describe the combinations of the values of several features by their hashes.

    Args:
        keys: Names of features, and categorical columns except hashed ones.
        hash_bucket_size: Number of ids.
        hash_key: Key of the hash. Default: the key of TensorFlow.

    Returns:
        A column, which is categorical.

    Raises:
        ValueError: If there are fewer than two keys, `hash_bucket_size` is less than 2, or a key
            is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.feature_column.crossed_column(["city", "kind"], 100).name
        'city_X_kind'

    See also: `tf.sparse.cross_hashed`.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
                "crossing will increase probability of collision. Instead, use the feature name as "
                f"a string. Given: {key}"
            )
        if not isinstance(key, str | CategoricalColumn):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Describe a feature of sequences of integers, which are the ids.

    Args:
        key: Name of the feature.
        num_buckets: Number of ids.
        default_value: Id in place of values out of range. Default: they are not replaced.

    Returns:
        A column of sequences.

    Example:
        >>> import tfpy as tf
        >>> tf.feature_column.sequence_categorical_column_with_identity("id", 3).name
        'id'

    See also: `tf.feature_column.categorical_column_with_identity`.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """Describe a feature of sequences of strings or integers, whose hashes are the ids.

    Args:
        key: Name of the feature.
        hash_bucket_size: Number of ids.
        dtype: Dtype of the feature, a string or integer dtype. Default: string.

    Returns:
        A column of sequences.

    Example:
        >>> import tfpy as tf
        >>> tf.feature_column.sequence_categorical_column_with_hash_bucket("word", 9).num_buckets
        9

    See also: `tf.feature_column.categorical_column_with_hash_bucket`.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[str | int],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Describe a feature of sequences whose ids are the positions of the values in a list.

    Args:
        key: Name of the feature.
        vocabulary_list: Strings or integers.
        dtype: Dtype of the feature. Default: the dtype of `vocabulary_list`.
        default_value: Id of other values. The default, -1, ignores them.
        num_oov_buckets: Number of additional ids for the hashes of other values.

    Returns:
        A column of sequences.

    Example:
        >>> import tfpy as tf
        >>> columns = tf.feature_column
        >>> columns.sequence_categorical_column_with_vocabulary_list("k", ["a", "b"]).num_buckets
        2

    See also: `tf.feature_column.categorical_column_with_vocabulary_list`.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """Describe a feature of sequences whose ids are the line numbers of the values in a file.

    Args:
        key: Name of the feature.
        vocabulary_file: Path of a text file with one value per line.
        vocabulary_size: Number of lines that are used. Default: all lines.
        num_oov_buckets: Number of additional ids for the hashes of other values.
        default_value: Id of other values. By default, they are ignored.
        dtype: Dtype of the feature, a string or integer dtype. Default: string.

    Returns:
        A column of sequences.

    Example:
        >>> import tfpy as tf
        >>> columns = tf.feature_column
        >>> columns.sequence_categorical_column_with_vocabulary_file("k", "words.txt", 5).name
        'k'

    See also: `tf.feature_column.categorical_column_with_vocabulary_file`.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
        )
    )
