"""The base classes of feature columns, and the tensors of features that they use.

The ids of a categorical column are a dense tensor, in which -1 represents a missing id.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.compat import initializers
from tfpy._src.library.feature_columns import protocol
from tfpy._src.library.sparse.conversion import to_dense
from tfpy._src.tensors.array.making import ones
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, shape
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, from_value


class Ids(NamedTuple):
    """The ids of a categorical feature with shape [batch, n], and their weights or None."""

    ids: Tensor
    weights: Tensor | None = None


class FeatureColumn:
    """Base class of all feature columns."""

    _is_v2_column = True

    @property
    def name(self) -> str:
        """Name of the column."""
        raise NotImplementedError

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Configuration of the features for `tf.io.parse_example`, by name."""
        raise NotImplementedError

    @property
    def parents(self) -> list[Any]:
        """Columns and names of features that this column uses."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Return the fields of the column as a dict, in which columns are dicts as well.

        Returns:
            A dict from the names of the fields to their values.
        """
        named: Any = self
        return {name: _configured(value) for name, value in named._asdict().items()}

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None,
        columns_by_name: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Return the column that `get_config` describes.

        Args:
            config: Dict from the names of the fields to their values.
            custom_objects: Functions and classes by their names in `config`.
            columns_by_name: Columns that exist, by their classes and names, such as
                `"NumericColumn:price"`. New columns are added.

        Returns:
            A column of the class.

        Raises:
            ValueError: If the dict does not have the names of the fields.
        """
        fields: Any = cls
        config = {**fields._field_defaults, **config}
        if set(config) != set(fields._fields):
            raise ValueError(f"Invalid config: {config}, expected keys: {fields._fields}")
        known = {} if columns_by_name is None else columns_by_name
        made = {k: _restored(k, v, custom_objects or {}, known) for k, v in config.items()}
        return cls(**made)

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)


def _configured(value: Any) -> Any:
    if inspect.isfunction(value):
        return value.__name__
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if isinstance(value, DType):
        return value.name
    if type(value) is tuple and any(isinstance(item, FeatureColumn) for item in value):
        return tuple(map(_configured, value))
    return value


def _restored(field: str, value: Any, custom: Mapping[str, Any], known: dict[str, Any]) -> Any:
    """Return the value of a field from a configuration."""
    if field == "dtype":
        return as_dtype(value)
    if field in ("normalizer_fn", "initializer") and isinstance(value, str):
        return custom[value]
    if isinstance(value, Mapping) and "class_name" in value:
        return _object(value["class_name"], value["config"], custom, known)
    if isinstance(value, list | tuple):
        return tuple(_restored("", item, custom, known) for item in value)
    return value


def _object(
    name: str, config: Mapping[str, Any], custom: Mapping[str, Any], known: dict[str, Any]
) -> Any:
    """Return a column or an initializer from its configuration."""
    kind: Any = next((c for c in _subclasses(FeatureColumn) if c.__name__ == name), None)
    if kind is None:
        return custom.get(name, vars(initializers).get(name)).from_config(config)
    made = kind.from_config(config, custom, known)
    return known.setdefault(f"{name}:{made.name}", made)


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for found in kind.__subclasses__():
        yield found
        yield from _subclasses(found)


class DenseColumn(FeatureColumn):
    """Base class of columns that produce a dense tensor."""

    @property
    def variable_shape(self) -> TensorShape:
        """Shape of the tensor, without the batch dimension."""
        raise NotImplementedError

    def dense(self, features: FeatureTensors) -> Tensor:
        """Return the tensor of the column for features, of shape [batch, ...]."""
        raise NotImplementedError

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        """Return the tensor of the column for a layer.

        Args:
            transformation_cache: A `FeatureTransformationCache`.
            state_manager: A `StateManager`.

        Returns:
            Tensor of shape [batch, ...].
        """
        found: Tensor = transformation_cache.get(self, state_manager)
        return found


class SequenceDenseColumn(FeatureColumn):
    """Base class of columns that produce dense tensors of sequences."""

    TensorSequenceLengthPair: ClassVar[Any] = protocol.TensorSequenceLengthPair

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> protocol.TensorSequenceLengthPair:
        """Return the tensor of the column for a layer, and the lengths of the sequences.

        Args:
            transformation_cache: A `FeatureTransformationCache`.
            state_manager: A `StateManager`.

        Returns:
            Tensor of shape [batch, steps, ...], and int64 tensor of shape [batch].
        """
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """Base class of columns that produce ids."""

    IdWeightPair: ClassVar[Any] = protocol.IdWeightPair

    @property
    def num_buckets(self) -> int:
        """Number of different ids."""
        raise NotImplementedError

    def ids(self, features: FeatureTensors) -> Ids:
        """Return the ids of the column for features."""
        raise NotImplementedError

    def get_sparse_tensors(
        self, transformation_cache: Any, state_manager: Any
    ) -> protocol.IdWeightPair:
        """Return the ids of the column for a layer.

        Args:
            transformation_cache: A `FeatureTransformationCache`.
            state_manager: A `StateManager`.

        Returns:
            Sparse int64 tensor of ids, and their weights as a sparse tensor or None.
        """
        return protocol.IdWeightPair(transformation_cache.get(self, state_manager), None)


class FeatureTensors:
    """The tensors of features by name, in the form that columns use.

    Args:
        tensors: Dict from names to dense or sparse tensors.
    """

    def __init__(self, tensors: Mapping[str, Any]) -> None:
        self._tensors = tensors

    def get(self, key: str) -> Any:
        """Return a feature, which has at least the rank 2.

        Raises:
            ValueError: If the feature is missing or a scalar.
        """
        if key not in self._tensors:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        value = from_value(self._tensors[key])
        if isinstance(value, SparseTensor):
            return value
        tensor = convert_to_tensor(value)
        if tensor.ndim == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
        return expand_dims(tensor, -1) if tensor.ndim == 1 else tensor

    def present(self, key: str, absent: Any = None) -> tuple[Tensor, Tensor]:
        """Return a feature as a dense matrix, with a bool matrix of the values that are present.

        Args:
            key: Name of the feature.
            absent: Value that represents a missing value. Default: "" for strings, -1 for integers.
        """
        value = self.get(key)
        if isinstance(value, SparseTensor):
            mask = to_dense(value.with_values(ones(shape(value.values), dtypes.int32)))
            return to_dense(value), mask > 0
        if absent is None:
            absent = "" if value.dtype == dtypes.string else -1
        tensor = reshape(value, [shape(value)[0], -1]) if value.ndim > 2 else value
        return tensor, tensor != convert_to_tensor(absent, tensor.dtype)


def size_of(shape: Iterable[int | None]) -> int:
    """Return the number of elements of a column's shape."""
    return math.prod(n or 0 for n in shape)
