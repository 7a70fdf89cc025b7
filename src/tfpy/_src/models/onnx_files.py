"""ONNX's files as models."""

from __future__ import annotations

from tfpy._src.graphs.onnx.dialect import ONNX
from tfpy._src.graphs.onnx.reader import read_onnx
from tfpy._src.models.graph_model import GraphModel, Signature
from tfpy._src.models.sources import Files

_MAX_BYTES = 1 << 31


class _NeededError(Exception):
    """A file is asked for that was not read yet."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


async def load_onnx(files: Files, data: bytes, trainable: bool, quantize: str | None) -> GraphModel:
    """The model in an ONNX file; large arrays may lie in files beside it.

    Raises:
        ModelFileError: when a file is broken or missing.
    """
    found: dict[str, bytes] = {}

    def beside(path: str) -> bytes:
        if path not in found:
            raise _NeededError(path)
        return found[path]

    while True:
        try:
            graph = read_onnx(data, ONNX, beside)
            break
        except _NeededError as needed:
            found[needed.path] = await files.read(needed.path, _MAX_BYTES)
    signature = Signature(
        {spec.name: spec for spec in graph.inputs}, {name: name for name in graph.outputs}
    )
    signatures = {"serving_default": signature}
    return GraphModel(graph, signatures, trainable=trainable, quantize=quantize)
