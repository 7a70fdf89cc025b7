"""The base class of structured tensors: their axes and access to their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, Union

from tfpy._src.base.dtypes import DType
from tfpy._src.core.operand import Dispatched
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.extension_types.construction import created
from tfpy._src.library.extension_types.extension_type import BatchableExtensionType, ExtensionType
from tfpy._src.library.extension_types.fields import ImmutableDict
from tfpy._src.library.extension_types.structured import values
from tfpy._src.library.extension_types.structured.cells import (
    axis_of,
    divided,
    partitioned,
    partitions_of,
    row_total,
    without_axes,
)
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged.row_partitions import RowPartition

Path = tuple[str, ...]


class Structures(BatchableExtensionType, Dispatched):
    """Structures with the same fields, arranged along axes that the fields share.

    The cells are a tensor or ragged tensor with a zero for each structure.
    """

    _tf_extension_type_do_not_transform_this_class = True

    _fields: Mapping[str, Union[RaggedTensor, ExtensionType, Tensor]]  # noqa: UP007
    _cells: Union[RaggedTensor, Tensor]  # noqa: UP007

    @classmethod
    def _made(cls, fields: Mapping[str, Any], own_cells: Any) -> Self:
        """Create structures from fields that are tensors, and their cells.

        The cells are divided into rows if the fields are, so that equal arguments of functions and
        elements of datasets have equal specs.
        """
        is_ragged = any(isinstance(getattr(v, "_cells", v), RaggedTensor) for v in fields.values())
        kept = divided(own_cells) if is_ragged else own_cells
        made: Self = created(cls, {"_fields": ImmutableDict(fields), "_cells": kept})
        return made

    # Properties

    @property
    def rank(self) -> int:
        """Number of axes of the structured tensor. Axes of fields do not count."""
        return int(self._cells.ndim)

    @property
    def shape(self) -> TensorShape:
        """Shape of the structured tensor, in which the size of a ragged axis is None."""
        return self._cells.shape

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """Divisions of the structures into rows, one for each axis but the first one."""
        return partitions_of(self._cells)

    def nrows(self) -> Tensor | None:
        """Return the size of the first axis.

        Returns:
            Scalar int32 tensor, or None if the rank is 0.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}])
            >>> int(x.nrows())
            2
        """
        rows: Tensor | None = row_total(self._cells)
        return rows

    def field_names(self) -> Path:
        """Return the names of the fields.

        Returns:
            Tuple of strings.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.StructuredTensor.from_pyval({"a": 1, "b": 2}).field_names()
            ('a', 'b')
        """
        return tuple(self._fields)

    def field_value(self, field_name: str | Sequence[str]) -> Any:
        """Return the value of a field.

        Args:
            field_name: Name of the field, or the path of a field of a nested structured tensor.

        Returns:
            A tensor, ragged tensor or structured tensor. Its shape begins with the shape of the
            structured tensor.

        Raises:
            KeyError: If there is no such field.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": {"b": 1}}, {"a": {"b": 2}}])
            >>> x.field_value(("a", "b")).numpy().tolist()
            [1, 2]
        """
        if isinstance(field_name, str):
            return self._fields[field_name]
        value: Any = self
        for name in field_name:
            if not isinstance(value, Structures):
                raise KeyError(f"Field path {field_name} not found in {self}")
            value = value.field_value(name)
        return value

    # Other axes

    def partition_outer_dimension(self, row_partition: RowPartition) -> Self:
        """Divide the first axis into rows.

        Args:
            row_partition: The division, a `tf.experimental.RowPartition`.

        Returns:
            A `tf.experimental.StructuredTensor` with one axis more.

        Raises:
            TypeError: If `row_partition` is not a `tf.experimental.RowPartition`.
            ValueError: If the rank is 0.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}, {"a": 3}])
            >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
            >>> x.partition_outer_dimension(rows).to_pyval()
            [[{'a': 1}, {'a': 2}], [], [{'a': 3}]]
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if self.rank == 0:
            raise ValueError(f"Shape {self.shape} must have rank at least 1")
        return self._mapped(lambda leaf: partitioned(leaf, row_partition))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Self:
        """Merge adjacent axes into one axis.

        Args:
            outer_axis: First axis to merge. Negative values count from the end.
            inner_axis: Last axis to merge. Negative values count from the end.

        Returns:
            A `tf.experimental.StructuredTensor`.

        Raises:
            ValueError: If `outer_axis` is after `inner_axis`, or an axis does not exist.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval([[{"a": 1}, {"a": 2}], [{"a": 3}]])
            >>> x.merge_dims(0, 1).to_pyval()
            [{'a': 1}, {'a': 2}, {'a': 3}]
        """
        outer = axis_of(outer_axis, self.rank, "outer_axis")
        inner = axis_of(inner_axis, self.rank, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
                f"({inner_axis})"
            )
        return self._mapped(lambda leaf: without_axes(leaf, outer, inner))

    def with_shape_dtype(self, dtype: DType) -> Self:
        """Return the structured tensor itself, because sizes are always int32.

        Args:
            dtype: Has no effect.

        Returns:
            The structured tensor.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": 1}])
            >>> x.with_shape_dtype(tf.int64).shape
            TensorShape([1])
        """
        return self

    def _mapped(self, function: Callable[[Any], Any]) -> Self:
        """Apply a function to the cells and to all tensors in the fields."""
        fields = {name: map_leaves(function, value) for name, value in self._fields.items()}
        return self._made(fields, function(self._cells))

    # Python values

    def to_pyval(self) -> Any:
        """Convert the structured tensor to dicts and lists.

        Returns:
            A dict from names of fields to their values, or a nested list of such dicts.

        Raises:
            ValueError: If a `tf.function` is being traced.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.StructuredTensor.from_fields({"a": [1, 2]}, [2]).to_pyval()
            [{'a': 1}, {'a': 2}]
        """
        return values.to_python(self)

    def __getitem__(self, key: Any) -> Any:
        keys = tuple(key) if isinstance(key, list | tuple) else (key,)
        if not keys:
            return self
        own: Mapping[str, Any] = self._fields
        axes, rest = keys[: self.rank], keys[self.rank :]
        if not rest:
            for item in axes:
                _check_key(item)
            fields = {name: value[axes] for name, value in own.items()}
            return self._made(fields, self._cells[axes])
        name = rest[0]
        if isinstance(name, str | bytes):
            return own[_text(name)][axes + rest[1:]]
        if self.rank == 0 and isinstance(name, slice) and name == slice(None):
            fields = {label: value[rest[1:]] for label, value in own.items()}
            return self._made(fields, self._cells)
        expected = "a string" if self.rank else "a string or a full slice (':')"
        raise ValueError(f"Key for indexing a StructuredTensor must be {expected}")

    def __repr__(self) -> str:
        shown = (
            f'"{name}": {value!s}'.replace("\n", "\n            ")
            for name, value in sorted(self._fields.items(), key=lambda item: item[0])
        )
        fields = ",\n        ".join(shown)
        return f"<StructuredTensor(\n    fields={{\n        {fields}}},\n    shape={self.shape})>"


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to a field, or to the fields and cells of structures."""
    return value._mapped(function) if isinstance(value, Structures) else function(value)


def _text(name: str | bytes) -> str:
    return name if isinstance(name, str) else name.decode()


def _check_key(key: Any) -> None:
    """Raise a ValueError unless a key of an axis is an integer or a slice."""
    if key is None or key is Ellipsis or not isinstance(key, slice | int | Tensor):
        shown = "tf.newaxis" if key is None else repr(key)
        raise ValueError(f"Slicing not supported for {shown}")
