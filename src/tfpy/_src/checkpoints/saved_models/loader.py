"""The objects of a SavedModel that is being loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.base.errors import NotFoundError
from tfpy._src.checkpoints.messages import OBJECT_GRAPH, SavedNode, nodes_in
from tfpy._src.checkpoints.objects import VARIABLE_VALUE
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.saved_models.assets import Asset
from tfpy._src.checkpoints.saved_models.constants import (
    ASSETS_DIRECTORY,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tfpy._src.checkpoints.saved_models.loaded_gradients import CUSTOM, SavedGradients
from tfpy._src.checkpoints.saved_models.messages import LoadedNode, object_graph
from tfpy._src.checkpoints.saved_models.objects import (
    DICT,
    LIST,
    SIGNATURE_MAP,
    TUPLE,
    SignatureMap,
)
from tfpy._src.checkpoints.saved_models.options import LoadOptions
from tfpy._src.checkpoints.saved_models.restored import RestoredConcreteFunction, RestoredFunction
from tfpy._src.checkpoints.saved_models.structures import decoded, parameters_in
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.formats.raw_ops.resources import Resources
from tfpy._src.formats.tensorflow.reader.graph import read_graph
from tfpy._src.formats.tensorflow.reader.saved_model import operations
from tfpy._src.formats.tensorflow.reader.values import dtype, shape
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.gfile import translated
from tfpy._src.library.protos.wire import MAX_DEPTH
from tfpy._src.tensors.variables.distribution import VariableAggregation, VariableSynchronization
from tfpy._src.tensors.variables.tracking import DictWrapper, ListWrapper, Tracked
from tfpy._src.tensors.variables.variable import Variable

_CONTAINERS = {LIST: ListWrapper, DICT: DictWrapper, SIGNATURE_MAP: SignatureMap}


class RestoredObject(Tracked):
    """An object of a SavedModel, with the attributes of the saved object."""


class RestoredTable(Tracked):
    """A lookup table of a SavedModel, which functions of the model use.

    Attributes:
        resource_handle: The table.
    """

    resource_handle: Any = None


class Loader:
    """The objects of a SavedModel while they are created.

    Args:
        message: MetaGraphDef of the model.
        folder: Folder of the model.
        options: Options of `load`.
        size: Number of bytes of the file.
    """

    def __init__(
        self, message: Mapping[str, Any], folder: str, options: LoadOptions, size: int
    ) -> None:
        self._message, self._folder, self._options = message, folder, options
        self._nodes, self._saved = object_graph(message["object_graph_def"])
        self._resources: Resources = {}
        self._assets: dict[str, bytes] = {}
        graph = message.get("graph_def", {"node": []})
        gradients = SavedGradients(graph, self._saved, self._nodes)
        dialect = operations(self._assets, more={CUSTOM: gradients.run})
        self._graph = read_graph(graph, (), dialect=dialect, size=size)
        self._library = gradients.connected(self._graph.functions)
        self._gradients = gradients
        self._concrete = {name: self._function(name) for name in self._saved}
        self._objects: dict[int, Any] = {}
        self._reader = None if options.experimental_skip_checkpoint else self._checkpoint()
        self._keys = self._saved_keys()

    def _function(self, name: str) -> RestoredConcreteFunction:
        saved, library = self._saved[name], self._library
        if name not in library:
            raise ModelFileError(f"The SavedModel has no function {name!r}.")
        signature = decoded(saved.inputs, f"the signature of {name}")
        is_pair = isinstance(signature, tuple) and len(signature) == 2
        if not is_pair or not isinstance(signature[0], tuple) or not isinstance(signature[1], dict):
            raise ModelFileError(f"The signature of {name} is not a pair of arguments.")
        result = decoded(saved.outputs, f"the result of {name}")
        return RestoredConcreteFunction(
            name, library[name], library, signature, result, self._resources
        )

    def load(self) -> Any:
        """Create all objects and return the root."""
        self._restore_variables()
        makers = {"constant": self._constant, "asset": self._asset, "resource": self._table}
        for kind, make in makers.items():
            for i, node in enumerate(self._nodes):
                if node.kind == kind:
                    self._objects[i] = make(node)
        for name in self._concrete:
            if not self._gradients.computes(name):
                self._capture(name)
        self._gradients.captured = self._captured
        for i in range(len(self._nodes)):
            self._object(i)
        for i, node in enumerate(self._nodes):
            self._attach(self._objects[i], node)
        self._initialize()
        return self._objects[0]

    # Values

    def _restore_variables(self) -> None:
        """Create the Variables with their values in the checkpoint.

        Raises:
            ModelFileError: If the checkpoint does not have a value.
        """
        for i, node in enumerate(self._nodes):
            if node.kind == "variable":
                self._objects[i] = self._variable(node, self._saved_value(i, VARIABLE_VALUE))

    def _saved_value(self, number: int, attribute: str, part: str = "") -> Array | None:
        """Return a value of an object in the checkpoint, or None if there is none."""
        key = self._keys.get(number, {}).get(attribute)
        if self._reader is None or not key or not self._reader.has_tensor(key + part):
            return None
        found: Array = self._reader.part(key + part)
        return found

    def _checkpoint(self) -> CheckpointReader | None:
        try:
            return CheckpointReader(
                os.path.join(self._folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
            )
        except NotFoundError:
            return None  # a model without Variables

    def _saved_keys(self) -> dict[int, dict[str, str]]:
        """Return the keys in the checkpoint by attribute, by the numbers of the objects.

        Objects of the two files correspond if the same attributes lead to them.
        """
        if self._reader is None or not self._reader.has_tensor(OBJECT_GRAPH):
            return {}
        saved: list[SavedNode] = nodes_in(self._reader.get_tensor(OBJECT_GRAPH))
        places = {0: 0}
        todo = [0]
        while todo:
            i = todo.pop()
            for name, child in self._nodes[i].children.items():
                place = saved[places[i]].children.get(name)
                if place is not None and child not in places:
                    places[child] = place
                    todo.append(child)
        return {i: saved[place].attributes for i, place in places.items()}

    def _variable(self, node: LoadedNode, array: Array | None) -> Variable:
        message = node.message
        name = message.get("name") or None
        number = int(message.get("dtype", 0))
        kind = dtype(number, f"the Variable {name!r}")
        sizes = shape(message.get("shape", {"dim": []}), f"the Variable {name!r}")
        if kind is None:
            raise ModelFileError(f"The Variable {name!r} has no dtype.")
        if array is None:
            skips = self._options.experimental_skip_checkpoint
            if not skips and not self._options.allow_partial_checkpoint:
                raise ModelFileError(f"The SavedModel has no value for the Variable {name!r}.")
            array = np.zeros([n or 0 for n in sizes or ()], kind.as_numpy_dtype)
        try:
            synchronization = VariableSynchronization(int(message.get("synchronization", 0)))
            aggregation = VariableAggregation(int(message.get("aggregation", 0)))
        except ValueError as error:
            raise ModelFileError(f"The Variable {name!r} is invalid: {error}.") from None
        try:
            made = Variable(
                array, trainable=bool(message.get("trainable", False)), name=name, dtype=kind,
                shape=sizes, synchronization=synchronization, aggregation=aggregation,
            )  # fmt: skip
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"The Variable {name!r} is invalid: {error}") from None
        return made

    def _constant(self, node: LoadedNode) -> Tensor:
        name = node.message.get("operation", "")
        if name not in self._graph.weights:
            raise ModelFileError(f"The SavedModel has no constant {name!r}.")
        return constant(self._graph.weights[name])

    def _asset(self, node: LoadedNode) -> Asset:
        number, files = int(node.message.get("index", 0)), self._message["asset_file_def"]
        if not 0 <= number < len(files):
            raise ModelFileError(f"The SavedModel has no asset with the number {number}.")
        name = checked_path(files[number].get("filename", ""), "an asset")
        return Asset(os.path.join(self._folder, ASSETS_DIRECTORY, name))

    def _captured(self, number: int, function: str) -> Any:
        """Return the value of an object that a function captures."""
        node = self._nodes[number]
        value: Any = self._objects.get(number)
        if node.kind == "asset":
            return value.asset_path
        if node.kind == "resource":
            return value.resource_handle
        if node.kind not in ("variable", "constant"):
            raise ModelFileError(
                f"The function {function} captures an object of the kind {node.kind}, which tfpy "
                "cannot load."
            )
        return value

    def _capture(self, name: str) -> None:
        self._concrete[name].capture([self._captured(i, name) for i in self._saved[name].bound])

    # Tables

    def _table(self, node: LoadedNode) -> RestoredTable:
        found = RestoredTable()
        create = self._own_function(node, "_create_resource")
        if create is None:
            raise ModelFileError("The SavedModel has a resource that no function creates.")
        (found.resource_handle,) = create.run_once()
        return found

    def _own_function(self, node: LoadedNode, name: str) -> RestoredConcreteFunction | None:
        """Return the function of a resource, with the values that it captures."""
        number = node.children.get(name)
        names = [] if number is None else self._nodes[number].message.get("concrete_functions", [])
        if not names:
            return None
        if names[0] not in self._concrete:
            raise ModelFileError(f"The SavedModel has no function {names[0]!r}.")
        self._capture(names[0])
        return self._concrete[names[0]]

    def _initialize(self) -> None:
        """Fill the tables, from assets if they read any."""
        for found in self._objects.values():
            if isinstance(found, Asset) and os.path.isfile(found.path):
                with translated(found.path), open(found.path, "rb") as file:
                    self._assets[found.path] = file.read()
        for i, node in enumerate(self._nodes):
            if node.kind == "resource":
                fill = self._own_function(node, "_initialize")
                if fill is not None:
                    fill.run_once()
                keys, values = (self._saved_value(i, "table", p) for p in ("-keys", "-values"))
                if keys is not None and values is not None:
                    self._objects[i].resource_handle.insert(constant(keys), constant(values))
        self._assets.clear()

    # Functions and containers

    def _object(self, number: int, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise ModelFileError(f"Tuples are nested more than {MAX_DEPTH} levels deep.")
        if number not in self._objects:
            node = self._nodes[number]
            if node.kind == "user_object" and node.message.get("identifier") == TUPLE:
                self._objects[number] = ()  # in case the tuple contains itself
                self._objects[number] = tuple(self._object(i, depth + 1) for i in _items(node))
            else:
                self._objects[number] = self._made(node)
        return self._objects[number]

    def _made(self, node: LoadedNode) -> Any:
        match node.kind:
            case "function":
                return self._restored(node)
            case "bare_concrete_function":
                return self._bare(node)
            case "captured_tensor":
                return None  # a value of a function, which exists while the function runs
            case "user_object":
                kind = _CONTAINERS.get(node.message.get("identifier", ""))
                if kind is ListWrapper:
                    return ListWrapper([])
                return type("_UserObject", (RestoredObject,), {})() if kind is None else kind()
        raise ModelFileError(f"tfpy cannot load objects of the kind {node.kind}.")

    def _restored(self, node: LoadedNode) -> RestoredFunction:
        names = node.message["concrete_functions"]
        for name in names:
            if name not in self._concrete:
                raise ModelFileError(f"The SavedModel has no function {name!r}.")
        spec = node.message.get("function_spec", {})
        what = f"the function {names[0] if names else ''}"
        signature = decoded(spec.get("input_signature", {"none": {}}), what)
        return RestoredFunction(
            "restored_function_body", parameters_in(spec, what), signature,
            [self._concrete[name] for name in names],
        )  # fmt: skip

    def _bare(self, node: LoadedNode) -> RestoredConcreteFunction:
        name = node.message.get("name", "")
        if name not in self._concrete:
            raise ModelFileError(f"The SavedModel has no function {name!r}.")
        found = self._concrete[name]
        found.set_keywords(node.message["keywords"], int(node.message.get("positional", 0)))
        if "function_spec" in node.message:
            spec = node.message["function_spec"]
            found.set_parameters(parameters_in(spec, f"the function {name}"))
        return found

    def _attach(self, found: Any, node: LoadedNode) -> None:
        """Add the objects that an object holds to it."""
        children = {name: self._objects[i] for name, i in node.children.items()}
        if isinstance(found, ListWrapper):
            found.wrapped.extend(self._objects[i] for i in _items(node))
        elif isinstance(found, dict):
            found.update(children)
        elif isinstance(found, RestoredObject):
            for name, child in children.items():
                if name == "__call__":
                    setattr(type(found), name, _calling)
                vars(found)[name] = child


def _calling(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the function that the saved object had as its `__call__`."""
    return vars(self)["__call__"](*args, **kwargs)


def _items(node: LoadedNode) -> list[int]:
    """Return the numbers of the items of a list or tuple, in order."""
    named = [(int(name), i) for name, i in node.children.items() if name.isdecimal()]
    return [i for _, i in sorted(named)]
