"""`tf.saved_model.save`: the writer of SavedModels."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.version import VERSION_OF_TENSORFLOW
from tfpy._src.checkpoints import messages, objects
from tfpy._src.checkpoints.objects import TrackedValue, add_values, variable_of
from tfpy._src.checkpoints.saved_models import signatures as naming
from tfpy._src.checkpoints.saved_models.assets import Asset
from tfpy._src.checkpoints.saved_models.constants import (
    ASSETS_DIRECTORY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tfpy._src.checkpoints.saved_models.functions import WrittenFunction, written
from tfpy._src.checkpoints.saved_models.gradients import CapturedTensor
from tfpy._src.checkpoints.saved_models.graph import MainGraph, SavedValue
from tfpy._src.checkpoints.saved_models.objects import (
    ObjectNode,
    SignatureMap,
    concrete_entry,
    encoded_object,
    identity,
    nodes_of,
)
from tfpy._src.checkpoints.saved_models.options import SaveOptions
from tfpy._src.checkpoints.saved_models.tables import SavedTable
from tfpy._src.checkpoints.writing import write
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.library.io.gfile import path_text, translated
from tfpy._src.library.lookup.tables import LookupInterface


def save(
    obj: Any,
    export_dir: PathLike,
    signatures: Callable[..., Any] | Mapping[str, Callable[..., Any]] | None = None,
    options: SaveOptions | None = None,
) -> None:
    """Write an object with its Variables and compiled functions as a SavedModel.

    The folder can be loaded by `tf.saved_model.load` in tfpy and in TensorFlow, and by TensorFlow
    Serving. A function is written with one graph for each signature for which it has been traced.
    Give it an `input_signature`, or call `get_concrete_function` before saving. A dimension of None
    stays unknown in the file. Tensors that a function captures become constants of its graph.

    Args:
        obj: `tf.Module`, `tf.train.Checkpoint` or Keras model. Its Variables, functions, modules,
            lists, dicts, tables and assets are saved.
        export_dir: Folder to write to. It is created if it does not exist.
        signatures: Function, or dict from names to functions, that programs such as TensorFlow
            Serving call. Each one must be a `tf.function` with an `input_signature`, or a concrete
            function. A single function has the name `"serving_default"`. Default: the function of
            `obj` if it has exactly one with an `input_signature`.
        options: `tf.saved_model.SaveOptions`. Default: default options.

    Raises:
        ValueError: If `obj` is not trackable, if a signature is not valid, or if a function cannot
            be written for an unknown dimension.
        AssertionError: If a function uses a Variable that `obj` does not hold.
        tf.errors.UnimplementedError: If TensorFlow's graphs cannot express an operation.

    Example:
        >>> import tfpy as tf
        >>> class Line(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.slope = tf.Variable(2.0)
        ...
        ...     @tf.function(input_signature=[tf.TensorSpec([None])])
        ...     def __call__(self, x):
        ...         return self.slope * x
        >>> tf.saved_model.save(Line(), "line_model")
        >>> print(tf.saved_model.load("line_model")([1.0, 3.0]).numpy())
        [2. 6.]

    See also: `tf.saved_model.load`, `tf.train.Checkpoint`, `tf.save_graph_model`.
    """
    if tracing.local.active:
        raise AssertionError(
            "tf.saved_model.save is not supported when graph building. Call it outside of a "
            "tf.function."
        )
    if not objects.is_trackable(obj):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    folder = path_text(export_dir)
    with translated(folder):
        os.makedirs(os.path.join(folder, ASSETS_DIRECTORY), exist_ok=True)
    exported = _Export(obj, signatures, options or SaveOptions())
    data = exported.encoded()
    write(os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME), exported.values)
    with translated(folder):
        for name, path in exported.assets.items():
            shutil.copyfile(path, os.path.join(folder, ASSETS_DIRECTORY, name))
        replace_file(os.path.join(folder, SAVED_MODEL_FILENAME_PB), data)


class _Export:
    """A SavedModel that is being written.

    Args:
        root: The object.
        signatures: Argument of `save`.
        options: Options of `save`.
    """

    def __init__(self, root: Any, signatures: Any, options: SaveOptions) -> None:
        self._options = options
        self._functions: dict[int, WrittenFunction] = {}
        self._concrete: list[ConcreteFunction] = []  # keeps the ids of functions valid
        self._graph = MainGraph()
        self._map = SignatureMap()
        self._tables: list[SavedTable] = []
        self._tensors: dict[CapturedTensor, int] = {}  # that custom gradients capture
        self.assets: dict[str, str] = {}
        """Paths of the files to copy, by their names in the folder."""
        found = naming.canonical(root, signatures)
        for key, function in found.items():
            self._map[key] = naming.wrapper(key, function, self._written(function))
        self._nodes = nodes_of(root, self._map)
        self._numbers = {_identity(node.value): i for i, node in enumerate(self._nodes)}
        self.values, keys = _values(root)
        for i, node in enumerate(self._nodes):
            self._enter(i, node, keys)

    def _written(self, function: ConcreteFunction) -> WrittenFunction:
        """Return a concrete function in the form of the library."""
        found = self._functions.get(id(function))
        if found is None:
            name = f"__inference_{_plain(function.name)}_{len(self._functions)}"
            found = written(function, name, self._options.experimental_custom_gradients)
            self._functions[id(function)] = found
            self._concrete.append(function)
        return found

    def _enter(self, number: int, node: ObjectNode, keys: Mapping[int, str]) -> None:
        """Add an object to the main graph, or write it if it is a function."""
        variable = variable_of(node.value)
        if variable is not None:
            shape = tuple(variable.shape.as_list())
            value = SavedValue(variable._shared_name, keys[id(variable)], variable.dtype, shape)
            self._graph.variable(number, value)
        elif isinstance(node.value, SavedTable):
            self._graph.table(number, *node.value.node)
            self._tables.append(node.value)
        elif isinstance(node.value, ConcreteFunction):
            self._written(node.value)

    def _bound(self, function: WrittenFunction) -> list[int]:
        """Return the numbers of the Variables and tensors that a function captures."""
        return [self._number(value, function.name) for value in function.captured]

    def _number(self, captured: Any, function: str) -> int:
        if isinstance(captured, CapturedTensor):
            return len(self._nodes) + self._tensors.setdefault(captured, len(self._tensors))
        found = self._numbers.get(id(captured))
        if found is None:
            raise AssertionError(
                f"Tried to export a function which references an 'untracked' resource. "
                f"TensorFlow objects (e.g. tf.Variable) captured by functions must be 'tracked' by "
                f"assigning them to an attribute of a tracked object or assigned to an attribute "
                f"of the main object directly. The function is {function}, the resource "
                f"{getattr(captured, 'name', 'a lookup table')!r}."
            )
        return found

    def encoded(self) -> bytes:
        """Return the bytes of `saved_model.pb`."""
        wrappers = [one.function for one in self._map.values()]
        filling = [one.fill.written for one in self._tables]
        creating = [one.create.written for one in self._tables]
        functions = [*self._functions.values(), *wrappers, *creating, *filling]
        gradients = {k: v for one in functions for k, v in one.gradients.items()}
        for one in filling:
            self._graph.starting(one.name, self._bound(one), [dtypes.resource])
        for key, one in zip(self._map, wrappers, strict=True):
            captured = [(number, dtypes.resource) for number in self._bound(one)]
            self._graph.signature(key, one.name, one.inputs, one.outputs, captured)
        nodes = (
            chunk(1, encoded_object(node, lambda f: self._written(f).name, self._asset))
            for node in self._nodes
        )
        objects = [*nodes]  # also finds the assets
        entries = [concrete_entry(f, self._bound(f)) for f in (*functions, *gradients.values())]
        objects += (chunk(1, one.encoded()) for one in self._tensors)
        files = [chunk(6, self._graph.asset(name)) for name in self.assets]
        saver = self._graph.finish()
        messages = (message for one in functions for message in one.all_messages)
        graph = self._graph.encoded(messages, {k: one.name for k, one in gradients.items()})
        tags = (chunk(4, tag) for tag in (SERVING, *self._options.extra_tags))
        info = b"".join([*tags, chunk(5, VERSION_OF_TENSORFLOW), integer(7, 1)])
        parts = [chunk(1, info), chunk(2, graph), chunk(3, saver), *self._graph.signatures]
        parts += [*files, chunk(7, b"".join([*objects, *entries]))]
        return integer(1, SAVED_MODEL_SCHEMA_VERSION) + chunk(2, b"".join(parts))

    def _asset(self, asset: Asset) -> int:
        """Return the number of an asset, and note that its file must be copied."""
        base = os.path.basename(asset.path)
        stem, ending = os.path.splitext(base)
        name, number = base, 0
        while self.assets.get(name, asset.path) != asset.path:
            number += 1
            name = f"{stem}_{number}{ending}"
        self.assets[name] = asset.path
        return [*self.assets].index(name)


def _identity(value: Any) -> int:
    return id(value.entries) if isinstance(value, SavedTable) else identity(value)


def _plain(name: str) -> str:
    """Return a name with letters, digits and underscores only."""
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in name) or "function"


def _values(root: Any) -> tuple[list[TrackedValue], dict[int, str]]:
    """Return the contents of the checkpoint, and the keys of Variables by their ids."""
    nodes = objects.nodes_of(root, {})
    keys: dict[int, str] = {}
    for node in nodes:
        if isinstance(node.value, LookupInterface):
            continue  # the entries of tables are constants
        add_values(node)
        variable = variable_of(node.value)
        if variable is not None:
            (value,) = node.values[objects.VARIABLE_VALUE]
            value.dtype = variable.dtype.as_datatype_enum
            keys.setdefault(id(variable), value.key)
    graph = np.empty((), object)
    graph[()] = messages.written(nodes)
    found = [value for node in nodes for some in node.values.values() for value in some]
    text = dtypes.string.as_datatype_enum
    ordered = sorted(found, key=lambda value: value.key)
    return [TrackedValue(messages.OBJECT_GRAPH, text, graph), *ordered], keys
