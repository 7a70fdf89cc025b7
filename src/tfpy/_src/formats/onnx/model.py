"""ONNX files as `GraphModel`s."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.graph_model import GraphModel, ModelSignature
from tfpy._src.formats.model_files import ModelFiles
from tfpy._src.formats.node_graphs.node import named_outputs
from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.formats.onnx.reader.dialect import ONNX
from tfpy._src.formats.onnx.reader.files import read_onnx
from tfpy._src.formats.onnx.reader.proto import MODEL
from tfpy._src.formats.onnx.reader.tensors import EXTERNAL
from tfpy._src.library.io.checked_json import ModelFileError

_MAX_BYTES = 1 << 31


async def load_onnx(
    files: ModelFiles, data: bytes, trainable: bool, quantize: str | None
) -> GraphModel:
    """Load the model of an ONNX file; large arrays may be in external files next to it.

    Raises:
        ModelFileError: If a file is corrupt or missing.
    """
    found: dict[str, bytes] = {}
    for path in _external(read(data, MODEL)):
        if path not in found:
            found[path] = await files.read(path, _MAX_BYTES)
    graph = read_onnx(data, ONNX, found.__getitem__)
    inputs = {spec.name: spec for spec in graph.inputs}
    signature = ModelSignature(inputs, named_outputs(graph.outputs))
    signatures = {"serving_default": signature}
    return GraphModel(graph, signatures, trainable=trainable, quantize=quantize)


def _external(message: Any) -> Iterator[str]:
    """Yield the paths of the files that contain external tensors.

    Paths that lead out of the model's folder are skipped, because `read_onnx` rejects them.
    """
    todo = [message]
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo += value
        elif isinstance(value, dict):
            todo += value.values()
            entries = value["external_data"] if value.get("data_location") == EXTERNAL else ()
            for entry in entries:
                if entry.get("key") == "location":
                    with contextlib.suppress(ModelFileError):
                        yield checked_path(entry.get("value", ""), "an external tensor")
