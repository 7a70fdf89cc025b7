"""Loader of TensorFlow SavedModels: folders with `saved_model.pb`, a checkpoint and assets."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.formats.graph_model import GraphModel, ModelSignature
from tfpy._src.formats.model_files import ModelFiles
from tfpy._src.formats.node_graphs.node import NodeGraph, Spec
from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.formats.raw_ops.resources import Resources, using
from tfpy._src.formats.tensorflow.checkpoint_files.bundle import Bundle, shard_name
from tfpy._src.formats.tensorflow.reader.graph import canonical
from tfpy._src.formats.tensorflow.reader.saved_model import (
    SavedModel,
    assign,
    frozen,
    initialize,
    operations,
    read_saved_model,
    variables,
)
from tfpy._src.formats.tensorflow.reader.values import dtype, shape
from tfpy._src.library.io.checked_json import ModelFileError

FILE = "saved_model.pb"
MAX_BYTES = 1 << 31
"""Maximum size of a file of a SavedModel."""


async def load_saved_model(
    files: ModelFiles, trainable: bool, quantize: str | None, safe_mode: bool
) -> GraphModel:
    """Load the model in a SavedModel's files.

    Args:
        files: The files.
        trainable: If True, the weights become Variables.
        quantize: `"int8"`, or None.
        safe_mode: If True, refuse operations that act outside of the model.

    Raises:
        ModelFileError: If the files are damaged.
    """
    model = read_saved_model(await files.read(files.model, MAX_BYTES))
    bundle = await _bundle(files)
    signatures = {name: _signature(name, one) for name, one in model.signatures.items()}
    if not signatures:
        raise ModelFileError(
            "the SavedModel has no signatures, so nothing in it can be called. Save it again with "
            "signatures"
        )
    outputs = {value: None for one in signatures.values() for value in one.outputs.values()}
    resources: Resources = {}
    assets: dict[str, bytes] = {}
    with using(resources):
        values = variables(model, bundle)
        graph = frozen(model.graph(tuple(outputs), operations(assets, safe_mode)), values)
        assign(graph, values)
        await _initialize(model, graph, files, assets)
    return GraphModel(
        graph, signatures, resources=resources, trainable=trainable, quantize=quantize
    )


async def _bundle(files: ModelFiles) -> Bundle | None:
    """Load the checkpoint with all of its shards. The result is None if there is none."""
    try:
        index = await files.read("variables/variables.index", MAX_BYTES)
    except ModelFileError:
        return None  # a model without variables
    shards: dict[int, bytes] = {}
    bundle = Bundle(index, lambda i, n, at, size: memoryview(shards[i])[at : at + size])
    for i in range(bundle.shards):
        path = f"variables/variables{shard_name(i, bundle.shards)}"
        shards[i] = await files.read(path, MAX_BYTES)
    return bundle


def _signature(name: str, message: dict[str, Any]) -> ModelSignature:
    inputs, outputs = {}, {}
    for key in sorted(message["inputs"]):
        info = message["inputs"][key]
        what = f"input {key!r} of {name!r}"
        value = canonical(info.get("name", ""))
        sizes = shape(info["tensor_shape"], what) if "tensor_shape" in info else None
        inputs[key] = Spec(value, dtype(int(info.get("dtype", 0)), what), sizes)
    for key in sorted(message["outputs"]):
        outputs[key] = canonical(message["outputs"][key].get("name", ""))
    return ModelSignature(inputs, outputs, structured=len(outputs) > 1)


async def _initialize(
    model: SavedModel, graph: NodeGraph, files: ModelFiles, assets: dict[str, bytes]
) -> None:
    """Fill tables, from the model's assets if it has any.

    Args:
        model: The model.
        graph: Its graph.
        files: Its files.
        assets: Dictionary that contains the assets' bytes while the graph reads them.
    """
    node = model.initialization
    if node is None or node not in graph.by_name:
        return
    given = {}
    for value, name in model.assets.items():
        path = f"assets/{checked_path(name, 'an asset')}"
        assets[path] = await files.read(path, MAX_BYTES)
        given[value] = np.array(path.encode(), object)
    initialize(graph, node, given)
    assets.clear()
