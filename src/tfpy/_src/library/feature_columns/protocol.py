"""The objects with which a layer calls the methods of feature columns.

A layer keeps the features in a `FeatureTransformationCache` and the Variables in a `StateManager`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.primitives import ceil, maximum, not_equal
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.sparse.shaping import reshape as sparse_reshape
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.scattering import gather_nd
from tfpy._src.tensors.array.segments import unsorted_segment_max
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, from_value


class IdWeightPair(NamedTuple):
    """The ids of a categorical column as a sparse tensor, and their weights or None."""

    id_tensor: SparseTensor
    weight_tensor: SparseTensor | None


class TensorSequenceLengthPair(NamedTuple):
    """The tensor of sequences, of shape [batch, steps, ...], and their lengths."""

    dense_tensor: Tensor
    sequence_length: Tensor


class StateManager:
    """The Variables and tables of columns. A layer derives its own class."""

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Callable[..., Any] | None = None,
    ) -> Any:
        """Create a Variable of a column."""
        raise NotImplementedError("StateManager.create_variable")

    def add_variable(self, feature_column: Any, var: Any) -> None:
        """Add a Variable that exists."""
        raise NotImplementedError("StateManager.add_variable")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """Return a Variable of a column."""
        raise NotImplementedError("StateManager.get_var")

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Add a table of a column."""
        raise NotImplementedError("StateManager.add_resource")

    def has_resource(self, feature_column: Any, name: str) -> bool:
        """Return True if a column has a table."""
        raise NotImplementedError("StateManager.has_resource")

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """Return a table of a column."""
        raise NotImplementedError("StateManager.get_resource")


class FeatureTransformationCache:
    """The features of a batch, and what columns have computed of them.

    Args:
        features: Dict from names to dense or sparse tensors.
    """

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._features = {**features}
        self._found: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any, training: bool | None = None) -> Any:
        """Return a feature, or the feature that a column computes.

        Args:
            key: Name of a feature, or a column.
            state_manager: A `StateManager`.
            training: Argument for columns with a method `transform_feature` that takes it.

        Raises:
            ValueError: If the feature is missing or a scalar, or the column computes nothing.
            TypeError: If the key is neither a string nor a column.
        """
        if key not in self._found:
            if key in self._features:
                self._found[key] = _with_columns(key, self._features[key])
            else:
                self._found[key] = self._transformed(key, state_manager, training)
        return self._found[key]

    def _transformed(self, key: Any, state_manager: Any, training: bool | None) -> Any:
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        if not hasattr(key, "transform_feature"):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        try:
            found = key.transform_feature(self, state_manager, training=training)
        except TypeError:
            found = key.transform_feature(self, state_manager)
        if found is None:
            raise ValueError(f"Column {key.name} is not supported.")
        return found


def _with_columns(key: Any, raw: Any) -> Any:
    """Return a feature as a tensor with at least the rank 2."""
    value = from_value(raw)
    feature = value if isinstance(value, SparseTensor) else convert_to_tensor(value)
    if feature.shape.rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
    if feature.shape.rank != 1:
        return feature
    if isinstance(feature, SparseTensor):
        return sparse_reshape(feature, [feature.dense_shape[0], 1])
    return expand_dims(feature, -1)


def sparse_input(value: Any, absent: Any = None) -> SparseTensor:
    """Return a tensor as a sparse tensor without the values that represent missing ones.

    Args:
        value: Dense or sparse tensor.
        absent: Value that represents a missing value. Default: "" for strings, -1 for integers.
    """
    if isinstance(value, SparseTensor):
        return value
    tensor = convert_to_tensor(value)
    if absent is None:
        absent = "" if tensor.dtype == dtypes.string else -1 if tensor.dtype.is_integer else 0
    places = where(not_equal(tensor, convert_to_tensor(absent, tensor.dtype)))
    return SparseTensor(cast(places, dtypes.int64), gather_nd(tensor, places), tensor.shape)


def sequence_length(sequences: SparseTensor, items: int = 1) -> Tensor:
    """Return the number of steps of each sequence.

    Args:
        sequences: Sparse tensor of shape [batch, values, ...].
        items: Number of values of one step.
    """
    rows, steps = sequences.indices[:, 0], cast(sequences.indices[:, 1], dtypes.float32) + 1.0
    last = unsorted_segment_max(steps, rows, sequences.shape[0])
    return cast(ceil(maximum(last, 0.0) / items), dtypes.int64)
