"""A Keras model of a configuration and of weights that come from files."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.formats.tfjs.layers.keras3_config import Modernizer, topology
from tfpy._src.formats.tfjs.layers.weight_names import matched, named_weights
from tfpy._src.formats.tfjs.weights_manifest import Array
from tfpy._src.library.io.checked_json import ModelFileError

_PENDING = "uninitialized_variables"  # where Keras keeps variables that have no values yet


def build(
    keras: Any,
    model_json: Mapping[str, Any],
    weights: Mapping[str, Array],
    custom_objects: Mapping[str, Any],
    strict: bool,
) -> tuple[Any, list[tuple[str, Any]]]:
    """The model that ``model.json`` describes, with its weights; and its variables in the order and
    with the names of the file.

    The variables get no initial values before the weights are known to fit, so that neither a file
    can ask for more memory than it has weights, nor time is spent on random numbers.

    Raises:
        ModelFileError: when the configuration is none, or the weights do not fit it.
    """
    config, by_keras_3 = topology(model_json)
    modernizer = Modernizer(keras, custom_objects, by_keras_3)
    modern = modernizer.model(config)
    with _pending(keras):
        with keras.StatelessScope(initialize_variables=False):
            model = _deserialized(keras, modern, custom_objects)
        if not model.built:
            raise ModelFileError("the model's configuration does not say the shape of its input")
        named = named_weights(keras, model, modernizer.renamed)
        found: list[tuple[str, Any]] = []
        if "weightsManifest" in model_json:
            for name, weight in matched(named, weights, strict).items():
                _give(weight.variable, weights[name], name)
                found.append((name, weight.variable))
        _variables_module().initialize_all_variables()
    for layer in model._flatten_layers():
        if hasattr(layer, "finalize_state"):  # what is computed of weights once
            layer.finalize_state()
    return model, found


def _deserialized(keras: Any, config: Any, custom_objects: Mapping[str, Any]) -> Any:
    try:
        return keras.saving.deserialize_keras_object(
            config, custom_objects=dict(custom_objects), safe_mode=True
        )
    except Exception as error:  # whatever comes of arguments that no layer was written for
        raise ModelFileError(f"Keras cannot make the model: {_cause(error)}") from error


def _cause(error: BaseException) -> str:
    """What was wrong at first; Keras's later texts have all of the configuration in them."""
    while error.__context__ is not None:
        error = error.__context__
    text = str(error)
    return text if len(text) <= 400 else f"{text[:397]}..."


def _give(variable: Any, value: Array, name: str) -> None:
    """Makes a weight's values those that its variable begins with.

    Raises:
        ModelFileError: when shape or kind do not fit.
    """
    if tuple(variable.shape) != value.shape:
        raise ModelFileError(
            f"weight {name!r} has the shape {list(value.shape)} in the file and "
            f"{list(variable.shape)} in the model"
        )
    if value.dtype == object:
        raise ModelFileError(f"weight {name!r} has strings; the model's is {variable.dtype}")
    variable._initializer = lambda shape, dtype: np.asarray(value, dtype)


@contextmanager
def _pending(keras: Any) -> Iterator[None]:
    """Keras's list of variables without values, empty at first and put back afterwards."""
    state = importlib.import_module("keras.src.backend.common.global_state")
    before = state.get_global_attribute(_PENDING, [])
    state.set_global_attribute(_PENDING, [])
    try:
        yield
    finally:
        state.set_global_attribute(_PENDING, before)


def _variables_module() -> Any:
    return importlib.import_module("keras.src.backend.common.variables")
