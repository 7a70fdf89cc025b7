"""Configurations written by older versions of Keras, with predictions computed by NumPy."""

from __future__ import annotations

import json
from typing import Any

import keras
import numpy as np

import tfpy as tf

Arrays = dict[str, np.ndarray]
rng = np.random.default_rng(4)


def files(topology: Any, weights: Arrays) -> dict[str, bytes]:
    """Return a layers-model in memory."""
    arrays = {k: np.asarray(v, "float32") for k, v in weights.items()}
    specs = [{"name": k, "shape": v.shape, "dtype": "float32"} for k, v in arrays.items()]
    model = {
        "modelTopology": topology,
        "weightsManifest": [{"paths": ["./w.bin"], "weights": specs}],
    }
    data = b"".join(v.tobytes() for v in arrays.values())
    return {"model.json": json.dumps(model).encode(), "w.bin": data}


def layer(kind: str, name: str, *calls: Any, **config: Any) -> dict[str, Any]:
    entry = {"class_name": kind, "name": name, "config": {"name": name, **config}}
    return entry | {"inbound_nodes": list(calls)}


def functional(name: str, *layers: Any, outputs: list[Any], inputs: list[Any]) -> dict[str, Any]:
    config = {"name": name, "layers": layers, "input_layers": inputs, "output_layers": outputs}
    return {"class_name": "Model", "config": config}


def dense(size: int, to: int) -> Arrays:
    return {"kernel": rng.normal(size=(size, to)), "bias": rng.normal(size=to)}


def with_slashes() -> tuple[Any, Any, Any]:
    """Return a model with slashes in names, a list as a Sequential, and prefixed weights."""
    a, b = dense(3, 4), dense(4, 2)
    inner = {
        "class_name": "Sequential",
        "name": "net/head",
        "config": [
            {
                "class_name": "Dense",
                "config": {
                    "name": "head/out",
                    "units": 2,
                    "batch_input_shape": [None, 4],
                    "activation": "hard_sigmoid",
                    "kernel_initializer": {
                        "class_name": "VarianceScaling",
                        "config": {"scale": 1.0, "mode": "fan_avg", "distribution": "normal"},
                    },
                },
            }
        ],
        "inbound_nodes": [[["net/in", 0, 0, {}]]],
    }
    topology = functional(
        "outer",
        layer("InputLayer", "x", batch_input_shape=[None, 3], dtype="float32", sparse=False),
        layer(
            "Dense",
            "net/in",
            [["x", 0, 0, {}]],
            units=4,
            activation="relu",
            trainable=False,
            bias_initializer={"class_name": "Zeros", "config": {"dtype": "float32"}},
        ),
        inner,
        layer("ReLU", "cut", [["net/head", 1, 0, {}]], max_value=[0.7], negative_slope=0.0),
        inputs=[["x", 0, 0]],
        outputs=[["net/head", 1, 0], ["cut", 0, 0]],
    )
    topology["config"]["layers"][-1]["config"]["max_value"] = {"type": "ndarray", "value": 0.7}
    weights = {f"net/in/{k}:0": v for k, v in a.items()}
    weights |= {f"net/head/head/out/{k}": v for k, v in b.items()}
    x = rng.normal(size=(5, 3))
    hidden = np.maximum(x @ a["kernel"] + a["bias"], 0) @ b["kernel"] + b["bias"]
    y = np.clip(0.2 * hidden + 0.5, 0, 1)
    return (
        files({"model_config": topology, "keras_version": "2.1.6"}, weights),
        x,
        [
            y,
            np.minimum(y, 0.7),
        ],
    )


def in_camel_case() -> tuple[Any, Any, Any]:
    """Return a model in TensorFlow.js's spelling, with a cell's name before the weight's."""
    units, size = 3, 2
    kernel, recurrent = rng.normal(size=(size, 9)), rng.normal(size=(units, 9))
    bias = rng.normal(size=9)
    topology = {
        "className": "Sequential",
        "config": {
            "name": "s",
            "layers": [
                {
                    "className": "GRU",
                    "config": {
                        "name": "memory",
                        "units": units,
                        "batchInputShape": [None, 4, size],
                        "recurrentActivation": "hardSigmoid",
                        "recurrentInitializer": {"className": "Orthogonal", "config": {}},
                        "returnSequences": False,
                        "implementation": 2,
                    },
                }
            ],
        },
    }
    weights = {
        "memory/gru_cell_7/kernel": kernel,
        "memory/gru_cell_7/recurrent_kernel": recurrent,
        "memory/gru_cell_7/bias": bias,
    }
    x = rng.normal(size=(2, 4, size))
    h = np.zeros((2, units))
    for step in range(4):
        z, r, n = np.split(x[:, step] @ kernel + bias, 3, 1)
        z += h @ recurrent[:, :3]
        r += h @ recurrent[:, 3:6]
        z, r = (np.clip(0.2 * v + 0.5, 0, 1) for v in (z, r))
        n = np.tanh(n + (r * h) @ recurrent[:, 6:])
        h = z * h + (1 - z) * n
    return files(topology, weights), x, [h]


def by_keras_3() -> tuple[Any, Any, Any]:
    """Return a model that a converter made from a Keras 3 file, with Keras 3's ``hard_sigmoid``."""
    a = dense(3, 2)
    policy = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}}
    history = {"shape": [None, 3], "dtype": "float32", "keras_history": ["x", 0, 0]}
    call = {"args": [{"class_name": "__keras_tensor__", "config": history}], "kwargs": {}}
    topology = functional(
        "functional",
        layer("InputLayer", "x", batch_shape=[None, 3], dtype="float32", sparse=False),
        layer("Dense", "d", call, units=2, activation="hard_sigmoid", dtype=policy),
        inputs=["x", 0, 0],
        outputs=["d", 0, 0],
    )
    x = rng.normal(size=(5, 3))
    y = np.clip((x @ a["kernel"] + a["bias"]) / 6 + 0.5, 0, 1)
    weights = {f"functional/d/{k}": v for k, v in a.items()}
    weights["functional/dropout/seed_generator/seed_generator_state"] = np.zeros(2)
    return files({"model_config": topology, "keras_version": "3.4.1"}, weights), x, [y]


def with_own_layer() -> tuple[Any, Any, Any]:
    class Twice(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return 2 * x

    config = {"name": "t", "batch_input_shape": None}
    topology = functional(
        "m",
        layer("InputLayer", "x", batch_input_shape=[None, 3]),
        {**layer("Twice", "t", [["x", 0, 0]]), "config": {"name": config["name"]}},
        inputs=[["x", 0, 0]],
        outputs=[["t", 0, 0]],
    )
    x = rng.normal(size=(2, 3))
    return (files(topology, {}), {"Twice": Twice}), x, [2 * x]


def answers() -> list[tuple[str, list[Any], list[Any]]]:
    """Return the source, the predictions and the expected predictions of each model."""
    found = []
    for make in (with_slashes, in_camel_case, by_keras_3, with_own_layer):
        source, x, wanted = make()
        custom = None
        if isinstance(source, tuple):
            source, custom = source
        y = tf.load_layers_model(source, custom).predict(x.astype("float32"), verbose=0)
        arrays = [np.asarray(v).tolist() for v in keras.tree.flatten(y)]
        found.append((make.__name__, arrays, [v.tolist() for v in wanted]))
    return found
