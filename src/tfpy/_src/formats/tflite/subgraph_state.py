"""The state of a graph of a `.tflite` file between runs: sizes and values of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.graph_model import GraphModel
from tfpy._src.formats.node_graphs.node import named_outputs
from tfpy._src.formats.node_graphs.signatures import ModelSignature
from tfpy._src.formats.raw_ops.resources import Resources
from tfpy._src.formats.tflite.reader.files import ModelFile
from tfpy._src.formats.tflite.reader.tensors import info_of, type_name

Details = dict[str, Any]
_TYPES = {"string": np.bytes_, "bool": np.bool_, "resource": np.object_, "variant": np.object_}


class SubgraphState:
    """A graph of the file with the values of its tensors."""

    def __init__(self, file: ModelFile, number: int, resources: Resources, keeps_all: bool) -> None:
        if not 0 <= number < len(file.graphs):
            raise ValueError(f"The model has no graph {number}; it has {len(file.graphs)}.")
        table, graph = file.tables["subgraphs"][number], file.graphs[number]
        self.tables: list[dict[str, Any]] = table["tensors"]
        self.inputs: list[int] = table["inputs"].tolist()
        self.outputs: list[int] = table["outputs"].tolist()
        self._infos = [info_of(tensor) for tensor in self.tables]
        self._names = file.names[number]
        signature = ModelSignature(
            {spec.name: spec for spec in graph.inputs}, named_outputs(graph.outputs)
        )
        self._model = GraphModel(graph, {"": signature}, resources=resources)
        computed = {name for node in graph.nodes for name in node.outputs}
        self._wanted = [
            index
            for index, name in enumerate(self._names)
            if index in self.outputs or (keeps_all and name in computed)
        ]
        self._shapes = {index: info.shape for index, info in enumerate(self._infos)}
        self._values: dict[int, Array] = {}
        self._is_ready = False
        self._is_resized = False

    def details(self, index: int) -> Details:
        """Return the facts about a tensor."""
        table, info = self.tables[self._checked(index)], self._infos[index]
        parameters = table["quantization"] or {}
        scales = np.array(parameters.get("scale", ()), np.float32)
        zeros = np.array(parameters.get("zero_point", ()), np.int32)
        one = (float(scales[0]), int(zeros[0])) if len(scales) == 1 else (0.0, 0)
        signature = info.shape if info.signature is None else info.signature
        return {
            "name": table["name"],
            "index": index,
            "shape": np.array(self._shapes[index], np.int32),
            "shape_signature": np.array([-1 if n is None else n for n in signature], np.int32),
            "dtype": self._dtype(index),
            "quantization": one,
            "quantization_parameters": {
                "scales": scales,
                "zero_points": zeros,
                "quantized_dimension": parameters.get("quantized_dimension", 0),
                "block_size": 0,
            },
            "sparsity_parameters": {},
        }

    def allocate(self) -> None:
        for index in self.inputs:
            shape = self._shapes[index]
            if index not in self._values or self._values[index].shape != shape:
                self._values[index] = np.zeros(shape, self._array_type(index))
        self._is_ready = True
        if self._is_resized:
            self._is_resized = False
            self._run(lambda index: np.zeros(self._shapes[index], self._array_type(index)))
        for index in self.outputs:
            shape = self._shapes[index]
            self._values.setdefault(index, np.zeros(shape, self._array_type(index)))

    def resize(self, index: int, size: Sequence[int], strict: bool) -> None:
        wanted = tuple(int(n) for n in np.asarray(size).tolist())
        old, info = self._shapes[self._checked(index)], self._infos[index]
        if wanted == old:
            return
        if strict:
            known = info.shape if info.signature is None else info.signature
            for axis, (size_, fixed) in enumerate(zip(wanted, known, strict=False)):
                if fixed is not None and size_ != fixed:
                    raise RuntimeError(
                        f"Attempting to resize dimension {axis} of tensor {index} with value "
                        f"{old[axis]} to {size_}. ResizeInputTensorStrict only allows mutating "
                        "unknown dimensions identified by -1."
                    )
        self._shapes[index] = wanted
        self._is_ready, self._is_resized = False, True

    def set(self, index: int, value: Any) -> None:
        array, table = np.asarray(value), self.tables[self._checked(index)]
        if not self._is_ready:
            raise ValueError(
                "Cannot set tensor: Tensor is unallocated. Try calling allocate_tensors() first"
            )
        wanted, shape = np.dtype(self._array_type(index)), self._shapes[index]
        if wanted != array.dtype and not (wanted.kind == "O" and array.dtype.kind in "OSU"):
            raise ValueError(
                f"Cannot set tensor: Got value of type {array.dtype.name.upper()} but expected "
                f"type {type_name(table['type']).upper()} for input {index}, name: {table['name']} "
            )
        if array.ndim != len(shape):
            raise ValueError(
                f"Cannot set tensor: Dimension mismatch. Got {array.ndim} but expected "
                f"{len(shape)} for input {index}."
            )
        for axis, (found, size) in enumerate(zip(array.shape, shape, strict=True)):
            if found != size:
                raise ValueError(
                    f"Cannot set tensor: Dimension mismatch. Got {found} but expected {size} for "
                    f"dimension {axis} of input {index}."
                )
        self._values[index] = array.astype(wanted)

    def get(self, index: int) -> Array:
        if self._checked(index) in self._values and self._is_ready:
            return self._values[index]
        constant = self._model.weights.get(self._names[index])
        if constant is not None and self._is_ready:
            return np.asarray(constant).astype(self._array_type(index), copy=False)
        if self._is_ready:
            raise ValueError(
                f"The value of tensor {index} is not stored. Pass "
                "experimental_preserve_all_tensors=True to the Interpreter."
            )
        raise ValueError("Tensor data is null. Run allocate_tensors() first")

    def invoke(self) -> None:
        if not self._is_ready:
            raise RuntimeError("Invoke called on model that is not ready.")
        self._run(lambda index: self._values[index])

    def _run(self, value: Callable[[int], Array]) -> None:
        """Compute the values of the outputs, and store them with their shapes."""
        given: dict[str, Any] = {
            self._names[index]: value(index).astype(self._tensor_type(index), copy=False)
            for index in self.inputs
        }
        found = self._model.execute(given, [self._names[index] for index in self._wanted])
        for index, tensor in zip(self._wanted, found, strict=True):
            array = np.asarray(tensor)
            self._values[index] = array.astype(self._array_type(index))
            self._shapes[index] = array.shape

    def _dtype(self, index: int) -> Any:
        name = type_name(self.tables[index]["type"])
        return _TYPES.get(name) or np.dtype(self._infos[index].dtype).type

    def _array_type(self, index: int) -> Any:
        found = self._dtype(index)
        return np.object_ if found is np.bytes_ else found

    def _tensor_type(self, index: int) -> Any:
        return self._infos[index].tensor_dtype.as_numpy_dtype

    def _checked(self, index: int) -> int:
        if not 0 <= index < len(self.tables):
            raise ValueError(
                f"Invalid tensor index {index} exceeds max tensor index {len(self.tables)}"
            )
        return index
