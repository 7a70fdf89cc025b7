"""The columns that a mapping of feature configurations reads, with checks of the mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_dtype
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.protos.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)

_SUPPORTED = (dtypes.float32, dtypes.int64, dtypes.string)


@dataclass
class Dense:
    """A column that becomes a dense tensor.

    Attributes:
        dtype: Dtype of the values.
        shape: Shape of one example, or of one block of a sequence.
        is_sequence: True if the number of blocks differs between examples.
        allow_missing: True if an example without the feature has no blocks.
        default: Values for examples without the feature, or the padding of a sequence. None if the
            feature is required.
    """

    dtype: DType
    shape: tuple[int, ...]
    is_sequence: bool = False
    allow_missing: bool = False
    default: Array | None = None


@dataclass
class FeaturePlan:
    """The columns by key: sparse ones, dense ones, and ragged ones with the dtypes of splits."""

    sparse: dict[str, DType] = field(default_factory=dict)
    dense: dict[str, Dense] = field(default_factory=dict)
    ragged: dict[str, tuple[DType, DType]] = field(default_factory=dict)

    def is_static(self) -> bool:
        """Return True if the shapes of the results do not depend on the examples."""
        sequences = any(column.is_sequence for column in self.dense.values())
        return not (self.sparse or self.ragged or sequences)


def plan_of(features: Mapping[str, Any] | None, allowed: tuple[type, ...], op: str) -> FeaturePlan:
    """Return the columns of feature configurations.

    Args:
        allowed: Classes of configurations that the function supports.
        op: Name of the function, for errors.

    Raises:
        ValueError: If a configuration is not supported, is incomplete, or contradicts another one.
        InvalidArgumentError: If a dtype is not supported.
    """
    plan = FeaturePlan()
    for key in sorted(features or {}):
        assert features is not None
        feature = features[key]
        if not isinstance(feature, allowed):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
        _check_complete(key, feature)
        _add(plan, key, feature)
    _check_disjoint(plan)
    for name, kinds in (
        ("Tdense", [column.dtype for column in plan.dense.values()]),
        ("sparse_types", plan.sparse.values()),
    ):
        for dtype in kinds:
            if dtype not in _SUPPORTED:
                raise invalid_dtype(
                    op,
                    f"Value for attr '{name}' of {dtype.name} is not in the list of allowed "
                    "values: float, int64, string",
                )
    return plan


def _check_complete(key: str, feature: Any) -> None:
    if isinstance(feature, SparseFeature):
        for name in ("index_key", "value_key"):
            if not getattr(feature, name):
                raise ValueError(f"Missing {name} for SparseFeature {feature}.")
    end = "" if isinstance(feature, VarLenFeature) else "."
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}{end}")
    if isinstance(feature, FixedLenFeature | FixedLenSequenceFeature) and feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")


def _add(plan: FeaturePlan, key: str, feature: Any) -> None:
    dtype = as_dtype(feature.dtype)
    if isinstance(feature, VarLenFeature):
        _add_sparse(plan, key, dtype)
    elif isinstance(feature, SparseFeature):
        keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
        for index_key in sorted(keys):
            _add_sparse(plan, index_key, dtypes.int64)
        _add_sparse(plan, feature.value_key, dtype)
    elif isinstance(feature, RaggedFeature):
        _add_ragged(plan, feature.value_key or key, (dtype, feature.row_splits_dtype))
        for partition in feature.partitions:
            if not isinstance(partition, UniformRowLength):
                _add_ragged(plan, partition.key, (dtypes.int64, feature.row_splits_dtype))
    else:
        plan.dense[key] = _dense(key, feature, dtype)


def _add_sparse(plan: FeaturePlan, key: str, dtype: DType) -> None:
    found = plan.sparse.setdefault(key, dtype)
    if found != dtype:
        raise ValueError(f"Conflicting type {found} vs {dtype} for feature {key}.")


def _add_ragged(plan: FeaturePlan, key: str, kinds: tuple[DType, DType]) -> None:
    found = plan.ragged.setdefault(key, kinds)
    for name, old, new in zip(("type", "partition type"), found, kinds, strict=True):
        if old != new:
            raise ValueError(f"Conflicting {name} {old} vs {new} for feature {key}.")


def _dense(key: str, feature: FixedLenFeature | FixedLenSequenceFeature, dtype: DType) -> Dense:
    sizes = TensorShape(feature.shape).as_list()
    is_sequence = isinstance(feature, FixedLenSequenceFeature)
    if not is_sequence and sizes and sizes[0] is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature}."
        )
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise ValueError(
            f"All dimensions of shape for feature {key} need to be known but received "
            f"{feature.shape!s}."
        )
    shape = tuple(known)
    missing = isinstance(feature, FixedLenSequenceFeature) and feature.allow_missing
    return Dense(dtype, shape, is_sequence, missing, _default(feature, dtype, shape, is_sequence))


def _default(feature: Any, dtype: DType, shape: tuple[int, ...], is_sequence: bool) -> Array | None:
    """Return the default value of a feature as an array."""
    if feature.default_value is None or dtype not in _SUPPORTED:
        return None
    found = np.asarray(convert_to_tensor(feature.default_value, dtype))
    wanted = () if is_sequence else shape
    if found.size != np.prod(wanted, dtype=int):
        raise invalid(
            "parse_example",
            f"Input to reshape is a tensor with {found.size} values, but the requested shape has "
            f"{np.prod(wanted, dtype=int)}",
        )
    return found.reshape(wanted)


def _check_disjoint(plan: FeaturePlan) -> None:
    for (first, one), (second, two) in (
        (("dense", plan.dense), ("sparse", plan.sparse)),
        (("dense", plan.dense), ("ragged", plan.ragged)),
        (("ragged", plan.ragged), ("sparse", plan.sparse)),
    ):
        both = set(one) & set(two)
        if both:
            raise ValueError(
                f"{first.capitalize()} and {second} keys must not intersect; {first}_keys: "
                f"{list(one)}, {second}_keys: {list(two)}, intersection: {both}"
            )
