"""`tf.experimental.StructuredTensor`: a tensor of structures with named fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Union

from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import DTypeLike, IntLike, ShapeLike
from tfpy._src.library.extension_types.structured import values
from tfpy._src.library.extension_types.structured.base import Path, Structures, map_leaves
from tfpy._src.library.extension_types.structured.cells import empty_cells, merged, without_axes
from tfpy._src.library.extension_types.structured.fields import (
    cells_of_fields,
    checked_fields,
    checked_partitions,
)
from tfpy._src.library.extension_types.structured.spec import StructuresSpec
from tfpy._src.tensors.ragged.row_partitions import RowPartition
from tfpy._src.tensors.ragged.shape import DynamicRaggedShape


class StructuredTensor(Structures):
    """A tensor of structures with the same named fields.

    A structured tensor of shape `[n]` is a table with `n` rows, and its columns are the fields.
    Each field is stored as one tensor, ragged tensor or structured tensor. Its shape begins with
    the shape of the structured tensor, and further axes belong to the field.

    Create one with `from_pyval` from lists and dicts, or with `from_fields` from tensors.
    `tf.shape`, `tf.rank`, `tf.size`, `tf.concat`, `tf.gather`, `tf.expand_dims`, `tf.zeros_like`,
    `tf.ones_like` and `tf.random.shuffle` support structured tensors. Like other extension types,
    they can be passed to `tf.function` and contained in a `tf.data.Dataset`.

    A *path* is a tuple of names that leads to a field of a nested structured tensor.

    Args:
        fields: Dict from the names of the fields to their values.
        ragged_shape: The shape, a `tf.experimental.DynamicRaggedShape`.

    Example:
        >>> import tfpy as tf
        >>> people = tf.experimental.StructuredTensor.from_pyval(
        ...     [{"age": 12, "names": ["Jo"]}, {"age": 82, "names": ["Bob", "Bobby"]}]
        ... )
        >>> people.shape, people.field_value("age").numpy().tolist()
        (TensorShape([2]), [12, 82])
        >>> people[1, "names"].numpy().tolist()
        [b'Bob', b'Bobby']

    See also: `tf.RaggedTensor`, `tf.experimental.BatchableExtensionType`.
    """

    FieldName = Union[str, Sequence[str]]  # noqa: UP007
    Spec = StructuresSpec

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields = fields
        self._cells = empty_cells(ragged_shape)

    # Creation

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Create a structured tensor without fields.

        Args:
            ragged_shape: The shape.

        Returns:
            A `tf.experimental.StructuredTensor`.

        Example:
            >>> import tfpy as tf
            >>> shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
            >>> tf.experimental.StructuredTensor.from_shape(shape).to_pyval()
            [[{}, {}], [{}]]
        """
        return StructuredTensor._made({}, empty_cells(ragged_shape))

    @classmethod
    def from_fields(
        cls,
        fields: Mapping[str, Any],
        shape: ShapeLike = (),
        nrows: IntLike | None = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """Create a structured tensor from the values of its fields.

        Args:
            fields: Dict from names to values: tensors, ragged tensors or structured tensors. Names
                consist of letters, digits and underscores, and begin with a letter.
            shape: Shape of the structured tensor, with which the shapes of all fields begin. The
                sizes can be None. Default: the result is a single structure.
            nrows: Size of the first axis. Default: the size that the fields have.
            row_partitions: Divisions of the structures into rows, one for each axis but the first
                one. Default: the divisions of the fields.
            validate: Has no effect: the shapes of the fields are always checked.

        Returns:
            A `tf.experimental.StructuredTensor`.

        Raises:
            ValueError: If a name is not allowed, the shapes do not agree, or neither the fields nor
                the other arguments specify the shape.
            TypeError: If `fields` is not a dict, or a value is not a tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.experimental.StructuredTensor.from_fields({"a": [1, 2], "b": [3, 4]}, shape=[2])
            <StructuredTensor(
                fields={
                    "a": tf.Tensor([1 2], shape=(2,), dtype=int32),
                    "b": tf.Tensor([3 4], shape=(2,), dtype=int32)},
                shape=(2,))>
        """
        sizes = TensorShape(shape)
        partitions = checked_partitions(sizes, nrows, row_partitions)
        cells = None
        if partitions:
            cells = empty_cells(DynamicRaggedShape.from_row_partitions(partitions))
        elif sizes.rank == 1 and sizes[0] is None and nrows is not None:
            cells = empty_cells([nrows])
        if sizes.is_fully_defined():
            cells = merged(cells, empty_cells(sizes))
        converted = checked_fields(fields)
        cells = merged(cells, cells_of_fields(converted, len(sizes)))
        if cells is None:
            missing = (
                "`nrows`, a fully specified `shape`, or have `fields` if `rank=1`"
                if sizes.rank == 1
                else "row_partitions, a fully specified shape, or have fields if rank > 1"
            )
            raise ValueError(f"Must specify {missing}")
        return StructuredTensor._made(converted, cells)

    @classmethod
    def from_fields_and_rank(
        cls,
        fields: Mapping[str, Any],
        rank: int,
        validate: bool = False,
        dtype: DTypeLike | None = None,
    ) -> StructuredTensor:
        """Create a structured tensor of a given rank from the values of its fields.

        Args:
            fields: Dict from names to values, with at least one item.
            rank: Number of axes of the structured tensor.
            validate: Has no effect: the shapes of the fields are always checked.
            dtype: Has no effect: sizes are always int32.

        Returns:
            A `tf.experimental.StructuredTensor`. Its shape is that of the first `rank` axes of the
            fields.

        Raises:
            ValueError: If there is no field, `rank` is not a positive integer or 0, or the shapes
                do not agree.

        Example:
            >>> import tfpy as tf
            >>> fields = {"x": [1, 2], "y": [[1, 2], [3, 4]]}
            >>> tf.experimental.StructuredTensor.from_fields_and_rank(fields, 1).shape
            TensorShape([2])
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError(f"rank must be an integer, got {rank!r}")
        if rank < 0:
            raise ValueError(f"rank must be nonnegative, got {rank}")
        converted = checked_fields(fields)
        return StructuredTensor._made(converted, cells_of_fields(converted, rank))

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> Any:
        """Create a structured tensor from dicts and lists.

        Args:
            pyval: A dict from names to values, or a nested list of such dicts. The dicts must have
                the same keys. Values can also contain dicts and lists.
            typespec: Spec of the result. Default: dicts become structured tensors, lists become
                ragged tensors if they are nested, and tensors otherwise.

        Returns:
            A `tf.experimental.StructuredTensor`, or a tensor or ragged tensor if there is no dict.

        Raises:
            ValueError: If the dicts are nested at different depths, a value cannot be converted to
                a tensor, or `pyval` does not match `typespec`.
            KeyError: If a dict does not have a key of another dict.

        Example:
            >>> import tfpy as tf
            >>> from_pyval = tf.experimental.StructuredTensor.from_pyval
            >>> from_pyval([{"a": 1, "b": [2]}, {"a": 3, "b": []}]).field_value("b").to_list()
            [[2], []]
        """
        return values.from_python(pyval, typespec, (), cls)

    # Other fields and shapes

    def with_updates(
        self,
        updates: Mapping[str | Sequence[str], Any],
        validate: bool = False,
    ) -> StructuredTensor:
        """Return a structured tensor with other fields.

        Args:
            updates: Dict from names or paths of fields to their new values. A value can be a
                function, which receives the old value and returns the new one, or None, which
                removes the field. Other fields are kept.
            validate: Has no effect: the shapes of the fields are always checked.

        Returns:
            A `tf.experimental.StructuredTensor` of the same shape.

        Raises:
            ValueError: If a path leads to a field of a structure that does not exist, a field that
                is removed or passed to a function does not exist, a field and a field in it are
                both updated, or a value does not have the shape of the structured tensor.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}])
            >>> x.with_updates({"a": lambda a: a * 10, "b": [5, 6]}).to_pyval()
            [{'a': 10, 'b': 5}, {'a': 20, 'b': 6}]
        """
        named = {_path(name): value for name, value in updates.items()}
        for parent, child in pairwise(sorted(named)):
            if child[: len(parent)] == parent:
                raise ValueError(
                    "`StructuredTensor.with_updates` does not allow both parent and child nodes to "
                    f"be updated: parent={parent}, child={child}. If needed you can update child "
                    "nodes in the parent update value."
                )
        changed = self
        for path in sorted(named):
            changed = changed._updated((), path, named[path])
        return changed

    def _updated(self, parents: Path, path: Path, value: Any) -> StructuredTensor:
        """Return a structured tensor with a new value at one path, which begins after `parents`."""
        if not path or not path[0]:
            raise _refused(f"does not allow empty names {(*parents, path)}.")
        fields, name, full = dict(self._fields), path[0], (*parents, path[0])
        if len(path) == 1:
            if name not in fields and value is None:
                raise _refused(f"cannot delete field {full} because it is not present.")
            if name not in fields and callable(value):
                raise _refused(
                    f"cannot update the field {full} because a transforming function was given, "
                    "but that field does not already exist."
                )
            new = value(fields[name]) if callable(value) else value
            fields.pop(name, None) if new is None else fields.update({name: new})
        else:
            fields[name] = self._parent(name, full, path, parents)._updated(full, path[1:], value)
        try:
            converted = checked_fields(fields)
            cells = merged(self._cells, cells_of_fields(converted, self.rank))
        except ValueError as error:
            place = f" for field {parents}" if parents else ""
            raise ValueError(f"`StructuredTensor.with_updates` failed{place}") from error
        return StructuredTensor._made(converted, cells)

    def _parent(self, name: str, full: Path, path: Path, parents: Path) -> StructuredTensor:
        """Return the nested structured tensor that contains an updated field."""
        if name not in self._fields:
            raise _refused(
                f"cannot create new sub-field {parents + path} if parent field {full} is not set."
            )
        parent = self._fields[name]
        if not isinstance(parent, StructuredTensor):
            raise _refused(
                f"cannot create new sub-field {parents + path} if parent structure {full} is not "
                "a `StructuredTensor` that can contain sub-structures -- it is a "
                f"`{type(parent)}`."
            )
        return parent

    def promote(self, source_path: Sequence[str], new_name: str) -> StructuredTensor:
        """Return a structured tensor with a field of a nested structure as an additional field.

        The axes between the two structures are merged into one axis of the new field.

        Args:
            source_path: Path of the field, with at least two names.
            new_name: Name of the new field, which is added to the structure that contains the
                structure of the field.

        Returns:
            A `tf.experimental.StructuredTensor`.

        Raises:
            ValueError: If `source_path` is not a list or tuple of two or more names, or `new_name`
                is not a string.

        Example:
            >>> import tfpy as tf
            >>> x = tf.experimental.StructuredTensor.from_pyval(
            ...     [{"docs": [{"words": [1, 2]}, {"words": [3]}]}, {"docs": [{"words": [7]}]}]
            ... )
            >>> x.promote(("docs", "words"), "all_words").field_value("all_words").to_list()
            [[1, 2, 3], [7]]
        """
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        if not isinstance(source_path, list | tuple):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        *outer, _, _ = source_path
        value = self.field_value(source_path)
        rank = value.shape.rank
        first, last = (self.field_value(p).rank for p in (outer, source_path[:-1]))
        last = min(last, rank - 1)
        if first < last:
            value = map_leaves(lambda leaf: without_axes(leaf, first, last), value)
        return self.with_updates({(*outer, new_name): value})


def _path(name: str | Sequence[str]) -> Path:
    return (name,) if isinstance(name, str) else tuple(name)


def _refused(text: str) -> ValueError:
    return ValueError(f"`StructuredTensor.with_updates` {text}")
