"""Graph-models run by TensorFlow itself, the oracle for written models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf import json_format

DTYPES = {"complex64": np.complex64, "bool": np.bool_}


def weights(folder: Path, model: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return the arrays of a manifest without quantized weights."""
    found = {}
    for group in model["weightsManifest"]:
        data = b"".join((folder / path).read_bytes() for path in group["paths"])
        at = 0
        for entry in group["weights"]:
            dtype = np.dtype(DTYPES.get(entry["dtype"], entry["dtype"]))
            count = int(np.prod(entry["shape"]))
            values = np.frombuffer(data, dtype, count, at)
            found[entry["name"]] = values.reshape(entry["shape"])
            at += values.nbytes
        assert at == len(data)
    return found


def run(folder: Path, arrays: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return TensorFlow's outputs by name, for inputs in order."""
    model = json.loads((folder / "model.json").read_text())
    definition = json_format.ParseDict(model["modelTopology"], tf.compat.v1.GraphDef())
    constants = weights(folder, model)
    parts = [definition.node, *(f.node_def for f in definition.library.function)]
    for node in (node for part in parts for node in part):
        if node.op == "Const":
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(constants[node.name]))
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    signature = model["signature"]
    feeds = {
        entry["name"]: array
        for entry, array in zip(signature["inputs"].values(), arrays, strict=True)
    }
    names = {key: entry["name"] for key, entry in signature["outputs"].items()}
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(names, feeds)
