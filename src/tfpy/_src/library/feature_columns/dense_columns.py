"""The classes of numeric and other dense feature columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureTensors,
    Ids,
    SequenceDenseColumn,
)
from tfpy._src.library.feature_columns.categorical_columns import SequenceCategoricalColumn
from tfpy._src.library.feature_columns.protocol import (
    IdWeightPair,
    TensorSequenceLengthPair,
    sequence_length,
    sparse_input,
)
from tfpy._src.library.protos.features import FixedLenFeature, VarLenFeature
from tfpy._src.library.sparse.conversion import to_dense
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range as range_
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, shape
from tfpy._src.tensors.array.slicing import one_hot
from tfpy._src.tensors.array.sorting import upper_bound
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.nn.embeddings import embedding_lookup_sparse, safe_embedding_lookup_sparse


class _Numeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Any


class NumericColumn(_Numeric, DenseColumn):
    """A feature of numbers."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def dense(self, features: FeatureTensors) -> Tensor:
        return self._numbers(features.get(self.key))

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        """Return the numbers."""
        return self._numbers(transformation_cache.get(self.key, state_manager))

    def _numbers(self, value: Any) -> Tensor:
        if isinstance(value, SparseTensor):
            raise ValueError(
                f"The corresponding Tensor of numerical column must be a Tensor. SparseTensor is "
                f"not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            value = self.normalizer_fn(value)
        return cast(value, dtypes.float32)


class _Bucketized(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[float, ...]


class BucketizedColumn(_Bucketized, DenseColumn, CategoricalColumn):
    """The numbers of a numeric column, divided into ranges."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.source_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]

    @property
    def num_buckets(self) -> int:
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    def _buckets(self, numbers: Tensor) -> Tensor:
        bounds = convert_to_tensor(self.boundaries, dtypes.float32)
        return reshape(upper_bound(bounds, reshape(numbers, [-1])), shape(numbers))

    def dense(self, features: FeatureTensors) -> Tensor:
        return one_hot(self._buckets(self.source_column.dense(features)), len(self.boundaries) + 1)

    def ids(self, features: FeatureTensors) -> Ids:
        return Ids(self._numbered(self._buckets(self.source_column.dense(features))))

    def _numbered(self, buckets: Tensor) -> Tensor:
        """Return the ids of buckets, which differ for each number of an example."""
        return buckets + range_(self.source_column.shape[0]) * (len(self.boundaries) + 1)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        """Return the range of each number."""
        return self._buckets(transformation_cache.get(self.source_column, state_manager))

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        buckets = transformation_cache.get(self, state_manager)
        return one_hot(buckets, len(self.boundaries) + 1)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        buckets = transformation_cache.get(self, state_manager)
        ids = cast(self._numbered(buckets), dtypes.int64)
        return IdWeightPair(sparse_input(ids), None)


class _Indicator(NamedTuple):
    categorical_column: CategoricalColumn


class OfIds(SequenceDenseColumn):
    """A dense column that computes a tensor of the ids of a categorical column."""

    categorical_column: CategoricalColumn
    kind = ""

    def _check_sequence(self, wanted: bool) -> None:
        """Raise a ValueError unless the ids are sequences, or unless they are none."""
        given = self.categorical_column
        if isinstance(given, SequenceCategoricalColumn) == wanted:
            return
        if wanted:
            advice = (
                "categorical_column must be of type SequenceCategoricalColumn to use "
                "SequenceFeatures. Suggested fix: Use one of sequence_categorical_column_with_*."
            )
        else:
            advice = (
                "categorical_column must not be of type SequenceCategoricalColumn. Suggested fix "
                "A: If you wish to use DenseFeatures, use a non-sequence "
                "categorical_column_with_*. Suggested fix B: If you wish to create sequence "
                "input, use SequenceFeatures instead of DenseFeatures."
            )
        raise ValueError(
            f"In {self.kind}: {self.name}. {advice} Given (type {type(given)}): {given}"
        )

    def _tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        raise NotImplementedError

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        self._check_sequence(wanted=False)
        return self._tensor(transformation_cache, state_manager)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        self._check_sequence(wanted=True)
        dense = self._tensor(transformation_cache, state_manager)
        ids, _ = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return TensorSequenceLengthPair(dense, sequence_length(ids))


class IndicatorColumn(_Indicator, OfIds, DenseColumn):
    """The number of occurrences of each id of a categorical column."""

    kind = "indicator_column"

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def dense(self, features: FeatureTensors) -> Tensor:
        return self._occurrences(*self.categorical_column.ids(features))

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        """Return the number of occurrences, or the sum of the weights."""
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        return self._occurrences(to_dense(ids, -1), None if weights is None else to_dense(weights))

    def _tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        found: Tensor = transformation_cache.get(self, state_manager)
        return found

    def _occurrences(self, ids: Tensor, weights: Tensor | None) -> Tensor:
        rows = one_hot(ids, self.categorical_column.num_buckets)
        return reduce_sum(rows if weights is None else rows * expand_dims(weights, -1), axis=-2)


class _Embedding(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


class EmbeddingColumn(_Embedding, OfIds, DenseColumn):
    """A combination of the rows of a trainable matrix for the ids of a categorical column."""

    kind = "embedding_column"

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def create_state(self, state_manager: Any) -> None:
        """Create the trainable matrix."""
        state_manager.create_variable(
            self,
            name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=dtypes.float32,
            trainable=self.trainable,
            use_resource=True,
            initializer=self.initializer,
        )

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the feature of the categorical column."""
        return transformation_cache.get(self.categorical_column, state_manager)

    def _tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        table = state_manager.get_variable(self, name="embedding_weights")
        return combined_rows(self, table, ids, weights)


def combined_rows(column: Any, table: Any, ids: SparseTensor, weights: Any) -> Tensor:
    """Return the combination of the rows of a matrix that an embedding column specifies."""
    is_safe = column.use_safe_embedding_lookup or len(ids.shape) > 2
    lookup = safe_embedding_lookup_sparse if is_safe else embedding_lookup_sparse
    return lookup(table, ids, weights, combiner=column.combiner, max_norm=column.max_norm)


class _SequenceNumeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: DType
    normalizer_fn: Any


class SequenceNumericColumn(_SequenceNumeric, SequenceDenseColumn):
    """A feature whose values are sequences of numbers."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def variable_shape(self) -> TensorShape:
        """Shape of one number of the sequence."""
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the numbers as a sparse tensor."""
        value = transformation_cache.get(self.key, state_manager)
        return value if self.normalizer_fn is None else self.normalizer_fn(value)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        sparse = transformation_cache.get(self, state_manager)
        dense = to_dense(sparse, self.default_value)
        steps = reshape(dense, [shape(dense)[0], -1, *self.shape])
        items = math.prod(self.shape) if sparse.shape.rank == 2 else 1
        return TensorSequenceLengthPair(steps, sequence_length(sparse, items))
