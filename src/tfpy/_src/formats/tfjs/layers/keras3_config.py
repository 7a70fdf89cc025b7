"""The conversion of model configurations of Keras 1, Keras 2 and TensorFlow.js to Keras 3.

Only Keras's own classes and those that the caller names are allowed. Names of modules in a file are
ignored.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tfpy._src.formats.tfjs.layers.keras3_nodes import ModelNodes, singles
from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_string, an_object

PACKAGE = "tfpy"
"""The package name of these functions in Keras's files."""
LEGACY_LAYERS = ("ThresholdedReLU",)


def legacy_layer(kind: str) -> Any:
    """Return a layer that Keras keeps for old files."""
    return getattr(importlib.import_module("keras.src.legacy.layers"), kind)


@cache
def _own(keras: Any) -> dict[str, Callable[[Any], Any]]:
    """Register activations that Keras 3 does not have, and return them by name."""

    def hard_sigmoid(x: Any) -> Any:
        """Compute min(max(0.2 x + 0.5, 0), 1), like Keras 2. The slope of Keras 3 differs."""
        return keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0)

    def gelu_new(x: Any) -> Any:
        """Compute TensorFlow.js's approximation of `gelu` by a hyperbolic tangent."""
        return keras.ops.gelu(x, approximate=True)

    register = keras.saving.register_keras_serializable(PACKAGE)
    return {made.__name__: register(made) for made in (hard_sigmoid, gelu_new)}


def modern(keras: Any, name: str, what: str, by_keras_3: bool) -> Any:
    """Return an activation in the form of Keras 3's configurations.

    Args:
        keras: The module `keras`.
        name: Name of the activation in the file.
        what: Prefix of the error message.
        by_keras_3: True if Keras 3 wrote the file.

    Raises:
        ModelFileError: If Keras does not have the activation.
    """
    if name in _own(keras) and not by_keras_3:
        registered = f"{PACKAGE}>{name}"
        return {
            "module": "builtins",
            "class_name": "function",
            "config": registered,
            "registered_name": registered,
        }
    try:
        keras.activations.get(name)
    except ValueError:
        raise ModelFileError(f"{what}: Keras does not have the activation {name!r}") from None
    return name


REFUSED = {
    "Lambda": "it contains code",
    "TFOpLambda": "it is a call of TensorFlow, not a layer",
    "SlicingOpLambda": "it is a call of TensorFlow, not a layer",
    "TensorFlowOpLayer": "it is a call of TensorFlow, not a layer",
    "TFSMLayer": "it reads another file",
    "TorchModuleWrapper": "it contains code",
    "FlaxLayer": "it contains code",
    "JaxLayer": "it contains code",
}
MODELS = ("Functional", "Model", "Sequential")

_FUNCTIONAL = "keras.src.models.functional"  # the module that Keras 3 writes
_RENAMED = {
    "LeakyReLU": {"alpha": "negative_slope"},
    "InputLayer": {"batch_input_shape": "batch_shape"},
}
_OLD_DEFAULTS = {"GRU": {"reset_after": False}, "GRUCell": {"reset_after": False}}
"""Defaults of older versions that differ from Keras 3's defaults."""
_SHAPES = ("batch_input_shape", "batch_shape", "input_shape")
_BASE = {"name", "trainable", "dtype", "activity_regularizer"}
_MODULES = {
    "initializer": "keras.initializers",
    "regularizer": "keras.regularizers",
    "constraint": "keras.constraints",
}
_SPELLED = {"LeCunNormal": "LecunNormal", "LeCunUniform": "LecunUniform"}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Config = dict[str, Any]


def topology(model: Mapping[str, Any]) -> tuple[Config, bool]:
    """Return the configuration in a `model.json`, and True if Keras 3 wrote it.

    The configuration gets the names of Python's style.

    Raises:
        ModelFileError: If there is no configuration, or the file contains a graph.
    """
    kind = model.get("format")
    if kind not in (None, "layers-model"):
        raise ModelFileError(f"model.json contains a {kind}, not a layers-model")
    found = an_object(model.get("modelTopology"), "modelTopology")
    if "node" in found:
        raise ModelFileError(
            "model.json contains a graph-model, not a layers-model. Use tf.load_graph_model"
        )
    version = found.get("keras_version")
    for name in ("model_config", "modelConfig"):
        if found.get(name) is not None:
            found = an_object(found[name], name)
    config = _snake(found) if "className" in found else found
    return config, isinstance(version, str) and version.startswith("3.")


def _snake(value: Any, key: str = "") -> Any:
    """Convert a configuration from TensorFlow.js's spelling to Keras's spelling."""
    if isinstance(value, dict):
        return {_spelled(k): _snake(v, k) for k, v in value.items()}
    if isinstance(value, list):
        nodes = key in ("inboundNodes", "inputLayers", "outputLayers")
        return [v if nodes and isinstance(v, str) else _snake(v, key) for v in value]
    if isinstance(value, str) and key not in ("name", "className"):
        return _spelled(value)
    return value


def _spelled(text: str) -> str:
    return _CAMEL.sub("_", text).lower() if text[:1].islower() else text


class Modernizer:
    """A converter of configurations to Keras 3.

    Args:
        keras: The module `keras`.
        custom_objects: Classes and functions that the caller allows, by name.
        by_keras_3: True if Keras 3 wrote the file.
    """

    def __init__(self, keras: Any, custom_objects: Mapping[str, Any], by_keras_3: bool) -> None:
        self._keras = keras
        self._custom = custom_objects
        self._by_keras_3 = by_keras_3
        self.renamed: dict[str, str] = {}
        """Names of layers in the file, by their new names, if Keras 3 does not allow the former."""

    def model(self, config: Any, what: str = "the model") -> Config:
        """Convert a model's configuration.

        Raises:
            ModelFileError: If the configuration is invalid or not allowed.
        """
        entry = an_object(config, what)
        kind = a_string(entry.get("class_name"), f"class_name of {what}")
        inner = entry.get("config")
        if isinstance(inner, list):  # the form of Keras before 2.2.3
            inner = {"name": kind.lower(), "layers": inner}
        inner = an_object(inner, f"config of {what}")
        name = self._name(inner.get("name") or kind.lower())
        if kind == "Sequential":
            return self._object("keras", kind, self._sequential(name, inner))
        if "layers" not in inner or "output_layers" not in inner:
            raise ModelFileError(f"{what} has the unknown class {kind!r}")
        return self._object(_FUNCTIONAL, "Functional", self._functional(name, inner))

    def _sequential(self, name: str, config: Config) -> Config:
        layers = [
            self.layer(entry, f"layer {i} of {name}")
            for i, entry in enumerate(a_list(config.get("layers"), f"the layers of {name}"))
        ]
        if layers and layers[0]["class_name"] != "InputLayer":
            shape = _batch_shape(config["layers"][0]) or config.get("build_input_shape")
            if shape is not None:
                first = layers[0]["config"]
                entry = {"batch_shape": shape, "name": f"{first.get('name', name)}_input"}
                layers.insert(0, self._object("keras.layers", "InputLayer", entry))
        return {"name": name, "trainable": config.get("trainable", True), "layers": layers}

    def _functional(self, name: str, config: Config) -> Config:
        entries = a_list(config.get("layers"), f"the layers of {name}")
        made = [self.layer(entry, f"layer {i} of {name}") for i, entry in enumerate(entries)]
        named = {}
        for entry, layer in zip(entries, made, strict=True):
            own = self._name(entry.get("name") or layer["config"].get("name"))
            if own in named:
                raise ModelFileError(f"{name} has two layers with the name {own!r}")
            layer["name"] = layer["config"]["name"] = own
            named[own] = layer
        nodes = ModelNodes(
            name, {own: layer["class_name"] for own, layer in named.items()}, self._name
        )
        for entry, layer in zip(entries, made, strict=True):
            calls = a_list(entry.get("inbound_nodes") or [], f"inbound_nodes of {layer['name']}")
            layer["inbound_nodes"] = [nodes.call(layer, call) for call in calls]
        ends = {
            key: singles(nodes.ends(config.get(key), f"{key} of {name}"))
            for key in ("input_layers", "output_layers")
        }
        return {"name": name, "trainable": config.get("trainable", True), "layers": made} | ends

    def layer(self, config: Any, what: str) -> Config:
        """Convert a layer's configuration, except for its calls.

        Raises:
            ModelFileError: If the configuration is invalid or not allowed.
        """
        entry = an_object(config, what)
        kind = a_string(entry.get("class_name"), f"class_name of {what}")
        if kind in MODELS:
            return self.model(entry, what)
        inner = dict(an_object(entry.get("config"), f"config of {what}"))
        what = f"{kind} {inner.get('name') or what!r}"
        if kind in self._custom:
            return {"class_name": kind, "config": inner, "module": None, "registered_name": kind}
        if kind in REFUSED:
            raise ModelFileError(
                f"{what} is refused, because {REFUSED[kind]}. Pass a class of your own instead: "
                f"custom_objects={{{kind!r}: …}}"
            )
        found = self._class(kind, inner, what)
        if inner.get("name") is not None:
            inner["name"] = self._name(inner["name"])
        for old, new in _RENAMED.get(kind, {}).items():
            if old in inner:
                inner[new] = inner.pop(old)
        known = _arguments(found)
        for key in [key for key in inner if key not in known]:
            value = inner.pop(key)
            if kind != "RNN":  # TensorFlow.js also writes the arguments of its cell here
                _check_droppable(key, value, what)
        inner = _OLD_DEFAULTS.get(kind, {}) | {
            key: self._value(key, value, f"{what}: {key}") for key, value in inner.items()
        }
        return self._object(_module_of(kind), kind, inner)

    def _class(self, kind: str, config: Config, what: str) -> type:
        """Return a layer class of Keras.

        Raises:
            ModelFileError: If there is no such class.
        """
        found = getattr(self._keras.layers, kind, None)
        if kind in LEGACY_LAYERS:
            found = legacy_layer(kind)
        if not (isinstance(found, type) and issubclass(found, self._keras.layers.Layer)):
            raise ModelFileError(
                f"{what}: Keras does not have this layer. Pass its class: "
                f"custom_objects={{{kind!r}: …}}"
            )
        return found

    def _value(self, key: str, value: Any, what: str) -> Any:
        """Convert an argument of a layer."""
        ending = key.rsplit("_", 1)[-1]
        if key in ("layer", "cell", "backward_layer") and value is not None:
            return self.layer(value, what)
        if key == "cells":
            return [self.layer(cell, what) for cell in a_list(value, what)]
        if key.endswith("activation"):
            return self._activation(value, what)
        if ending in _MODULES and isinstance(value, dict):
            return self._part(_MODULES[ending], value, what)
        if key == "dtype" and isinstance(value, dict):
            return self._dtype(value, what)
        if key == "axis" and isinstance(value, list) and len(value) == 1:
            return value[0]
        return _plain(value, what)

    def _activation(self, value: Any, what: str) -> Any:
        if isinstance(value, dict):
            kind = a_string(value.get("class_name"), f"class_name of {what}")
            if kind == "function":  # the form of Keras 3
                value = a_string(value.get("config"), what)
            elif hasattr(self._keras.layers, kind):
                return self.layer(value, what)
            else:
                value = kind
        if value is None or value in self._custom:
            return value
        return modern(self._keras, a_string(value, what), what, self._by_keras_3)

    def _part(self, module: str, value: Config, what: str) -> Config:
        """Convert an initializer, a regularizer or a constraint."""
        kind = a_string(value.get("class_name"), f"class_name of {what}")
        kind = _SPELLED.get(kind, kind)
        inner = an_object(value.get("config") or {}, f"config of {what}")
        if kind in self._custom:
            return {"class_name": kind, "config": inner, "module": None, "registered_name": kind}
        found = getattr(getattr(self._keras, module.partition(".")[2]), kind, None)
        if not isinstance(found, type):
            raise ModelFileError(f"{what}: Keras does not have {kind!r}")
        known = _arguments(found) - _BASE
        inner = {key: _plain(v, f"{what}: {key}") for key, v in inner.items() if key in known}
        if kind == "VarianceScaling" and inner.get("distribution") == "normal":
            inner["distribution"] = "truncated_normal"
        return self._object(module, kind, inner)

    def _dtype(self, value: Config, what: str) -> str:
        inner = an_object(value.get("config"), f"config of {what}")
        return a_string(inner.get("name"), f"the name of {what}")

    def _name(self, name: Any) -> str:
        """Return a layer's name without `/`, which Keras 3 does not allow."""
        old = a_string(name, "a layer's name")
        new = old.replace("/", "_")
        if new != old and self.renamed.setdefault(new, old) != old:
            raise ModelFileError(
                f"the layer names {old!r} and {self.renamed[new]!r} differ only in '/' and '_'"
            )
        return new

    def _object(self, module: str, kind: str, config: Config) -> Config:
        return {"module": module, "class_name": kind, "config": config, "registered_name": None}


def _arguments(kind: Any) -> set[str]:
    """Return the names of the constructor's parameters."""
    found = inspect.signature(kind.__init__).parameters
    open_ended = any(p.kind is p.VAR_KEYWORD for p in found.values())
    return {*found} | (_BASE if open_ended else set())


def _module_of(kind: str) -> str:
    return "keras._legacy.layers" if kind in LEGACY_LAYERS else "keras.layers"


def _batch_shape(entry: Config) -> Any:
    """Return the input shape in the configuration of a Sequential model's first layer."""
    config = entry.get("config")
    if isinstance(config, dict) and "layers" in config:
        config = config["layers"]
    if isinstance(config, list):
        return _batch_shape(config[0]) if config and isinstance(config[0], dict) else None
    if not isinstance(config, dict):
        return None
    for key in _SHAPES:
        if config.get(key) is not None:
            shape = a_list(config[key], key)
            return [None, *shape] if key == "input_shape" else shape
    return None


def _check_droppable(key: str, value: Any, what: str) -> None:
    """Check that an argument that a layer does not have anymore has no effect.

    Raises:
        ModelFileError: If it has an effect.
    """
    neutral = value in (None, False, 1) or key in (*_SHAPES, "implementation", "input_length")
    if not neutral and key.rsplit("_", 1)[-1] not in _MODULES and key not in _UNUSED:
        raise ModelFileError(
            f"{what}: Keras does not have the argument {key!r}, which is {value!r} in the file"
        )


_UNUSED = {
    "autocast", "init", "input_dim", "input_dtype", "key_shape", "optional", "query_shape",
    "synchronized", "trainable", "value_shape",
}  # fmt: skip
"""Arguments of older or newer versions that do not affect the result."""


def _plain(value: Any, what: str) -> Any:
    """Convert a value that must not be an object of Keras.

    Raises:
        ModelFileError: If it is such an object.
    """
    if isinstance(value, dict):
        if value.get("class_name") == "__tuple__":
            return tuple(_plain(v, what) for v in a_list(value.get("items"), what))
        if value.get("type") == "ndarray":  # the form of NumPy numbers in Keras 2
            return _plain(value.get("value"), what)
        if "class_name" in value:
            raise ModelFileError(f"{what}: {value['class_name']!r} is not allowed here")
        return {key: _plain(v, what) for key, v in value.items()}
    if isinstance(value, list):
        return [_plain(v, what) for v in value]
    return value
