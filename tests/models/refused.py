"""Models that ``load_layers_model`` and ``save_layers_model`` reject, and valid legacy files."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import keras
import numpy as np
from keras import layers

import tfpy as tf

DENSE = {
    "class_name": "Dense",
    "config": {"name": "d", "units": 2, "batch_input_shape": [None, 3], "use_bias": False},
}


def files(topology: Any, weights: dict[str, Any] | None = None) -> dict[str, bytes]:
    """Return a layers-model in memory."""
    arrays = {k: np.asarray(v, "float32") for k, v in (weights or {}).items()}
    specs = [{"name": k, "shape": v.shape, "dtype": "float32"} for k, v in arrays.items()]
    manifest = [{"paths": ["w.bin"], "weights": specs}]
    model = {"modelTopology": topology, "weightsManifest": manifest}
    data = b"".join(v.tobytes() for v in arrays.values())
    return {"model.json": json.dumps(model).encode(), "w.bin": data}


def sequential(*entries: Any) -> Any:
    return {"class_name": "Sequential", "config": {"name": "s", "layers": list(entries)}}


def changed(**config: Any) -> Any:
    return {**DENSE, "config": {**DENSE["config"], **config}}


def of_class(name: str, **config: Any) -> Any:
    return sequential({"class_name": name, "config": {"batch_input_shape": [None, 3], **config}})


KERNEL = {"d/kernel": np.ones((3, 2))}
CALLED = {
    "class_name": "Model",
    "config": {
        "name": "m",
        "layers": [
            {
                "class_name": "InputLayer",
                "name": "i",
                "config": {"name": "i", "batch_input_shape": [None, 3]},
                "inbound_nodes": [],
            },
            {**DENSE, "name": "d", "inbound_nodes": [[["nix", 0, 0, {}]]]},
        ],
        "input_layers": [["i", 0, 0]],
        "output_layers": [["d", 0, 0]],
    },
}
LOADED = {
    "code": (of_class("Lambda", function=["4wEAAA==", None, None]), {}, "it contains code"),
    "pickled": (of_class("TorchModuleWrapper", module="gASVAAA="), {}, "it contains code"),
    "other file": (of_class("TFSMLayer", filepath="/tmp"), {}, "it reads another file"),
    "unknown layer": (of_class("System"), {}, "Keras does not have this layer"),
    "no layer": (of_class("deserialize"), {}, "Keras does not have this layer"),
    "module": (
        sequential({**DENSE, "module": "os", "class_name": "system"}),
        {},
        "Keras does not have this layer",
    ),
    "lambda as activation": (
        sequential(changed(activation={"class_name": "__lambda__", "config": {"value": "x"}})),
        {},
        "Keras does not have the activation '__lambda__'",
    ),
    "function as initializer": (
        sequential(changed(kernel_initializer={"class_name": "deserialize", "config": {}})),
        {},
        "Keras does not have 'deserialize'",
    ),
    "object as argument": (
        sequential(changed(units={"class_name": "__lambda__", "config": {"value": "x"}})),
        {},
        "'__lambda__' is not allowed here",
    ),
    "unknown argument": (
        sequential(changed(bias=[2.0])),
        {},
        "Keras does not have the argument 'bias'",
    ),
    "huge layer": (
        sequential(changed(units=2_000_000_000)),
        KERNEL,
        "has the shape [3, 2] in the file and [3, 2000000000] in the model",
    ),
    "negative units": (sequential(changed(units=-3)), KERNEL, "Keras cannot make the model"),
    "units of text": (sequential(changed(units="many")), KERNEL, "Keras cannot make the model"),
    "missing weight": (sequential(DENSE), {}, "Not in the file: 'd/kernel'"),
    "unknown weight": (sequential(DENSE), {**KERNEL, "e/f": 1.0}, "Not in the model: 'e/f'"),
    "no shape": (
        sequential({"class_name": "Dense", "config": {"name": "d", "units": 2}}),
        KERNEL,
        "does not specify the input shape",
    ),
    "own class": ({"class_name": "Mine", "config": {"a": 1}}, {}, "has the unknown class 'Mine'"),
    "call of no layer": (CALLED, KERNEL, "m has no layer 'nix'"),
    "graph": ({"node": [], "library": {}}, {}, "contains a graph-model"),
    "no topology": (None, {}, "modelTopology must be an object"),
}


def lstm() -> Any:
    return keras.Sequential([keras.Input((3, 2)), layers.LSTM(2, zero_output_for_mask=True)])


def of(*made: Any, shape: tuple[int, ...] = (8, 8, 2)) -> Callable[[], Any]:
    return lambda: keras.Sequential([keras.Input(shape), *made])


def two_ways() -> Any:
    other = layers.LSTM(3, activation="relu", go_backwards=True)
    both = layers.Bidirectional(layers.LSTM(3), backward_layer=other)
    return keras.Sequential([keras.Input((3, 2)), both])


def operation() -> Any:
    x = keras.Input((3,))
    return keras.Model(x, keras.ops.sin(x))


class Own(keras.Model):
    def call(self, x: Any) -> Any:
        return x


SAVED: dict[str, tuple[Callable[[], Any], str]] = {
    "layer": (of(layers.UnitNormalization()), "TensorFlow.js does not have this layer"),
    "groups": (of(layers.Conv2D(2, 3, groups=2)), "groups=2; TensorFlow.js supports only 1"),
    "reset_after": (of(layers.GRU(2), shape=(3, 2)), "reset_after=True"),
    "activation": (of(layers.Dense(2, "hard_sigmoid")), "cannot compute the same"),
    "bilinear": (of(layers.UpSampling2D(interpolation="bilinear")), "interpolation='bilinear'"),
    "causal": (of(layers.Conv1D(2, 3, padding="causal"), shape=(8, 2)), "padding='causal'"),
    "dtype": (
        of(layers.Dense(2, dtype="float16")),
        "float16, which TensorFlow.js does not support",
    ),
    "backward layer": (two_ways, "its own backward_layer"),
    "mask": (lstm, "zero_output_for_mask=True"),
    "operation": (operation, "the operation"),
    "own class": (Own, "a subclass with its own call"),
}


LACKING = {
    "TorchModuleWrapper": ({}, "'torch'"),
    "FlaxLayer": ({"module": "m", "method": None, "variables": {}}, "'flax"),
}
"""Keras layers that import packages: their configurations, and the missing package."""


def keras_file(name: str, config: dict[str, Any], wrapped: bool) -> bytes:
    """Return a ``.keras`` file with an additional layer, alone or in a TimeDistributed."""
    plain = keras.Sequential([keras.Input((4, 3)), layers.Dense(2)])
    made = {"module": "keras.layers", "class_name": name, "config": {"name": "x", **config}}
    if wrapped:
        inner = {"name": "t", "layer": made}
        made = {"module": "keras.layers", "class_name": "TimeDistributed", "config": inner}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.keras")
        plain.save(path)
        with zipfile.ZipFile(path) as archive:
            parts = {part: archive.read(part) for part in archive.namelist()}
    model = json.loads(parts["config.json"])
    model["config"]["layers"].append(made)
    parts["config.json"] = json.dumps(model).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part, data in parts.items():
            archive.writestr(part, data)
    return file.getvalue()


def mutated(value: Any, rng: np.random.Generator) -> Any:
    """Return a configuration with a wrong value at a random place."""
    if isinstance(value, dict | list) and value and rng.random() < 0.93:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = keys[int(rng.integers(len(keys)))]
        new = value.copy()
        new[key] = mutated(value[key], rng)
        return new
    odd = [None, -1, 3, 2**40, 1e30, "x", "relu", [], [[]], {}, {"class_name": "Dense"}, True]
    return odd[int(rng.integers(len(odd)))]


def surprises(folder: Path, count: int = 60, part: str = "modelTopology") -> list[str]:
    """Return the errors other than ValueError that corrupt model files cause."""
    rng, found = np.random.default_rng(5), []
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    model = json.loads(files["model.json"])
    for _ in range(count):
        broken = {**model, part: mutated(model[part], rng)}
        try:
            tf.load_layers_model({**files, "model.json": json.dumps(broken).encode()})
        except ValueError:
            pass
        except Exception as error:
            found.append(repr(error))
    return found


def answers() -> list[tuple[str, str, str]]:
    """Return the case, the expected message and the actual error of each trial."""
    return list(_answers())


def _answers() -> Iterator[tuple[str, str, str]]:
    for name, (topology, weights, text) in LOADED.items():
        yield name, text, _error(lambda t=topology, w=weights: tf.load_layers_model(files(t, w)))
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, text) in SAVED.items():
            yield name, text, _error(lambda m=make: tf.save_layers_model(m(), folder))
    for name, (config, missing) in LACKING.items():
        for wrapped in (False, True):
            file = keras_file(name, config, wrapped)
            text = f"the layer {name} needs the module {missing}"
            with patch.dict(sys.modules, flax=None, torch=None):  # as if they were not installed
                error = _error(lambda f=file: tf.models.load(f))
            yield name, text, error


def _error(call: Callable[[], Any]) -> str:
    try:
        call()
    except ValueError as error:
        return str(error)
    return "no error"
