"""A small graph-model: relu of a product, and the positions where it is not zero."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import numpy as np

import tfpy as tf

W = np.arange(6, dtype=np.float32).reshape(3, 2) / 5
X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def text(value: str) -> dict[str, str]:
    return {"s": base64.b64encode(value.encode()).decode()}


def shape(*sizes: int) -> dict[str, Any]:
    return {"dim": [{"size": str(n)} for n in sizes]}


FLOAT = {"type": "DT_FLOAT"}
NODES: list[dict[str, Any]] = [
    {
        "name": "x",
        "op": "Placeholder",
        "attr": {"dtype": FLOAT, "shape": {"shape": shape(-1, 3)}},
    },
    {"name": "w", "op": "Const", "attr": {"dtype": FLOAT}},
    {
        "name": "product",
        "op": "MatMul",
        "input": ["x", "w"],
        "attr": {"T": FLOAT, "transpose_a": {"b": False}, "transpose_b": {"b": False}},
    },
    {"name": "positive", "op": "Relu", "input": ["product"], "attr": {"T": FLOAT}},
    {"name": "places", "op": "Where", "input": ["positive"], "attr": {"T": FLOAT}},
]
SIGNATURE: dict[str, Any] = {
    "inputs": {"x:0": {"name": "x:0", "dtype": "DT_FLOAT", "tensorShape": shape(-1, 3)}},
    "outputs": {"y": {"name": "positive:0"}, "at": {"name": "places"}},
}


def files(nodes: list[Any] = NODES, signature: Any = SIGNATURE, **more: Any) -> dict[str, bytes]:
    model = {
        "format": "graph-model",
        "modelTopology": {"node": nodes},
        "signature": signature,
        "weightsManifest": [
            {
                "paths": ["w.bin"],
                "weights": [{"name": "w", "shape": [3, 2], "dtype": "float32"}],
            }
        ],
        **more,
    }
    return {"model.json": json.dumps(model).encode(), "w.bin": W.tobytes()}


def load(contents: Any = None, **how: Any) -> Any:
    return asyncio.run(tf.load_graph_model_async(contents or files(), **how))
