"""Functions that create embedding columns with one trainable matrix for several features."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.feature_columns.base import CategoricalColumn
from tfpy._src.library.feature_columns.categorical_columns import (
    SequenceCategoricalColumn,
    WeightedCategoricalColumn,
)
from tfpy._src.library.feature_columns.dense import vectors_initializer
from tfpy._src.library.feature_columns.shared_columns import (
    CollectedEmbeddingColumn,
    SharedEmbeddingColumn,
    SharedTable,
)

_WRAPPERS = (WeightedCategoricalColumn, SequenceCategoricalColumn)


def shared_embeddings(
    categorical_columns: Iterable[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., TensorLike] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Describe categorical columns by trainable vectors that all of them share.

    As in TensorFlow, the columns can only be created in a graph of `tf.compat.v1`.

    Args:
        categorical_columns: Categorical columns of one kind with equal numbers of ids.
        dimension: Length of the vectors.
        combiner: Combination of the vectors of one example: `"mean"`, `"sqrtn"` or `"sum"`.
        initializer: Initializer of the vectors. Default: a truncated normal distribution with the
            standard deviation `1 / sqrt(dimension)`.
        shared_embedding_collection_name: Name of the Variable with the vectors. Default: the names
            of all columns.
        ckpt_to_load_from: Must be None; restore the Variable from a checkpoint instead.
        tensor_name_in_ckpt: Must be None.
        max_norm: Maximum norm of a vector. Longer vectors are scaled. Default: no limit.
        trainable: If True, the vectors are trainable.
        use_safe_embedding_lookup: If False, every example must have at least one id.

    Returns:
        A list with a dense column for each categorical column.

    Raises:
        RuntimeError: If the function is called eagerly.
        ValueError: If a column is not categorical, the columns differ in their kind or number of
            ids, or `dimension` is not positive.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     kinds = [tf.feature_column.categorical_column_with_identity(k, 3) for k in "ab"]
        ...     columns = tf.feature_column.shared_embeddings(kinds, 2)
        >>> [column.name for column in columns]
        ['a_shared_embedding', 'b_shared_embedding']

    See also: `tf.feature_column.embedding_column`.
    """
    columns = list(categorical_columns)
    name, buckets = _common("shared_embeddings", columns, shared_embedding_collection_name)
    start = vectors_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    table = SharedTable(name, buckets, dimension, start, trainable)
    return [
        SharedEmbeddingColumn(column, table, combiner, max_norm, use_safe_embedding_lookup)
        for column in columns
    ]


def shared_embedding_columns(
    categorical_columns: Iterable[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., TensorLike] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[CollectedEmbeddingColumn]:
    """Describe categorical columns by trainable vectors that all of them share.

    The columns are for `tf.compat.v1.feature_column.input_layer`. The Variable with the vectors is
    the item of a collection of the graph.

    Args:
        categorical_columns: Categorical columns of one kind with equal numbers of ids.
        dimension: Length of the vectors.
        combiner: Combination of the vectors of one example: `"mean"`, `"sqrtn"` or `"sum"`.
        initializer: Initializer of the vectors. Default: a truncated normal distribution with the
            standard deviation `1 / sqrt(dimension)`.
        shared_embedding_collection_name: Name of the collection and of the scope of the Variable.
            Default: the names of all columns.
        ckpt_to_load_from: Must be None; restore the Variable from a checkpoint instead.
        tensor_name_in_ckpt: Must be None.
        max_norm: Maximum norm of a vector. Longer vectors are scaled. Default: no limit.
        trainable: If True, the vectors are trainable.
        use_safe_embedding_lookup: Has no effect.

    Returns:
        A list with a dense column for each categorical column.

    Raises:
        RuntimeError: If the function is called eagerly.
        ValueError: If a column is not categorical, the columns differ in their kind or number of
            ids, or `dimension` is not positive.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     kinds = [tf.feature_column.categorical_column_with_identity(k, 3) for k in "ab"]
        ...     columns = tf.compat.v1.feature_column.shared_embedding_columns(kinds, 2)
        >>> columns[0].shared_embedding_collection_name
        'a_b_shared_embedding'

    See also: `tf.feature_column.embedding_column`.
    """
    columns = list(categorical_columns)
    name, _ = _common("shared_embedding_columns", columns, shared_embedding_collection_name)
    start = vectors_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    return [
        CollectedEmbeddingColumn(
            column, dimension, combiner, start, name, None, None, max_norm, trainable,
            use_safe_embedding_lookup,
        )
        for column in columns
    ]  # fmt: skip


def _common(function: str, columns: list[Any], given: str | None) -> tuple[str, int]:
    """Return the name and the number of ids of columns that share vectors.

    Raises:
        RuntimeError: If no graph is being built.
        ValueError: If the columns cannot share vectors.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            f"{function} are not supported when eager execution is enabled. Call the function in "
            "a graph of tf.compat.v1."
        )
    for column in columns:
        if not isinstance(column, CategoricalColumn):
            raise ValueError(
                "All categorical_columns must be subclasses of CategoricalColumn. Given: "
                f"{column}, of type: {type(column)}"
            )
    first, *others = ordered = sorted(columns, key=lambda column: column.name)
    for column in others:
        if type(_inner(column)) is not type(_inner(first)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, "
                "or be weighted_categorical_column or sequence column of the same type. Given "
                f"column: {first} of type: {type(first)} does not match given column: {column} of "
                f"type: {type(column)}"
            )
        if column.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number "
                f"of buckets. Given column: {first} with buckets: {first.num_buckets} does not "
                f"match column: {column} with buckets: {column.num_buckets}"
            )
    names = "_".join(column.name for column in ordered)
    return given or f"{names}_shared_embedding", first.num_buckets


def _inner(column: Any) -> Any:
    """Return the column inside of weighted and sequence columns."""
    while isinstance(column, _WRAPPERS):
        column = column.categorical_column
    return column
