"""The classes of numeric and other dense feature columns."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.feature_columns.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    FeatureTensors,
    Ids,
)
from tfpy._src.library.protos.features import FixedLenFeature, VarLenFeature
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.ranges import range as range_
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, shape
from tfpy._src.tensors.array.slicing import one_hot
from tfpy._src.tensors.array.sorting import upper_bound
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.math.reductions import reduce_sum


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
        value = features.get(self.key)
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

    def _buckets(self, features: FeatureTensors) -> Tensor:
        numbers = self.source_column.dense(features)
        bounds = convert_to_tensor(self.boundaries, dtypes.float32)
        return reshape(upper_bound(bounds, reshape(numbers, [-1])), shape(numbers))

    def dense(self, features: FeatureTensors) -> Tensor:
        return one_hot(self._buckets(features), len(self.boundaries) + 1)

    def ids(self, features: FeatureTensors) -> Ids:
        starts = range_(self.source_column.shape[0]) * (len(self.boundaries) + 1)
        return Ids(self._buckets(features) + starts)


class _Indicator(NamedTuple):
    categorical_column: CategoricalColumn


class IndicatorColumn(_Indicator, DenseColumn):
    """The number of occurrences of each id of a categorical column."""

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
        ids, weights = self.categorical_column.ids(features)
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
    use_safe_embedding_lookup: bool


class EmbeddingColumn(_Embedding, DenseColumn):
    """A combination of the rows of a trainable matrix for the ids of a categorical column."""

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


class _SequenceNumeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: DType
    normalizer_fn: Any


class SequenceNumericColumn(_SequenceNumeric, FeatureColumn):
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
