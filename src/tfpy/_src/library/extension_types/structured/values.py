"""Conversions of structured tensors from and to dicts and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array.reshaping import shape as shape_of
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec
from tfpy._src.tensors.ragged import making

Path = tuple[str, ...]


def from_python(value: Any, spec: Any, path: Path, kind: Any) -> Any:
    """Convert a value to a structured tensor, tensor or ragged tensor.

    Args:
        value: Nest of dicts, lists and scalars.
        spec: Spec of the result, or None.
        path: Names of the fields that contain the value, for errors.
        kind: The class of structured tensors.

    Raises:
        ValueError: If the value cannot be converted, or does not match the spec.
        KeyError: If a dict does not have a key of another dict.
    """
    if isinstance(value, dict):
        return _of_dict(value, spec, path, kind)
    if not isinstance(value, list | tuple):
        return _of_scalar(value, spec, path)
    keys: dict[str, None] = {}
    rank = _rank(value, keys)
    if rank is None and isinstance(spec, kind.Spec):
        rank = _empty_rank(value)
        if rank is None:
            raise _mismatch(path, value, spec)
    if rank is None:
        return _of_list(value, spec, path)
    return _of_dicts(value, list(keys), rank, spec, path, kind)


def _mismatch(path: Path, value: Any, spec: Any, about: str = "") -> ValueError:
    return ValueError(f"Value at {path!r} does not match typespec{about}: {spec!r} vs {value!r}")


def _rank(value: Any, keys: dict[str, None]) -> int | None:
    """Return the number of lists around the dicts in a value, and collect the keys of the dicts.

    Returns:
        The number, or None if there is no dict.

    Raises:
        ValueError: If the dicts are nested at different depths.
    """
    if isinstance(value, dict):
        keys.update(dict.fromkeys(value))
        return 0
    if not isinstance(value, list | tuple):
        return None
    ranks = {_rank(item, keys) for item in value} - {None}
    if len(ranks) > 1:
        raise ValueError(f"Inconsistent depth of dictionaries in {value!r}")
    return next((1 + rank for rank in ranks if rank is not None), None)


def _empty_rank(value: Any) -> int | None:
    """Return the number of axes of nested empty lists, or None if a list contains a value."""
    if not isinstance(value, list):
        return None
    ranks = [_empty_rank(item) for item in value]
    known = [rank for rank in ranks if rank is not None]
    return 1 + max(known, default=0) if len(known) == len(ranks) else None


def _zeros(value: Any, keys: Sequence[str]) -> Any:
    """Replace each dict in nested lists by 0.

    Raises:
        ValueError: If the lists contain another value.
        KeyError: If a dict does not have a key.
    """
    if isinstance(value, dict):
        missing = [key for key in keys if key not in value]
        if missing:
            raise KeyError(missing[0])
        return 0
    if not isinstance(value, list | tuple):
        raise ValueError(f"Expected dict or nested list/tuple of dict, got {value!r}")
    return [_zeros(item, keys) for item in value]


def _column(value: Any, key: str) -> Any:
    """Replace each dict in nested lists by its value for a key."""
    return value[key] if isinstance(value, dict) else [_column(item, key) for item in value]


def _of_dict(value: Mapping[str, Any], spec: Any, path: Path, kind: Any) -> Any:
    specs: Mapping[str, Any] = dict.fromkeys(value)
    if spec is not None:
        if not isinstance(spec, kind.Spec) or spec.rank != 0 or {*value} != {*spec._fields}:
            raise _mismatch(path, value, spec)
        specs = spec._fields
    fields = {k: from_python(v, specs[k], (*path, k), kind) for k, v in value.items()}
    return kind.from_fields(fields)


def _of_dicts(
    value: Sequence[Any], keys: Sequence[str], rank: int, spec: Any, path: Path, kind: Any
) -> Any:
    """Convert nested lists of dicts to a structured tensor."""
    shape: ShapeLike = [None] * rank
    specs: Mapping[str, Any] = dict.fromkeys(keys)
    if spec is not None:
        if not isinstance(spec, kind.Spec) or {*keys} - {*spec._fields}:
            raise _mismatch(path, value, spec)
        if spec.rank < rank:
            raise _mismatch(path, value, spec, " (rank mismatch)")
        shape, specs = spec.shape, spec._fields
    cells = _zeros(value, keys)
    columns = {key: _column(value, key) if key in keys else [] for key in specs}
    fields = {k: from_python(v, specs[k], (*path, k), kind) for k, v in columns.items()}
    try:
        if fields or spec is not None:
            return kind.from_fields(fields, shape)
        ragged: Any = making.constant(cells, np.int32, ragged_rank=rank - 1)
        ragged_shape: Any = shape_of(ragged)
        return kind.from_shape(ragged_shape)
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error


def _of_list(value: Sequence[Any], spec: Any, path: Path) -> Tensor | RaggedTensor:
    """Convert nested lists of scalars to a tensor or ragged tensor."""
    try:
        if spec is None:
            return making.constant(value)
        if isinstance(spec, TensorSpec):
            found: Tensor | RaggedTensor = constant(value, spec.dtype)
        elif isinstance(spec, RaggedTensorSpec):
            inner = spec.shape[spec.ragged_rank + 1 :].as_list()
            found = making.constant(value, spec.dtype, spec.ragged_rank, inner)
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error
    if not isinstance(spec, TensorSpec | RaggedTensorSpec) or not (
        spec.shape.is_compatible_with(found.shape)
    ):
        raise _mismatch(path, value, spec)
    return found


def _of_scalar(value: Any, spec: Any, path: Path) -> Tensor:
    if spec is not None and not (isinstance(spec, TensorSpec) and spec.shape.rank == 0):
        raise _mismatch(path, value, spec)
    try:
        return constant(value, None if spec is None else spec.dtype)
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error


def to_python(value: Any) -> Any:
    """Convert a structured tensor to nested lists of dicts.

    Raises:
        ValueError: If it contains symbolic tensors.
    """
    cells = value._cells
    fields = {name: value.field_value(name) for name in value.field_names()}
    if any(is_symbolic(x) for x in (cells, *fields.values())):
        raise ValueError("StructuredTensor.to_pyval() is only supported in eager mode.")
    columns = {name: _as_python(field) for name, field in fields.items()}
    return _regrouped(_as_python(cells), columns)


def _as_python(value: Any) -> Any:
    """Convert the value of a field. Scalars of tensors are NumPy scalars."""
    if isinstance(value, RaggedTensor):
        return value.to_list()
    if isinstance(value, Tensor):
        found = value.numpy()
        return found.tolist() if isinstance(found, np.ndarray) else found
    return to_python(value) if hasattr(value, "field_names") else value


def _regrouped(cells: Any, columns: Mapping[str, Any]) -> Any:
    """Convert columns to one dict for each cell."""
    if not isinstance(cells, list):
        return dict(columns)
    return [
        _regrouped(cell, {name: column[i] for name, column in columns.items()})
        for i, cell in enumerate(cells)
    ]
