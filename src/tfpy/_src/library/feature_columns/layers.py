"""`tf.compat.v1.feature_column.input_layer` and `linear_model`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import maximum, sqrt
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.library.compat.graphs.scoped_variables import get_variable
from tfpy._src.library.compat.graphs.scopes import variable_scope
from tfpy._src.library.compat.initializers import Zeros
from tfpy._src.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    FeatureTensors,
    Ids,
    size_of,
)
from tfpy._src.library.feature_columns.dense_columns import EmbeddingColumn
from tfpy._src.library.feature_columns.shared_columns import (
    CollectedEmbeddingColumn,
    SharedEmbeddingColumn,
)
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, shape
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.linalg.norms import clip_by_norm
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.arithmetic import divide_no_nan
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.variables.variable import Variable


def input_layer(
    features: Mapping[str, TensorLike],
    feature_columns: Iterable[FeatureColumn],
    weight_collections: list[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """Return the values of dense columns as one matrix.

    The columns are ordered by their names. Embedding columns create Variables with
    `tf.compat.v1.get_variable`.

    Args:
        features: Dict from names of features to tensors of shape `[batch, ...]`.
        feature_columns: Dense feature columns.
        weight_collections: Has no effect.
        trainable: If False, the Variables are not trainable.
        cols_to_vars: Dict that receives the list of Variables of each column.
        cols_to_output_tensors: Dict that receives the tensor of each column.

    Returns:
        Float32 tensor of shape `[batch, n]`.

    Raises:
        ValueError: If there are no columns, a column is not dense, two columns have one name, or a
            feature is missing.

    Example:
        >>> import tfpy as tf
        >>> columns = [tf.feature_column.numeric_column(key) for key in ("b", "a")]
        >>> features = {"a": tf.constant([[1.0], [2.0]]), "b": tf.constant([[3.0], [4.0]])}
        >>> tf.compat.v1.feature_column.input_layer(features, columns).numpy().tolist()
        [[1.0, 3.0], [2.0, 4.0]]

    See also: `tf.feature_column.numeric_column`.
    """
    columns = _sorted(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical "
                f"column with an embedding_column or indicator_column. Given: {column}"
            )
    tables: list[Any] = []
    created: list[list[Any]] = []
    with variable_scope(None, default_name="input_layer"):
        for column in columns:
            with variable_scope(None, default_name=_scope(column)) as scope:
                tables.append(_table(column, trainable))
                created.append(_of_scope(scope, tables[-1]))
    outputs = _record_outputs(dict(features), tables, _Columns(columns))
    for column, variables, output in zip(columns, created, outputs, strict=True):
        if cols_to_vars is not None:
            cols_to_vars[column] = _parts(variables)
        if cols_to_output_tensors is not None:
            cols_to_output_tensors[column] = output
    return _record_concat(outputs, 1)


class _Columns:
    """Columns, as one value of an operation. A column is a tuple, whose items a graph would map."""

    def __init__(self, columns: Sequence[Any], combiner: str = "sum") -> None:
        self.columns = columns
        self.combiner = combiner


def _outputs(features: dict[str, Any], tables: list[Any], given: _Columns) -> list[Tensor]:
    """Return the matrix of each dense column."""
    inputs = FeatureTensors(features)
    pairs = zip(given.columns, tables, strict=True)
    return [_matrix(column, inputs, table) for column, table in pairs]


def _matrix(column: DenseColumn, features: FeatureTensors, table: Any) -> Tensor:
    dense = _embedded(column, features, table) if table is not None else column.dense(features)
    return reshape(dense, [shape(dense)[0], size_of(column.variable_shape)])


def _table(column: Any, trainable: bool) -> Any:
    """Create the Variable of an embedding column. Return None for other columns."""
    if isinstance(column, CollectedEmbeddingColumn):
        return column.table(trainable)
    if isinstance(column, SharedEmbeddingColumn):
        raise ValueError(
            "The columns of tf.feature_column.shared_embeddings are not supported here. Use "
            "tf.compat.v1.feature_column.shared_embedding_columns."
        )
    if not isinstance(column, EmbeddingColumn):
        return None
    return get_variable(
        "embedding_weights",
        (column.categorical_column.num_buckets, column.dimension),
        initializer=column.initializer,
        trainable=column.trainable and trainable,
    )


def _of_scope(scope: Any, table: Any) -> list[Any]:
    """Return a list of a column's Variable, unless another column has created it."""
    return [table] if table is not None and table.name.startswith(f"{scope.name}/") else []


def _parts(variables: Iterable[Any]) -> list[Any]:
    """Return Variables with the parts in place of each Variable that is divided."""
    divided = [[v] if isinstance(v, Variable) else [*v] for v in variables]
    return [part for parts in divided for part in parts]


def _embedded(column: Any, features: FeatureTensors, table: Any) -> Tensor:
    rows = convert_to_tensor(table)
    if column.max_norm is not None:
        rows = clip_by_norm(rows, column.max_norm, [1])
    return _combined(rows, column.categorical_column.ids(features), column.combiner)


def _sorted(columns: Iterable[Any]) -> list[Any]:
    """Return columns ordered by name.

    Raises:
        ValueError: If there are none, an item is not a column, or two columns have one name.
    """
    found = list(columns.values() if isinstance(columns, Mapping) else columns)
    if not found:
        raise ValueError("feature_columns must not be empty.")
    names: dict[str, Any] = {}
    for column in found:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"Items of feature_columns must be a FeatureColumn. Given: {column}")
        if column.name in names:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{names[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        names[column.name] = column
    return sorted(found, key=lambda column: column.name)


def _scope(column: Any) -> str:
    name = getattr(column, "scope_name", column.name)
    return re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name)


def _combined(rows: Tensor, ids: Ids, combiner: str) -> Tensor:
    """Return the combination of the rows with the ids of each example; ids below 0 are ignored.

    Raises:
        ValueError: If the combiner is unknown.
    """
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    weights = cast(ids.ids >= 0, rows.dtype)
    if ids.weights is not None:
        weights = weights * ids.weights
        if combiner != "sum":
            weights = maximum(weights, 0)
    found = gather(rows, maximum(ids.ids, 0))
    total = reduce_sum(found * expand_dims(weights, -1), axis=-2)
    if combiner == "sum":
        return total
    norm = reduce_sum(weights if combiner == "mean" else weights * weights, -1, keepdims=True)
    return divide_no_nan(total, norm if combiner == "mean" else sqrt(norm))


def linear_model(
    features: Mapping[str, TensorLike],
    feature_columns: Iterable[FeatureColumn],
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: list[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """Return the prediction of a linear model: the sum of weighted columns and a bias.

    The weights and the bias are Variables, which `tf.compat.v1.get_variable` creates with zeros.

    Args:
        features: Dict from names of features to tensors of shape `[batch, ...]`.
        feature_columns: Feature columns, dense or categorical.
        units: Number of predictions for each example.
        sparse_combiner: Combination of the weights of the ids of one example: `"mean"`, `"sqrtn"`
            or `"sum"`.
        weight_collections: Has no effect.
        trainable: If False, the Variables are not trainable.
        cols_to_vars: Dict that receives the list of Variables of each column, and that of the bias
            with the key `"bias"`.

    Returns:
        Float32 tensor of shape `[batch, units]`.

    Raises:
        ValueError: If there are no columns, two columns have one name, or a feature is missing.

    Example:
        >>> import tfpy as tf
        >>> price = tf.feature_column.numeric_column("price")
        >>> features = {"price": tf.constant([[1.0], [2.0]])}
        >>> tf.compat.v1.feature_column.linear_model(features, [price]).numpy().tolist()
        [[0.0], [0.0]]
    """
    columns = _sorted(feature_columns)
    tables: list[Any] = []
    weights: list[Any] = []
    created: list[list[Any]] = []
    with variable_scope(None, default_name="linear_model"):
        for column in columns:
            with variable_scope(None, default_name=_scope(column)) as scope:
                is_sparse = isinstance(column, CategoricalColumn)
                rows = column.num_buckets if is_sparse else size_of(column.variable_shape)
                tables.append(_table(column, trainable))
                weights.append(_zeros("weights", (rows, units), trainable))
                created.append([*_of_scope(scope, tables[-1]), weights[-1]])
        bias = _zeros("bias_weights", (units,), trainable)
    if cols_to_vars is not None:
        cols_to_vars.update(zip(columns, map(_parts, created), strict=True))
        cols_to_vars["bias"] = _parts([bias])
    given = _Columns(columns, sparse_combiner)
    return _record_prediction(dict(features), tables, weights, bias, given)


def _zeros(name: str, shape: tuple[int, ...], trainable: bool) -> Any:
    return get_variable(name, shape, initializer=Zeros(), trainable=trainable)


def _prediction(
    features: dict[str, Any], tables: list[Any], weights: list[Any], bias: Any, given: _Columns
) -> Tensor:
    """Return the sum of weighted columns and a bias."""
    inputs = FeatureTensors(features)
    total = convert_to_tensor(bias)
    for column, table, weight in zip(given.columns, tables, weights, strict=True):
        rows = convert_to_tensor(weight)
        if isinstance(column, CategoricalColumn):
            total = total + _combined(rows, column.ids(inputs), given.combiner)
        else:
            total = total + matmul(_matrix(column, inputs, table), rows)
    return total


_record_outputs = recorded(_outputs)
_record_prediction = recorded(_prediction)
_record_concat = recorded(concat)
