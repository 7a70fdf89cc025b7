"""Models in ``.tflite`` files."""

from __future__ import annotations

from typing import Any

from tfpy._src.formats.graph_model import GraphModel, ModelSignature
from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec, named_outputs
from tfpy._src.formats.raw_ops.resources import using
from tfpy._src.formats.tflite.reader.files import ModelFile, read_file
from tfpy._src.formats.tflite.reader.record import GIVES, TAKES
from tfpy._src.library.io.checked_json import ModelFileError


class TFLiteModel(GraphModel):
    """A model of a ``.tflite`` file; see :class:`~tfpy._src.formats.graph_model.GraphModel`.

    What streaming models keep between calls stays until :meth:`reset`.
    """

    def __init__(self, file: ModelFile, **options: Any) -> None:
        graph, signatures = _joined(file)
        metadata = {"description": file.description, **file.metadata}
        super().__init__(graph, signatures, metadata, **options)
        self._file = file
        self.reset()

    def reset(self) -> None:
        """Makes the model forget what it kept of the calls before."""
        with using(self._resources):
            self._file.state.reset(self._file.firsts)


def read_tflite(
    data: bytes, trainable: bool = False, quantize: str | None = None, safe_mode: bool = True
) -> TFLiteModel:
    """The model of a ``.tflite`` file.

    Inputs and outputs have the dtypes that the file says: whole numbers in quantized models.

    Args:
        data: the file's bytes.
        trainable: make the weights that are not quantized Variables, to train the model further.
        quantize: "int8" computes products of the weights in 8 bits where the backend can.
        safe_mode: Refuse operations that act outside of the model.

    Raises:
        ValueError: when the file is broken, or says what is not allowed.
    """
    return TFLiteModel(read_file(data, safe_mode), trainable=trainable, quantize=quantize)


def _joined(file: ModelFile) -> tuple[NodeGraph, dict[str, ModelSignature]]:
    """One graph for all signatures: that which they share, or one that calls theirs."""
    numbers = {one.graph for one in file.signatures.values()}
    if len(numbers) == 1:
        (number,) = numbers
        found = {
            key: ModelSignature(
                one.inputs, one.outputs, structured=bool(key) and len(one.outputs) > 1
            )
            for key, one in file.signatures.items()
        }
        return file.graphs[number], found
    nodes: list[Node] = []
    inputs: list[Spec] = []
    signatures: dict[str, ModelSignature] = {}
    for key, one in file.signatures.items():
        graph = file.graphs[one.graph]
        if {spec.name for spec in one.inputs.values()} != {spec.name for spec in graph.inputs}:
            raise ModelFileError(f"the signature {key!r} lacks inputs of its graph")
        specs = {
            spec.name: Spec(f"{key}/{spec.name}", spec.dtype, spec.shape) for spec in graph.inputs
        }
        names = named_outputs(graph.outputs)
        made = {value: f"{key}/{name}" for name, value in names.items()}
        attrs = {"subgraph": one.graph, TAKES: [None] * len(specs), GIVES: [None] * len(names)}
        takes = tuple(spec.name for spec in specs.values())
        nodes.append(Node(key, "CALL", takes, tuple(f"{key}/{name}" for name in names), attrs))
        inputs.extend(specs.values())
        signatures[key] = ModelSignature(
            {name: specs[spec.name] for name, spec in one.inputs.items()},
            {name: made[value] for name, value in one.outputs.items()},
            structured=len(one.outputs) > 1,
        )
    main = file.graphs[0]
    outputs = tuple(name for node in nodes for name in node.outputs)
    graph = NodeGraph(
        "model", main.dialect, tuple(inputs), outputs, tuple(nodes), functions=main.functions
    )
    return graph, signatures
