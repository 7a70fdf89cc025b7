"""Graphs with their collections as messages MetaGraphDef."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from tfpy._src.base.version import GIT_VERSION, VERSION_OF_TENSORFLOW
from tfpy._src.checkpoints.graph_saver import restored_keys, without_saver
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.tensorflow.importing import add_nodes, checked_mapping
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.protos.graphs import GraphDef
from tfpy._src.library.protos.message import DecodeError
from tfpy._src.library.protos.meta_graphs import CollectionDef, MetaGraphDef, VariableDef
from tfpy._src.tensors.variables.distribution import VariableAggregation, VariableSynchronization


def meta_graph_of(
    graph: Graph, graph_def: GraphDef | None = None, keys: Any = None
) -> MetaGraphDef:
    """Return a graph with its collections as a message.

    Args:
        graph: The graph.
        graph_def: The graph as a message. Default: the message of `graph`.
        keys: Names of the collections. Default: all collections.
    """
    found = MetaGraphDef()
    found.meta_info_def.tensorflow_version = VERSION_OF_TENSORFLOW
    found.meta_info_def.tensorflow_git_version = GIT_VERSION
    found.graph_def.CopyFrom(
        graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    )
    for key in graph.get_all_collection_keys() if keys is None else keys:
        items = graph.get_collection(key)
        collection = _collection_def(items)
        if collection is not None:
            found.collection_def[key].CopyFrom(collection)
        elif items:
            logging.getLogger("tensorflow").warning(
                "The collection %r is not exported, because a file cannot contain its objects.", key
            )
    return found


def _collection_def(items: list[Any]) -> CollectionDef | None:
    """Return a collection as a message, or None if its objects have no form in messages."""
    found = CollectionDef()
    for kinds, enter in _KINDS:
        if items and all(isinstance(item, kinds) for item in items):
            enter(found, items)
            return found
    return None


_KINDS: tuple[tuple[Any, Any], ...] = (
    (GraphVariable, lambda m, xs: m.bytes_list.value.extend(map(_variable_bytes, xs))),
    ((Tensor, Operation), lambda m, xs: m.node_list.value.extend(x.name for x in xs)),
    (str, lambda m, xs: m.bytes_list.value.extend(x.encode() for x in xs)),
    (bytes, lambda m, xs: m.bytes_list.value.extend(xs)),
    (int, lambda m, xs: m.int64_list.value.extend(xs)),
    (float, lambda m, xs: m.float_list.value.extend(xs)),
)
"""Types of objects, and functions that enter them in a CollectionDef."""


def _variable_bytes(variable: GraphVariable) -> bytes:
    return variable_def_of(variable).SerializeToString()


def variable_def_of(variable: GraphVariable) -> VariableDef:
    """Return the names of a Variable's nodes as a message."""
    initial = variable.initial_value
    name = variable.op.name
    return VariableDef(
        variable_name=f"{name}:0",
        initial_value_name=getattr(initial, "name", f"{name}/initial_value:0"),
        initializer_name=variable.initializer.name if variable.initializer else "",
        snapshot_name=f"{name}/Read/ReadVariableOp:0",
        is_resource=True,
        trainable=variable.trainable,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
    )


class ImportedMetaGraph:
    """The nodes and collections of a MetaGraphDef after they were added to the default graph.

    The nodes that read and write checkpoints are left out, because `Saver` does not need them.

    Args:
        message: The message.
        import_scope: Prefix of the names. Default: no prefix.
        input_map: Tensors that replace tensors of the message, by name.
        assets: Contents of the files that nodes may read, by path.

    Attributes:
        graph: The graph.
        restored: Variables that the message's saver restores, by their keys in checkpoints.
    """

    def __init__(
        self,
        message: MetaGraphDef,
        import_scope: str | None,
        input_map: Mapping[str, Any] | None = None,
        assets: Mapping[str, bytes] | None = None,
    ) -> None:
        self.graph = get_default_graph()
        self._prefix = ""
        if import_scope:
            self._prefix = f"{self.graph.unique_name(import_scope, mark_as_used=False)}/"
        mapping = checked_mapping(input_map)
        add_nodes(without_saver(message.graph_def), mapping, import_scope or "", assets)
        self._variables = {
            v.op.name: v for v in self.graph.variables if isinstance(v, GraphVariable)
        }
        for key in sorted(message.collection_def):
            self._enter(key, message.collection_def[key])
        nodes = restored_keys(message.graph_def, message.saver_def)
        named = {key: self._variables.get(self._prefix + node) for key, node in nodes.items()}
        self.restored = {key: value for key, value in named.items() if value is not None}

    def element(self, name: str) -> Any:
        """Return a tensor, operation or Variable by its name in the message.

        Raises:
            KeyError: If the graph has no such element.
        """
        node = self._prefix + name
        variable = self._variables.get(node.removesuffix(":0"))
        if ":" in name and variable is not None and not variable.op.outputs:
            return variable
        return self.graph.as_graph_element(node)

    def _enter(self, key: str, collection: Any) -> None:
        """Add the objects of a collection to the graph."""
        kind = collection.WhichOneof("kind")
        if kind is None:
            return
        for value in getattr(collection, kind).value:
            if kind == "node_list":
                self._add(key, value)
                continue
            variable = self._variable(value) if kind == "bytes_list" else None
            self.graph.add_to_collection(key, value if variable is None else variable)

    def _add(self, key: str, name: str) -> None:
        try:
            self.graph.add_to_collection(key, self.element(name))
        except KeyError:
            logging.getLogger("tensorflow").warning(
                "The object %r of the collection %r is not in the graph.", name, key
            )

    def _variable(self, data: bytes) -> GraphVariable | None:
        """Return the Variable that a message in a collection describes, if it describes one."""
        try:
            found = VariableDef.FromString(data)
        except DecodeError:
            return None
        variable = self._variables.get(self._prefix + found.variable_name.partition(":")[0])
        if variable is not None:
            variable.trainable = found.trainable
            variable.synchronization = VariableSynchronization(found.synchronization)
            variable.aggregation = VariableAggregation(found.aggregation)
            if found.initial_value_name:
                variable.initial_value = self.element(found.initial_value_name)
        return variable
