"""Models in `.tflite` files."""

from __future__ import annotations

from typing import Any

from tfpy._src.formats.graph_model import GraphModel, ModelSignature
from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec, named_outputs
from tfpy._src.formats.raw_ops.resources import using
from tfpy._src.formats.tflite.reader.files import ModelFile, read_file
from tfpy._src.formats.tflite.reader.record import GIVES, TAKES
from tfpy._src.library.io.checked_json import ModelFileError


class TFLiteModel(GraphModel):
    """A model of a `.tflite` file; see `GraphModel`.

    The state of a streaming model persists between calls until `reset` is called.
    """

    def __init__(self, file: ModelFile, **options: Any) -> None:
        graph, signatures = _joined(file)
        metadata = {"description": file.description, **file.metadata}
        super().__init__(graph, signatures, metadata, **options)
        self._file = file
        self.reset()

    def reset(self) -> None:
        """Reset the state that the model keeps between calls."""
        with using(self._resources):
            self._file.state.reset(self._file.firsts)


def read_tflite(
    data: bytes, trainable: bool = False, quantize: str | None = None, safe_mode: bool = True
) -> TFLiteModel:
    """Load the model of a `.tflite` file.

    Inputs and outputs have the dtypes in the file: integers in quantized models.

    Args:
        data: Content of the file.
        trainable: If True, weights that are not quantized become Variables, for further training.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.
        safe_mode: If True, operations that act outside of the model are rejected.

    Returns:
        A TFLiteModel.

    Raises:
        ValueError: If the file is corrupt or contains rejected operations.
    """
    return TFLiteModel(read_file(data, safe_mode), trainable=trainable, quantize=quantize)


def _joined(file: ModelFile) -> tuple[NodeGraph, dict[str, ModelSignature]]:
    """Return one graph for all signatures.

    It is the graph that they share, or a graph that calls all of their graphs.
    """
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
            raise ModelFileError(f"The signature {key!r} does not have the inputs of its graph.")
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
