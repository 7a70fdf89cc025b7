"""The conversion of a Keras 3 configuration to Keras 2's style, which TensorFlow.js reads."""

from __future__ import annotations

from typing import Any

from tfpy._src.formats.tfjs.layers import tfjs_layers as known
from tfpy._src.formats.tfjs.layers.keras3_nodes import RECURRENT

Config = dict[str, Any]
_MEND = "TensorFlow.js cannot compute the same"


def tfjs_config(keras: Any, model: Any) -> Config:
    """Convert a model's configuration for TensorFlow.js.

    Raises:
        ValueError: If the model is not a graph of layers, or TensorFlow.js does not have a layer or
            argument or interprets it differently.
    """
    return _model(keras.saving.serialize_keras_object(model))


def _model(entry: Config) -> Config:
    kind, config = entry["class_name"], entry["config"]
    if kind == "Sequential":
        return {"class_name": kind, "config": _sequential(config)}
    if "output_layers" not in config:
        raise ValueError(
            f"a layers-model must be a Sequential or functional model; {kind} is a subclass with "
            "its own call"
        )
    return {"class_name": "Model", "config": _functional(config)}


def _sequential(config: Config) -> Config:
    layers = [_layer(entry) for entry in config["layers"]]
    return {"name": config["name"], "layers": layers}


def _functional(config: Config) -> Config:
    entries = [entry for entry in config["layers"] if _is_layer(entry)]
    classes = {entry["config"]["name"]: entry["class_name"] for entry in entries}
    layers = []
    for entry in entries:
        calls = [_call(entry, call, classes) for call in entry["inbound_nodes"]]
        layers.append({"name": entry["config"]["name"], **_layer(entry), "inbound_nodes": calls})
    return {
        "name": config["name"],
        "layers": layers,
        "input_layers": _flat(config["input_layers"]),
        "output_layers": [_output(end, classes) for end in _flat(config["output_layers"])],
    }


def _is_layer(entry: Config) -> bool:
    """Return True for a layer, and False for an operation, such as those that make masks."""
    return not str(entry.get("module")).startswith(("keras.ops", "keras.src.ops"))


def _flat(ends: Any) -> list[list[Any]]:
    """Flatten a nest of inputs or outputs, in the order of Keras 3."""
    if isinstance(ends, dict):
        return [end for key in sorted(ends) for end in _flat(ends[key])]
    if ends and isinstance(ends[0], str):
        return [list(ends)]
    return [end for part in ends for end in _flat(part)]


def _output(end: list[Any], classes: dict[str, str]) -> list[Any]:
    name, node, output = end
    if name not in classes:
        raise ValueError(
            f"an output of the model comes from the operation {name!r}; TensorFlow.js supports "
            "only outputs of layers"
        )
    return [name, node + (classes[name] == "Sequential"), output]


def _call(entry: Config, call: Config, classes: dict[str, str]) -> list[Any]:
    """Return the tensors that a layer is called with, each with the layer that makes it."""
    kind, name = entry["class_name"], entry["config"]["name"]
    tensors = _tensors(call["args"], name)
    for key, value in call["kwargs"].items():
        if key == "initial_state" and kind in (*RECURRENT, "Bidirectional"):
            tensors += _tensors(value, name)
        elif key == "mask" and all(of not in classes for of, _, _ in _tensors(value, name)):
            continue  # TensorFlow.js computes the masks of layers automatically
        elif not (value is None or (key == "training" and value is False)):
            raise ValueError(f"{kind} {name!r} is called with {key}; {_MEND}")
    for of, _, _ in tensors:
        if of not in classes:
            raise ValueError(
                f"{kind} {name!r} has the result of the operation {of!r} as input; TensorFlow.js "
                "supports only outputs of layers"
            )
    return [
        [of, node + (classes[of] in ("Functional", "Model", "Sequential")), output, {}]
        for of, node, output in tensors
    ]


def _tensors(value: Any, name: str) -> list[list[Any]]:
    if isinstance(value, list | tuple):
        return [tensor for part in value for tensor in _tensors(part, name)]
    if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
        return [value["config"]["keras_history"]]
    if value is None:
        return []
    raise ValueError(f"layer {name!r} is called with the constant {value!r}; {_MEND}")


def _layer(entry: Config) -> Config:
    kind, config = entry["class_name"], entry["config"]
    if kind in ("Functional", "Model", "Sequential"):
        return _model(entry)
    what = f"{kind} {config.get('name')!r}"
    if kind == "InputLayer":
        return {"class_name": kind, "config": _input(config, what)}
    if kind not in known.LAYERS or entry.get("registered_name"):
        raise ValueError(f"{what}: TensorFlow.js does not have this layer")
    if kind == "Bidirectional":
        config = config | {"layer": _one_way(config, what)}
    _check_fixed(kind, config, what)
    new = {"name": config["name"], "trainable": config.get("trainable", True)}
    if "dtype" in config:
        new["dtype"] = _dtype(config["dtype"], what)
    renamed = known.RENAMED.get(kind, {})
    for key in known.LAYERS[kind]:
        if key in config:
            new[renamed.get(key, key)] = _value(key, config[key], f"{what}: {key}")
    return {"class_name": kind, "config": new}


def _check_fixed(kind: str, config: Config, what: str) -> None:
    wanted = known.FIXED[""] | known.FIXED.get(kind, {})
    if kind in RECURRENT:
        wanted |= known.FIXED["RNN"]
    for key, value in wanted.items():
        if key in config and config[key] != value:
            raise ValueError(
                f"{what} has {key}={config[key]!r}; TensorFlow.js supports only {value!r}"
            )
    if config.get("padding") == "causal":
        raise ValueError(f"{what} has padding='causal', which TensorFlow.js does not support")


def _one_way(config: Config, what: str) -> Config:
    """Return the layer that a Bidirectional was made from.

    Raises:
        ValueError: If the two directions have different layers.
    """
    ahead, back = (
        {**part, "config": {**part["config"], "name": "", "go_backwards": False}}
        for part in (config["layer"], config.get("backward_layer") or config["layer"])
    )
    if (ahead["class_name"], ahead["config"]) != (back["class_name"], back["config"]):
        raise ValueError(f"{what} has its own backward_layer, which TensorFlow.js does not support")
    inner = dict(config["layer"]["config"])
    inner["name"] = inner["name"].removeprefix("forward_")  # Bidirectional adds the prefix
    inner["zero_output_for_mask"] = False  # and sets this argument
    return {**config["layer"], "config": inner}


def _input(config: Config, what: str) -> Config:
    return {
        "batch_input_shape": list(config["batch_shape"]),
        "dtype": _dtype(config["dtype"], what),
        "sparse": False,
        "name": config["name"],
    }


def _dtype(value: Any, what: str) -> str:
    """Return the name of a layer's dtype.

    Raises:
        ValueError: If TensorFlow.js does not support the dtype.
    """
    if isinstance(value, dict):
        value = value["config"]["name"]
    name = {"int64": "int32", "float64": "float32"}.get(value, value)
    if name not in ("float32", "int32", "bool", "string", "complex64"):
        raise ValueError(f"{what} has the dtype {value}, which TensorFlow.js does not support")
    return str(name)


def _value(key: str, value: Any, what: str) -> Any:
    if key in ("layer", "cell"):
        return _layer(value)
    if key == "cells":
        return [_layer(cell) for cell in value]
    if key.endswith("activation"):
        return _activation(value, what)
    if key.endswith("_initializer"):
        return _initializer(value)
    if key.endswith("_regularizer"):
        return _regularizer(value, what)
    if key.endswith("_constraint"):
        return _constraint(value, what)
    return value


def _activation(value: Any, what: str) -> str:
    name = value.get("config") if isinstance(value, dict) else value
    if name not in known.ACTIVATIONS:
        raise ValueError(f"{what} is {name!r}; {_MEND}")
    return known.ACTIVATIONS[name]


def _initializer(value: Any) -> Any:
    """Convert an initializer. The weights are stored, so an unsupported one can be replaced."""
    if isinstance(value, dict) and value["class_name"] in known.INITIALIZERS:
        kind = value["class_name"]
        return {"class_name": known.SPELLED.get(kind, kind), "config": value["config"]}
    return {"class_name": "Zeros", "config": {}}


def _regularizer(value: Any, what: str) -> Any:
    if value is None:
        return None
    if value["class_name"] not in ("L1", "L2", "L1L2"):
        raise ValueError(
            f"{what} is {value['class_name']}; TensorFlow.js supports only L1, L2 and L1L2"
        )
    factors = {key: value["config"].get(key, 0.0) for key in ("l1", "l2")}
    return {"class_name": "L1L2", "config": factors}


def _constraint(value: Any, what: str) -> Any:
    if value is None:
        return None
    if value["class_name"] not in known.CONSTRAINTS:
        raise ValueError(
            f"{what}: TensorFlow.js does not have the constraint {value['class_name']}"
        )
    return {"class_name": value["class_name"], "config": value["config"]}
