"""The main graph of a SavedModel: handles of Variables, calls of signatures, and the saver.

Programs that do not read the object graph (TensorFlow Serving, TensorFlow 1, `tf.models.load`) use
this graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.checkpoints.saved_models.constants import PREDICT_METHOD_NAME
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.encodings.protobuf_writer import chunk, integer
from tfpy._src.formats.tensorflow.writer.binary import (
    constant_proto,
    node_proto,
    pair,
    shape_proto,
    shapes_attribute,
)
from tfpy._src.formats.tensorflow.writer.nodes import Func
from tfpy._src.functions.tf_function.signature import TensorSpec

_PRODUCER = 1882
"""Version of TensorFlow's graphs that the nodes follow."""
_SAVER, _SAVED = "saver_filename", "save_result"
_RESTORE_ALL = "restore_all"
_INITIALIZATION = "init"
_OWN = (_SAVER, _SAVED, _RESTORE_ALL, _INITIALIZATION, "save", "restore")
_INITIALIZATION_KEY = "__saved_model_init_op"


@dataclass(frozen=True)
class SavedValue:
    """A Variable in the main graph.

    Attributes:
        name: Name of the Variable.
        key: Key of the value in the checkpoint.
        dtype: Dtype in the file.
        shape: Shape.
    """

    name: str
    key: str
    dtype: DType
    shape: tuple[int | None, ...]


@dataclass
class MainGraph:
    """The main graph while it is built."""

    nodes: list[bytes] = field(default_factory=list)
    signatures: list[bytes] = field(default_factory=list)
    _taken: set[str] = field(default_factory=lambda: set(_OWN))
    _handles: dict[int, str] = field(default_factory=dict)
    _values: list[tuple[str, SavedValue]] = field(default_factory=list)
    _starting: list[str] = field(default_factory=list)

    def name(self, wanted: str) -> str:
        """Return a name that no node has."""
        found, number = wanted, 0
        while found.lower() in self._taken:
            number += 1
            found = f"{wanted}_{number}"
        self._taken.add(found.lower())
        return found

    def add(
        self, name: str, op: str, inputs: Iterable[str] = (), attrs: Mapping[str, Any] | None = None
    ) -> str:
        """Add a node and return its name, which must be free."""
        self.nodes.append(node_proto(name, op, inputs, attrs))
        return name

    def constant(self, name: str, array: Array, dtype: DType | None = None) -> str:
        """Add a constant and return its name."""
        found = self.name(name)
        self.nodes.append(constant_proto(found, array, dtype))
        return found

    def variable(self, number: int, value: SavedValue) -> None:
        """Add the handle of a Variable, which has the given number in the object graph."""
        name = self.name(value.name)
        attrs = {
            "dtype": value.dtype,
            "shape": chunk(7, shape_proto(value.shape)),
            "shared_name": name,
            "container": "",
        }
        self._handles[number] = self.add(name, "VarHandleOp", (), attrs)
        self._values.append((name, value))

    def table(self, number: int, op: str, attrs: Mapping[str, Any]) -> None:
        """Add the node that creates a table, which has the given number in the object graph."""
        self._handles[number] = self.add(self.name("table"), op, (), attrs)

    def asset(self, name: str) -> bytes:
        """Add the path of an asset as a constant, and return the AssetFileDef."""
        node = self.constant("asset_path", np.array(name.encode(), object), dtypes.string)
        info = chunk(1, f"{node}:0") + integer(2, dtypes.string.as_datatype_enum) + chunk(3, b"")
        return chunk(1, info) + chunk(2, name)

    def starting(self, function: str, captured: Sequence[int], types: Sequence[DType]) -> None:
        """Call a function when the model is initialized."""
        name = self.name("StatefulPartitionedCall")
        inputs = [self._handles[number] for number in captured]
        attrs = {"Tin": list(types), "Tout": [dtypes.int32], "f": Func(function)}
        self._starting.append(self.add(name, "StatefulPartitionedCall", inputs, attrs))

    def signature(
        self,
        key: str,
        function: str,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        captured: Sequence[tuple[int, DType]],
    ) -> None:
        """Add a call of a signature's function, and its SignatureDef.

        Args:
            key: Name of the signature.
            function: Name of the function in the library.
            inputs: Named specs of its arguments.
            outputs: Named specs of its results.
            captured: Numbers of the objects that follow the arguments, with their dtypes.
        """
        given = []
        infos = []
        for spec in inputs:
            node = self.name(f"{key}_{spec.name}")
            shape = chunk(7, shape_proto(spec.shape))
            self.add(node, "Placeholder", (), {"dtype": spec.dtype, "shape": shape})
            given.append(node)
            infos.append(pair(1, str(spec.name), _info(node, spec)))
        types = [*(spec.dtype for spec in inputs), *(dtype for _, dtype in captured)]
        call = self.name("StatefulPartitionedCall")
        attrs = {
            "Tin": types,
            "Tout": [spec.dtype for spec in outputs],
            "f": Func(function),
            "_output_shapes": shapes_attribute(_sizes(spec) for spec in outputs),
        }
        handles = (self._handles[number] for number, _ in captured)
        self.add(call, "StatefulPartitionedCall", [*given, *handles], attrs)
        for i, spec in enumerate(outputs):
            infos.append(pair(2, str(spec.name), _info(call, spec, i)))
        infos.append(chunk(3, PREDICT_METHOD_NAME))
        self.signatures.append(pair(5, key, b"".join(infos)))

    def finish(self) -> bytes:
        """Add the saver and the initialization, and return the SaverDef."""
        self.add(_INITIALIZATION, "NoOp", [f"^{name}" for name in self._starting])
        info = chunk(1, _INITIALIZATION) + chunk(3, integer(3, 1))
        signature = pair(2, _INITIALIZATION_KEY, info)
        self.signatures.append(pair(5, _INITIALIZATION_KEY, signature))
        path = {"dtype": dtypes.string, "shape": chunk(7, b"")}
        self.add(_SAVER, "Placeholder", (), path)
        self._save()
        self._restore()
        fields = ((1, f"{_SAVER}:0"), (2, f"{_SAVED}:0"), (3, _RESTORE_ALL))
        return b"".join(chunk(i, text) for i, text in fields) + integer(7, 2)

    def _save(self) -> None:
        keys, values = [], []
        for name, value in self._values:
            node = self.name(f"{name}/Read/ReadVariableOp")
            values.append(self.add(node, "ReadVariableOp", [name], {"dtype": value.dtype}))
            keys.append(value.key)
        names, slices = self._names("save", keys)
        waits = []
        if values:
            types = [value.dtype for _, value in self._values]
            self.add("save", "SaveV2", [_SAVER, names, slices, *values], {"dtypes": types})
            waits = ["^save"]
        self.add(_SAVED, "Identity", [_SAVER, *waits], {"T": dtypes.string})

    def _restore(self) -> None:
        assigned = []
        if self._values:
            names, slices = self._names("restore", [value.key for _, value in self._values])
            types = [value.dtype for _, value in self._values]
            self.add("restore", "RestoreV2", [_SAVER, names, slices], {"dtypes": types})
            for i, (handle, value) in enumerate(self._values):
                source = f"restore:{i}" if i else "restore"
                node = self.name(f"{handle}/Assign")
                self.add(node, "AssignVariableOp", [handle, source], {"dtype": value.dtype})
                assigned.append(f"^{node}")
        self.add(_RESTORE_ALL, "NoOp", assigned)

    def _names(self, base: str, keys: Sequence[str]) -> tuple[str, str]:
        names = self.constant(f"{base}/tensor_names", np.array(keys, object), dtypes.string)
        empty = np.full(len(keys), "", object)
        return names, self.constant(f"{base}/shape_and_slices", empty, dtypes.string)

    def encoded(self, functions: Iterable[bytes], gradients: Mapping[str, str]) -> bytes:
        """Return the GraphDef with a library of functions.

        Args:
            functions: Encoded functions.
            gradients: Names of functions for custom gradients, by the types that refer to them.
        """
        library = b"".join(chunk(1, function) for function in functions)
        for kind, name in gradients.items():
            library += chunk(3, chunk(1, name) + chunk(2, kind))
        versions = integer(1, _PRODUCER) + integer(2, 12)
        nodes = (chunk(1, node) for node in self.nodes)
        return b"".join([*nodes, chunk(2, library), chunk(4, versions)])


def _sizes(spec: TensorSpec) -> list[int | None] | None:
    return None if spec.shape.rank is None else spec.shape.as_list()


def _info(node: str, spec: TensorSpec, output: int = 0) -> bytes:
    """Encode the TensorInfo of an output of a node."""
    shape = chunk(3, shape_proto(spec.shape))
    return chunk(1, f"{node}:{output}") + integer(2, spec.dtype.as_datatype_enum) + shape
