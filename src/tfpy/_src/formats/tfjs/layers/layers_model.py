"""``tf.load_layers_model`` and ``tf.save_layers_model``: Keras models in TensorFlow.js's files."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base.atomic_files import replace_files
from tfpy._src.base.version import __version__
from tfpy._src.formats.sources import MODEL
from tfpy._src.formats.tfjs.layers.keras3_config import Modernizer, topology
from tfpy._src.formats.tfjs.layers.optimizers import restore, weights_of
from tfpy._src.formats.tfjs.layers.tfjs_config import tfjs_config
from tfpy._src.formats.tfjs.layers.training_config import compile_model, training_config
from tfpy._src.formats.tfjs.layers.weight_names import matched, named_weights
from tfpy._src.formats.tfjs.model_json import PendingWeights, begun, model_file
from tfpy._src.formats.tfjs.weights_manifest import OPTIMIZER, QUANTIZED, Array, decoded
from tfpy._src.formats.tfjs.weights_writer import SHARD_SIZE, encoded, sharded
from tfpy._src.keras_support.keras import namespace
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


def load_layers_model(
    source: Any, custom_objects: Mapping[str, Any] | None = None, strict: bool = True
) -> Any:
    """The Keras model in a layers-model of TensorFlow.js: ``model.json`` and files of weights.

    It is TensorFlow.js's ``tf.loadLayersModel``. Files of Keras 1, 2 and 3 and those that
    TensorFlow.js's ``model.save`` wrote are read, with weights of float32, int32 or bool, also
    quantized. A model that was saved with its optimizer is compiled as it was and goes on learning
    from there. Nothing in a file is run: ``Lambda`` layers and classes that are not Keras's are
    refused.

    Args:
        source: the path of ``model.json``, of its folder or of a zip archive with it; the bytes of
            such an archive; a mapping from paths to bytes; an address, which only
            :func:`load_layers_model_async` waits for on a page's own thread.
        custom_objects: classes and functions of yours that stand in the file, by name.
        strict: refuse weights that no layer has and layers without weights.

    Returns:
        A ``tf.keras.Model``; compiled if the file says how (``trainingConfig``).

    Raises:
        FileNotFoundError: when there is no such file.
        ModuleNotFoundError: where Keras is not installed.
        ValueError: when the files are broken, or hold what is not allowed.

    Example::

        model = tf.load_layers_model("my-model/model.json")
        model.predict(x)
    """
    mend = "write `await tf.load_layers_model_async(source)`"
    return wait(load_layers_model_async(source, custom_objects, strict), mend)


async def load_layers_model_async(
    source: Any, custom_objects: Mapping[str, Any] | None = None, strict: bool = True
) -> Any:
    """:func:`load_layers_model`, awaited: files at an address are fetched side by side.

    In a page an address may be relative to it, as in ``fetch``.

    Example::

        model = await tf.load_layers_model_async("https://example.org/my-model/model.json")
    """
    model_json, coming = begun(*await model_file(source))
    return await read_layers_model(model_json, coming, custom_objects, strict)


async def read_layers_model(
    model_json: Mapping[str, Any],
    coming: PendingWeights,
    custom_objects: Mapping[str, Any] | None = None,
    strict: bool = True,
) -> Any:
    """The model that ``model.json`` describes, when its weights have come.

    Raises:
        ModuleNotFoundError: where Keras is not installed.
        ModelFileError: when it is no layers-model, or broken.
    """
    with coming:
        keras = _keras()
        groups = await coming.data()
    weights: dict[str, Array] = {}
    kept: list[tuple[str, Array]] = []
    for group, data in groups:
        for spec, values in decoded(group, data):
            if spec.group is None:
                weights[spec.name] = values
            elif spec.group == OPTIMIZER:
                kept.append((spec.name, values))
    model, found = build(keras, model_json, weights, custom_objects or {}, strict)
    training = model_json.get("trainingConfig")
    if training is not None:
        compile_model(keras, model, training)
        restore(model.optimizer, training["optimizer_config"], _trained(model, found), kept)
    return model


def save_layers_model(
    model: Any,
    folder: str | os.PathLike[str],
    quantization: str | None = None,
    shard_size: int = SHARD_SIZE,
    include_optimizer: bool = False,
) -> None:
    """Writes a Keras model as a layers-model of TensorFlow.js: ``model.json`` and files of weights.

    TensorFlow.js's ``tf.loadLayersModel`` and :func:`load_layers_model` read it.

    Args:
        model: a Sequential or functional ``tf.keras.Model`` of layers that TensorFlow.js 4.22 has.
        folder: where the files go; it is made when there is none.
        quantization: None, or how weights of float32 are stored: "float16", "uint8" or "uint16".
        shard_size: the most bytes of a file of weights.
        include_optimizer: whether losses, metrics, the optimizer and what it keeps are written, so
            that training goes on from there.

    Raises:
        ModuleNotFoundError: where Keras is not installed.
        ValueError: for a model that TensorFlow.js could not compute or train the same; the text
            names the layer, loss, metric or optimizer.

    Example::

        tf.save_layers_model(model, "my-model", quantization="float16")
    """
    if quantization is not None and quantization not in QUANTIZED:
        kinds = ", ".join(map(repr, sorted(QUANTIZED)))
        raise ValueError(f"quantization must be None or one of {kinds}, got {quantization!r}")
    if shard_size < 1:
        raise ValueError(f"shard_size must be positive, got {shard_size}")
    keras = _keras()
    topology = {
        "keras_version": keras.__version__,
        "backend": "tensorflow",
        "model_config": tfjs_config(keras, model),
    }
    named = named_weights(keras, model)
    if len({weight.name for weight in named}) < len(named):
        raise ValueError("TensorFlow.js needs different names for layers, in models in models, too")
    entries = [encoded(w.name, keras.ops.convert_to_numpy(w.variable), quantization) for w in named]
    training = {}
    if include_optimizer:
        config = training_config(keras, model)
        training["trainingConfig"] = config
        trained = _trained(model, [(w.name, w.variable) for w in named])
        for name, values in weights_of(model.optimizer, config["optimizer_config"], trained):
            entry, data = encoded(name, values, None)
            entries.append(({**entry, "group": OPTIMIZER}, data))
    manifest, files = sharded(entries, shard_size)
    written = {
        "format": "layers-model",
        "generatedBy": f"keras v{keras.__version__}",
        "convertedBy": f"tfpy v{__version__}",
        "modelTopology": topology,
        "weightsManifest": manifest,
        **training,
    }
    replace_files(folder, {**files, MODEL: json.dumps(written).encode()})


def _trained(model: Any, named: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Those of the variables, with their names, that an optimizer trains."""
    trained = {id(v) for v in model.trainable_variables}
    return [(name, variable) for name, variable in named if id(variable) in trained]


def _keras() -> Any:
    namespace("keras")  # which says what is missing
    return importlib.import_module("keras")
