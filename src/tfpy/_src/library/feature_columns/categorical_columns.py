"""The classes of categorical feature columns."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import as_string
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.feature_columns.base import CategoricalColumn, FeatureTensors, Ids
from tfpy._src.library.feature_columns.protocol import IdWeightPair, sparse_input
from tfpy._src.library.lookup.initializers import KeyValueTensorInitializer, TextFileInitializer
from tfpy._src.library.lookup.tables import StaticHashTable, StaticVocabularyTable
from tfpy._src.library.protos.features import VarLenFeature
from tfpy._src.library.sparse.conversion import from_dense, to_dense
from tfpy._src.library.sparse.crossing import cross_hashed
from tfpy._src.library.sparse.shaping import reshape
from tfpy._src.library.strings.functions import to_hash_bucket_fast
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


class _KeyColumn(CategoricalColumn):
    """A categorical column of one feature."""

    key: str
    dtype: DType

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    def ids(self, features: FeatureTensors) -> Ids:
        values, present = features.present(self.key)
        self._check(values.dtype)
        return Ids(where(present, self._ids_of(values), -1))

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> SparseTensor:
        """Return the ids of the feature as a sparse tensor."""
        values = sparse_input(transformation_cache.get(self.key, state_manager))
        self._check(values.dtype)
        return values.with_values(cast(self._ids_of(values.values), dtypes.int64))

    def _check(self, dtype: DType) -> None:
        if dtype != dtypes.string and not dtype.is_integer:
            raise ValueError(
                f"column_name: {self.key} input_tensor dtype must be string or integer. "
                f"dtype: {dtype}."
            )
        if (dtype == dtypes.string) != (self.dtype == dtypes.string):
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column "
                f"dtype: {self.dtype}, tensor dtype: {dtype}"
            )

    def _ids_of(self, values: Tensor) -> Tensor:
        raise NotImplementedError


class _Hashed(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: DType


class HashedCategoricalColumn(_Hashed, _KeyColumn):
    """A feature whose values are hashed."""

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def _ids_of(self, values: Tensor) -> Tensor:
        texts = values if values.dtype == dtypes.string else as_string(values)
        return cast(to_hash_bucket_fast(texts, self.hash_bucket_size), dtypes.int32)


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(_Identity, _KeyColumn):
    """A feature whose values are ids."""

    dtype = dtypes.int64

    @property
    def num_buckets(self) -> int:
        return self.number_buckets

    def _check(self, dtype: DType) -> None:
        if not dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {dtype}")

    def _ids_of(self, values: Tensor) -> Tensor:
        values = cast(values, dtypes.int32)
        if self.default_value is not None:
            inside = (values >= 0) & (values < self.number_buckets)
            return where(inside, values, self.default_value)
        return values


class _Looked(_KeyColumn):
    """A feature whose values are looked up in a vocabulary."""

    default_value: Any
    num_oov_buckets: int

    def _initializer(self) -> Any:
        raise NotImplementedError

    @property
    def _lookup_dtype(self) -> DType:
        return dtypes.string if self.dtype == dtypes.string else dtypes.int64

    @cached_property
    def _table(self) -> Any:
        initializer = self._initializer()
        if self.num_oov_buckets:
            return StaticVocabularyTable(
                initializer, self.num_oov_buckets, lookup_key_dtype=self._lookup_dtype
            )
        return StaticHashTable(initializer, self.default_value)

    def _ids_of(self, values: Tensor) -> Tensor:
        keys = values if values.dtype == dtypes.string else cast(values, dtypes.int64)
        return cast(self._table.lookup(keys), dtypes.int32)


class _List(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: DType
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_List, _Looked):
    """A feature whose values are looked up in a list."""

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _initializer(self) -> Any:
        words = convert_to_tensor(self.vocabulary_list, self._lookup_dtype)
        return KeyValueTensorInitializer(
            words, list(range(len(self.vocabulary_list))), value_dtype=dtypes.int64
        )


class _File(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int
    file_format: str | None


class VocabularyFileCategoricalColumn(_File, _Looked):
    """A feature whose values are looked up in a file with one word per line."""

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets

    def _initializer(self) -> Any:
        return TextFileInitializer(
            self.vocabulary_file, self._lookup_dtype, -2, dtypes.int64, -1,
            vocab_size=self.vocabulary_size,
        )  # fmt: skip


class _Weighted(NamedTuple):
    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: DType


class WeightedCategoricalColumn(_Weighted, CategoricalColumn):
    """The ids of a categorical column with weights, which are another feature."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        own = {self.weight_feature_key: VarLenFeature(self.dtype)}
        return self.categorical_column.parse_example_spec | own

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def ids(self, features: FeatureTensors) -> Ids:
        weights, _ = features.present(self.weight_feature_key, 0)
        return Ids(self.categorical_column.ids(features).ids, cast(weights, dtypes.float32))

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        """Return the ids and the weights as sparse tensors."""
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        if weights.dtype != self.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        sparse = sparse_input(weights, 0)
        if not sparse.dtype.is_floating:
            sparse = sparse.with_values(cast(sparse.values, dtypes.float32))
        ids = transformation_cache.get(self.categorical_column, state_manager)
        return IdWeightPair(sparse_input(ids), sparse)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        found: IdWeightPair = transformation_cache.get(self, state_manager)
        return found


class _Crossed(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(_Crossed, CategoricalColumn):
    """The hashed combinations of the values of several features."""

    def _leaves(self) -> list[Any]:
        nested = [k._leaves() if isinstance(k, CrossedColumn) else [k] for k in self.keys]
        return [leaf for leaves in nested for leaf in leaves]

    @property
    def name(self) -> str:
        names = [k if isinstance(k, str) else k.name for k in self._leaves()]
        return "_X_".join(sorted(names))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in self.keys:
            own = {key: VarLenFeature(dtypes.string)} if isinstance(key, str) else None
            found |= own or key.parse_example_spec
        return found

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def ids(self, features: FeatureTensors) -> Ids:
        inputs = []
        for key in self._leaves():
            if isinstance(key, str):
                inputs.append(features.get(key))
                continue
            found = key.ids(features)
            self._check_weights(key, found.weights)
            kept = found.ids[found.ids != -1]
            inputs.append(from_dense(found.ids + 1).with_values(kept))
        crossed = cross_hashed(inputs, self.hash_bucket_size, self.hash_key)
        return Ids(cast(to_dense(crossed, -1), dtypes.int32))

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> SparseTensor:
        """Return the hashes of the crosses as a sparse tensor."""
        inputs = []
        for key in self._leaves():
            if isinstance(key, str):
                inputs.append(transformation_cache.get(key, state_manager))
                continue
            ids, weights = key.get_sparse_tensors(transformation_cache, state_manager)
            self._check_weights(key, weights)
            inputs.append(ids)
        return cross_hashed(inputs, self.hash_bucket_size, self.hash_key)

    def _check_weights(self, key: CategoricalColumn, weights: Any) -> None:
        if weights is not None:
            raise ValueError(
                "crossed_column does not support weight_tensor, but the given column populates "
                f"weight_tensor. Given column: {key.name}"
            )


class _Sequence(NamedTuple):
    categorical_column: CategoricalColumn


class SequenceCategoricalColumn(_Sequence, CategoricalColumn):
    """A categorical column whose values are sequences."""

    @property
    def name(self) -> str:
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the feature of the categorical column."""
        column: Any = self.categorical_column
        return column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        found = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        ids, weights = found
        if ids.shape.rank == 3:
            return found
        batch, steps, *rest = (int(n) for n in ids.shape)
        sizes = [batch, steps, math.prod(rest)]
        return IdWeightPair(
            reshape(ids, sizes), None if weights is None else reshape(weights, sizes)
        )
