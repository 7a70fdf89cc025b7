"""Reader and writer of layers models of TensorFlow.js: `tf.load_layers_model` and others."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base.atomic_files import replace_files
from tfpy._src.base.version import __version__
from tfpy._src.formats.model_files import MODEL
from tfpy._src.formats.sources import ModelSource
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

_PENDING = "uninitialized_variables"  # Keras's attribute for variables without values


def build(
    keras: Any,
    model_json: Mapping[str, Any],
    weights: Mapping[str, Array],
    custom_objects: Mapping[str, Any],
    strict: bool,
) -> tuple[Any, list[tuple[str, Any]]]:
    """Build the model that `model.json` describes, with its weights.

    Variables get no initial values before the weights are known to match. So a file cannot request
    more memory than it has weights, and no time is spent on random numbers.

    Returns:
        The model, and its variables with their names in the order of the file.

    Raises:
        ModelFileError: If the configuration is invalid, or the weights do not match it.
    """
    config, by_keras_3 = topology(model_json)
    modernizer = Modernizer(keras, custom_objects, by_keras_3)
    modern = modernizer.model(config)
    with _pending(keras):
        with keras.StatelessScope(initialize_variables=False):
            model = _deserialized(keras, modern, custom_objects)
        if not model.built:
            raise ModelFileError("the model's configuration does not specify the input shape")
        named = named_weights(keras, model, modernizer.renamed)
        found: list[tuple[str, Any]] = []
        if "weightsManifest" in model_json:
            for name, weight in matched(named, weights, strict).items():
                _give(weight.variable, weights[name], name)
                found.append((name, weight.variable))
        _variables_module().initialize_all_variables()
    for layer in model._flatten_layers():
        if hasattr(layer, "finalize_state"):  # computes values that depend on the weights
            layer.finalize_state()
    return model, found


def _deserialized(keras: Any, config: Any, custom_objects: Mapping[str, Any]) -> Any:
    try:
        return keras.saving.deserialize_keras_object(
            config, custom_objects=dict(custom_objects), safe_mode=True
        )
    except Exception as error:  # constructors of layers raise any class for wrong arguments
        raise ModelFileError(f"Keras cannot make the model: {_cause(error)}") from error


def _cause(error: BaseException) -> str:
    """Return the text of the first error. Keras's later errors contain the whole configuration."""
    while error.__context__ is not None:
        error = error.__context__
    text = str(error)
    return text if len(text) <= 400 else f"{text[:397]}..."


def _give(variable: Any, value: Array, name: str) -> None:
    """Set the value that a variable is initialized with.

    Raises:
        ModelFileError: If the shape or the dtype does not match.
    """
    if tuple(variable.shape) != value.shape:
        raise ModelFileError(
            f"weight {name!r} has the shape {list(value.shape)} in the file and "
            f"{list(variable.shape)} in the model"
        )
    if value.dtype == object:
        raise ModelFileError(
            f"weight {name!r} contains strings in the file, but has the dtype {variable.dtype} in "
            "the model"
        )
    variable._initializer = lambda shape, dtype: np.asarray(value, dtype)


@contextmanager
def _pending(keras: Any) -> Iterator[None]:
    """Empty Keras's list of variables without values, and restore it at the end."""
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
    source: ModelSource, custom_objects: Mapping[str, Any] | None = None, strict: bool = True
) -> Any:
    """Load a layers model of TensorFlow.js, from `model.json` and its weight files, into Keras.

    Equivalent to `tf.loadLayersModel` in TensorFlow.js. Supported are files that were written by
    TensorFlow.js or converted from Keras 1, 2 or 3, with float32, int32, bool or quantized weights.
    A model that was saved with its optimizer is compiled, and training continues from the saved
    state. Code in a file is never executed: `Lambda` layers are refused, and so are classes outside
    of Keras that are not in `custom_objects`.

    Args:
        source: Path of `model.json`, of its folder, or of a zip archive that contains it; the URL
            of `model.json`; the bytes of such an archive; or a dict from paths to bytes. On the
            page's main thread, use `tf.load_layers_model_async` for a URL.
        custom_objects: Dict from names in the file to your classes and functions. Default: the file
            may only refer to those of Keras.
        strict: If True, raise an error for weights that belong to no layer, and for layers whose
            weights are missing.

    Returns:
        A `tf.keras.Model`. It is compiled if it was saved with its optimizer.

    Raises:
        FileNotFoundError: If the path does not exist.
        ModuleNotFoundError: If Keras is not installed.
        ValueError: If `model.json` or a weight file is missing or damaged, or if the file contains
            a layer that is refused.

    Example::

        model = tf.load_layers_model("my-model/model.json")
        model.predict(x)

    See also: `tf.load_layers_model_async`, `tf.save_layers_model`, `tf.models.load`.
    """
    mend = "write `await tf.load_layers_model_async(source)`"
    return wait(load_layers_model_async(source, custom_objects, strict), mend)


@awaitable("tf.load_layers_model_async(source)")
async def load_layers_model_async(
    source: ModelSource, custom_objects: Mapping[str, Any] | None = None, strict: bool = True
) -> Any:
    """Load a layers model of TensorFlow.js into Keras without blocking the page.

    Weight files are fetched in parallel.

    Args:
        source: Path of `model.json`, of its folder, or of a zip archive that contains it; the URL
            of `model.json`, which may be relative to the page; the bytes of such an archive; or a
            dict from paths to bytes.
        custom_objects: Dict from names in the file to your classes and functions. Default: the file
            may only refer to those of Keras.
        strict: If True, raise an error for weights that belong to no layer, and for layers whose
            weights are missing.

    Returns:
        An awaitable that resolves to a `tf.keras.Model`. It is compiled if it was saved with its
        optimizer.

    Raises:
        FileNotFoundError: If the path does not exist.
        ModuleNotFoundError: If Keras is not installed.
        ValueError: If `model.json` or a weight file is missing or damaged, or if the file contains
            a layer that is refused.

    Example::

        model = await tf.load_layers_model_async("https://example.org/my-model/model.json")

    See also: `tf.load_layers_model`.
    """
    model_json, coming = begun(*await model_file(source))
    return await read_layers_model(model_json, coming, custom_objects, strict)


async def read_layers_model(
    model_json: Mapping[str, Any],
    coming: PendingWeights,
    custom_objects: Mapping[str, Any] | None = None,
    strict: bool = True,
) -> Any:
    """Return the model that `model.json` describes, after its weights have arrived.

    Raises:
        ModuleNotFoundError: If Keras is not installed.
        ModelFileError: If it is not a layers model, or is damaged.
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
    """Write a Keras model as a layers model of TensorFlow.js: `model.json` and weight files.

    The files can be loaded by `tf.loadLayersModel` in TensorFlow.js and by `tf.load_layers_model`.

    Args:
        model: Sequential or functional `tf.keras.Model`, of layers that TensorFlow.js 4.22
            supports.
        folder: Folder to write the files to. It is created if it does not exist.
        quantization: Type in which float32 weights are stored. Legal values are `"float16"`,
            `"uint8"`, `"uint16"`, and None for float32.
        shard_size: Maximum number of bytes in a weight file. Default: 4 MiB.
        include_optimizer: If True, also write the losses, the metrics, and the optimizer with its
            state, so that training can continue.

    Raises:
        ModuleNotFoundError: If Keras is not installed.
        ValueError: If TensorFlow.js cannot compute or train the model in the same way. The message
            names the layer, loss, metric or optimizer.

    Example::

        tf.save_layers_model(model, "my-model", quantization="float16")

    See also: `tf.load_layers_model`, `tf.save_graph_model`.
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
        raise ValueError(
            "TensorFlow.js needs a different name for each layer, including layers of nested models"
        )
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
    """Return the variables that an optimizer trains, with their names."""
    trained = {id(v) for v in model.trainable_variables}
    return [(name, variable) for name, variable in named if id(variable) in trained]


def _keras() -> Any:
    namespace("keras")  # raises an error with instructions if Keras is missing
    return importlib.import_module("keras")
