"""Load folders with packed weights on wasm and on cpu, and compare the models.

This program runs in the environment that has KerasHub, and prints JSON::

    python -m wasm.packed_folders NAME ...
"""

from __future__ import annotations

import gc
import json
import sys
from typing import Any

import tfpy

tfpy.as_tensorflow(replace=True)

import numpy as np  # noqa: E402
from models.packed_folders import folder  # noqa: E402

import tfpy as tf  # noqa: E402
from wasm.node_backend import active  # noqa: E402


def memory() -> int:
    """Return the number of bytes of all tensors."""
    return int(tf.memory()["numBytes"])


def observed(files: dict[str, bytes]) -> dict[str, Any]:
    """Load a folder, and return its memory, its weights and its results."""
    gc.collect()
    before = memory()
    model = tf.models.load(files)
    size = memory() - before
    variables = model.backbone.variables
    tokens = np.array([[2, 29, 5, 7, 9, 11], [3, 4, 5, 6, 7, 8]], np.int32)
    inputs = {"token_ids": tokens, "padding_mask": np.ones_like(tokens)}
    found = {
        "bytes": size,
        "estimated": tf.models.estimate_memory(files).weights,
        "kinds": sorted({type(one._value).__name__ for one in variables if len(one.shape) > 1}),
        "weights": [np.asarray(one.numpy()).ravel() for one in variables],
        "states": np.asarray(model.backbone.predict(inputs, verbose=0)),
        "one": np.asarray(model.backbone.predict({k: v[:1] for k, v in inputs.items()}, verbose=0)),
    }
    model.compile(sampler="greedy")
    found["text"] = model.generate("the", max_length=16)
    return found


def compared(files: dict[str, bytes]) -> dict[str, Any]:
    """Return what is measured on wasm, and the differences from cpu."""
    size = len(files["model.safetensors"])
    floats = observed(files)
    with active("relaxed", "auto"):
        kept = observed(files)
    pairs = zip(kept["weights"], floats["weights"], strict=True)
    return {
        "ratio": kept["bytes"] / size,
        "ratio of floats": floats["bytes"] / size,
        "estimated": kept["estimated"] / size,
        "kinds": [kept["kinds"], floats["kinds"]],
        "equal": all(np.array_equal(a, b) for a, b in pairs),
        "answers": [kept["text"], floats["text"]],
        "size": float(np.abs(floats["states"]).max()),
        "difference": float(np.abs(kept["states"] - floats["states"]).max()),
        "difference of one": float(np.abs(kept["one"] - floats["one"]).max()),
    }


def main(*names: str) -> None:
    """Print the results for some folders."""
    print(json.dumps({name: compared(folder(name)) for name in names}))


if __name__ == "__main__":
    main(*sys.argv[1:])
