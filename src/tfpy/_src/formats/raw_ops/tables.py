"""Lookup tables, by their handles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import FailedPreconditionError, UnimplementedError
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.resources import named
from tfpy._src.library.lookup.initializers import (
    BytesInitializer,
    KeyValueTensorInitializer,
    TextFileInitializer,
)
from tfpy._src.library.lookup.mutable import MutableHashTable
from tfpy._src.tensors.array.making import fill, zeros


class LookupTable(MutableHashTable):
    """A lookup table of any kind; an immutable one is filled once."""

    def fill(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Add the pairs of an initializer.

        Raises:
            FailedPreconditionError: If the table already has different pairs.
        """
        found = dict(pairs)
        if self._entries.pairs and self._entries.pairs != found:
            raise FailedPreconditionError(
                None, None, "Table was already initialized with other data"
            )
        self._entries.pairs.update(found)

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.pairs.clear()


def _made(key_dtype: Any, value_dtype: Any, value_shape: Any = ()) -> LookupTable:
    kind, sizes = as_dtype(value_dtype), list(value_shape or ())
    default = fill(sizes, constant("")) if kind == dtypes.string else zeros(sizes, kind)
    return LookupTable(key_dtype, kind, default)


def _shared(
    key_dtype: Any, value_dtype: Any, container: str, shared_name: str, value_shape: Any = ()
) -> LookupTable:
    return named(
        "table", container, shared_name, lambda: _made(key_dtype, value_dtype, value_shape)
    )


def _dense(
    empty_key: Any,
    deleted_key: Any = None,
    *,
    value_dtype: Any,
    value_shape: Any,
    container: str = "",
    shared_name: str = "",
) -> LookupTable:
    key = constant(empty_key)
    if key.ndim:
        raise UnimplementedError(
            None, None, "MutableDenseHashTable does not support vectors as keys."
        )
    return _shared(key.dtype, value_dtype, container, shared_name, value_shape)


def _from_file(
    table_handle: Any,
    filename: Any,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: str,
    offset: int,
    data: bytes | None = None,
) -> None:
    """Fill a table from a file, or from the given bytes of the file."""
    size = None if vocab_size < 0 else vocab_size
    keys, values = table_handle.key_dtype, table_handle.value_dtype
    name = convert_to_tensor(filename)
    told = name, keys, key_index, values, value_index, size, delimiter, None, offset
    initializer = TextFileInitializer(*told) if data is None else BytesInitializer(data, *told)
    initializer.initialize(table_handle)


def _initialized(table_handle: Any, keys: Any, values: Any) -> None:
    given = KeyValueTensorInitializer(
        keys, values, table_handle.key_dtype, table_handle.value_dtype
    )
    given.initialize(table_handle)


def _imported(table_handle: Any, keys: Any, values: Any) -> None:
    table_handle.clear()
    table_handle.insert(keys, values)


def _removed(table_handle: Any, keys: Any) -> None:
    table_handle.remove(convert_to_tensor(keys, table_handle.key_dtype))


def _found(table_handle: Any, keys: Any, default_value: Any) -> Tensor:
    return table_handle.lookup(keys, default_value)


op("AnonymousHashTable(; key_dtype, value_dtype) -> table_handle", _made, stateful=True)
op("AnonymousMutableHashTable(; key_dtype, value_dtype) -> table_handle", _made, stateful=True)
op(
    "AnonymousMutableHashTableOfTensors(; key_dtype, value_dtype, value_shape=[]) -> table_handle",
    _made,
    stateful=True,
)
op(
    "AnonymousMutableDenseHashTable(empty_key, deleted_key; value_dtype, value_shape=[], "
    "initial_num_buckets=131072, max_load_factor=0.8) -> table_handle",
    _dense,
    stateful=True,
)
op(
    'HashTable(; key_dtype, value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False) -> table_handle",
    _shared,
    stateful=True,
)
op(
    'HashTableV2(; key_dtype, value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False) -> table_handle",
    _shared,
    stateful=True,
)
op(
    'MutableHashTable(; key_dtype, value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False) -> table_handle",
    _shared,
    stateful=True,
)
op(
    'MutableHashTableV2(; key_dtype, value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False) -> table_handle",
    _shared,
    stateful=True,
)
op(
    'MutableHashTableOfTensors(; key_dtype, value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False, value_shape=[]) -> table_handle",
    _shared,
    stateful=True,
)
op(
    'MutableHashTableOfTensorsV2(; key_dtype, value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False, value_shape=[]) -> table_handle",
    _shared,
    stateful=True,
)
op(
    'MutableDenseHashTable(empty_key; value_dtype, container="", shared_name="", '
    "use_node_name_sharing=False, value_shape=[], initial_num_buckets=131072, "
    "max_load_factor=0.8) -> table_handle",
    _dense,
    stateful=True,
)
op(
    'MutableDenseHashTableV2(empty_key, deleted_key; value_dtype, container="", '
    'shared_name="", use_node_name_sharing=False, value_shape=[], '
    "initial_num_buckets=131072, max_load_factor=0.8) -> table_handle",
    _dense,
    stateful=True,
)
op("InitializeTable(table_handle, keys, values)", _initialized, stateful=True)
op("InitializeTableV2(table_handle, keys, values)", _initialized, stateful=True)
op(
    "InitializeTableFromTextFile(table_handle, filename; key_index, value_index, "
    'vocab_size=-1, delimiter="\t", offset=0)',
    _from_file,
    stateful=True,
)
op(
    "InitializeTableFromTextFileV2(table_handle, filename; key_index, value_index, "
    'vocab_size=-1, delimiter="\t", offset=0)',
    _from_file,
    stateful=True,
)
op(
    "LookupTableExport(table_handle; Tkeys, Tvalues) -> keys, values",
    lambda table_handle: table_handle.export(),
    stateful=True,
)
op(
    "LookupTableExportV2(table_handle; Tkeys, Tvalues) -> keys, values",
    lambda table_handle: table_handle.export(),
    stateful=True,
)
op("LookupTableFind(table_handle, keys, default_value) -> values", _found, stateful=True)
op("LookupTableFindV2(table_handle, keys, default_value) -> values", _found, stateful=True)
op("LookupTableImport(table_handle, keys, values)", _imported, stateful=True)
op("LookupTableImportV2(table_handle, keys, values)", _imported, stateful=True)
op(
    "LookupTableInsert(table_handle, keys, values)",
    lambda table_handle, keys, values: table_handle.insert(keys, values),
    stateful=True,
)
op(
    "LookupTableInsertV2(table_handle, keys, values)",
    lambda table_handle, keys, values: table_handle.insert(keys, values),
    stateful=True,
)
op(
    "LookupTableRemoveV2(table_handle, keys)",
    _removed,
    stateful=True,
)
op("LookupTableSize(table_handle) -> size", lambda table_handle: table_handle.size(), stateful=True)
op(
    "LookupTableSizeV2(table_handle) -> size",
    lambda table_handle: table_handle.size(),
    stateful=True,
)
