"""Lookup tables in SavedModels: look-ups in functions, and functions that create and fill tables.

The entries become constants of the file, also those that come from a vocabulary file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType, int32, resource
from tfpy._src.checkpoints.saved_models.functions import Body, WrittenFunction
from tfpy._src.formats.graph_writing.emitter import FileNode, NodeValue, unsupported
from tfpy._src.formats.tensorflow.writer.binary import (
    constant_proto,
    function_proto,
    node_proto,
)
from tfpy._src.formats.tensorflow.writer.whole import SAVED
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.lookup.entries import Entries, LookUp, array_of
from tfpy._src.library.lookup.tables import LookupInterface, StaticHashTable

_INT64 = DType("int64", 8, 9)
CREATE, FILL = "_create_resource", "_initialize"
_NAMES = {True: "HashTableV2", False: "MutableHashTableV2"}
_FILLING = {
    True: ("InitializeTableV2", ("Tkey", "Tval")),
    False: ("LookupTableImportV2", ("Tin", "Tout")),
}
"""Operations that fill tables that are static or mutable, and their attributes for dtypes."""


@SAVED.record("host_call")
def _host_call(w: Body, *values: NodeValue, function: Any, avals: Any) -> Any:
    if isinstance(function, LookUp):
        return _look_up(w, function.entries, values)
    entries = getattr(function, "__self__", None)
    if isinstance(entries, Entries):
        return _size(w, entries)
    raise unsupported("a call of a Python function", "a SavedModel contains no Python code")


def _look_up(w: Body, entries: Entries, values: tuple[NodeValue, ...]) -> list[NodeValue]:
    keys = values[0]
    default = values[1] if len(values) > 1 else w.constant(entries.default.host_view())
    if default.aval is not None and default.rank:
        raise unsupported("a look-up with a default value for each key", "pass one default value")
    name = w.fresh("LookupTableFindV2")
    output, dtype = f"{name}:values:0", entries.default.dtype
    given = [w.handle(entries), keys.name, default.name]
    types = {"Tin": entries.key_dtype, "Tout": dtype}
    w.nodes.append(FileNode("LookupTableFindV2", name, given, [output], types))
    return [NodeValue(output, dtype)]


def _size(w: Body, entries: Entries) -> list[NodeValue]:
    name = w.fresh("LookupTableSizeV2")
    output = f"{name}:size:0"
    w.nodes.append(FileNode("LookupTableSizeV2", name, [w.handle(entries)], [output], {}))
    wide = NodeValue(output, _INT64)
    return [w.cast(wide, w.result[0].dtype)]


@dataclass(frozen=True)
class TableFunction:
    """A function that creates or fills a table, as an object of the program."""

    written: WrittenFunction


@dataclass(frozen=True)
class SavedTable:
    """A table in the form of the file.

    Attributes:
        entries: Entries of the table.
        create: Function that creates the table.
        fill: Function that adds the entries.
        node: Operation and attributes of the node that creates the table.
    """

    entries: Entries
    create: TableFunction
    fill: TableFunction
    node: tuple[str, dict[str, Any]]


def saved_table(table: LookupInterface, number: int) -> SavedTable:
    """Return the form of a table in a file.

    Args:
        table: The table.
        number: Number of the table, which becomes part of its name.

    Raises:
        UnimplementedError: If keys or values are vectors.
    """
    entries = table.entries
    assert entries is not None
    if entries.default.ndim or any(isinstance(key, tuple) for key in entries.pairs):
        raise unsupported("a table whose keys or values are vectors", "use scalars")
    is_static = isinstance(table, StaticHashTable)
    value_dtype = entries.default.dtype
    attrs = {
        "key_dtype": entries.key_dtype,
        "value_dtype": value_dtype,
        "shared_name": f"table_{number}",
        "container": "",
        "use_node_name_sharing": True,
    }
    op = _NAMES[is_static]
    made = node_proto("table", op, (), attrs)
    name = f"__inference__creator_{number}"
    outputs = [("identity", resource, "table:table_handle:0")]
    message = function_proto(name, [], outputs, [made], ["table"])
    handle = TensorSpec((), resource)
    create = WrittenFunction(name, [], [handle], ((), {}), handle, [], [message])
    count = len(entries.pairs)
    keys = array_of(list(entries.pairs), (count,), entries.key_dtype)
    values = array_of(list(entries.pairs.values()), (count,), value_dtype)
    filling, names = _FILLING[is_static]
    types = dict(zip(names, (entries.key_dtype, value_dtype), strict=True))
    given = ["resource", "keys:output:0", "values:output:0"]
    nodes = [
        constant_proto("keys", keys, entries.key_dtype),
        constant_proto("values", values, value_dtype),
        node_proto("fill", filling, given, types),
        constant_proto("done", np.array(1, np.int32)),
        node_proto("Identity", "Identity", ["done:output:0", "^fill"], {"T": int32}),
    ]
    name = f"__inference__initializer_{number}"
    outputs = [("identity", int32, "Identity:output:0")]
    message = function_proto(name, [("resource", resource, ())], outputs, nodes, ["fill"])
    done = TensorSpec((), int32)
    fill = WrittenFunction(name, [], [done], ((), {}), done, [entries], [message])
    return SavedTable(entries, TableFunction(create), TableFunction(fill), (op, attrs))
