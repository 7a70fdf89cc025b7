"""TensorFlow.js's `trainingConfig`, the losses and metrics that a model is compiled with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.formats.tfjs.layers.optimizers import config_of, optimizer_of
from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_string, an_object

Config = dict[str, Any]
LOSSES = {
    **{
        name: name
        for name in (
            "mean_squared_error",
            "mean_absolute_error",
            "mean_absolute_percentage_error",
            "mean_squared_logarithmic_error",
            "squared_hinge",
            "hinge",
            "categorical_hinge",
            "categorical_crossentropy",
            "sparse_categorical_crossentropy",
            "binary_crossentropy",
            "poisson",
        )
    },
    "logcosh": "log_cosh",
    "kullback_leibler_divergence": "kl_divergence",
    "cosine_proximity": "cosine_similarity",
}
"""Keras's loss functions, by TensorFlow.js's names."""

METRICS = {
    "acc": "accuracy",
    "accuracy": "accuracy",
    "ce": "crossentropy",
    "crossentropy": "crossentropy",
    "binary_accuracy": "binary_accuracy",
    "categorical_accuracy": "categorical_accuracy",
    "precision": "precision",
    "categorical_crossentropy": "categorical_crossentropy",
    "sparse_categorical_crossentropy": "sparse_categorical_crossentropy",
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
}
"""Keras's metrics, by TensorFlow.js's names."""

_UNREAD = ("weighted_metrics", "loss_weights", "sample_weight_mode")
"""Entries that TensorFlow.js does not support either."""


def compile_model(keras: Any, model: Any, value: Any) -> None:
    """Compile a model as its `trainingConfig` specifies.

    Raises:
        ModelFileError: If the configuration is invalid or names something unknown.
    """
    config = an_object(value, "trainingConfig")
    for name in _UNREAD:
        if config.get(name) is not None:
            raise ModelFileError(f"trainingConfig.{name} is not supported")
    losses = _each(model, config.get("loss"), "loss", _loss)
    metrics = config.get("metrics")
    if isinstance(metrics, list):  # the same metrics for each output
        found = [_metric(keras, name) for name in metrics]
        measured = [found] * len(model.outputs)
    else:
        measured = _each(model, metrics, "metrics", lambda name: [_metric(keras, name)])
    several = len(model.outputs) > 1
    model.compile(
        optimizer_of(keras, config.get("optimizer_config")),
        losses if several else losses[0],
        metrics=measured if several else measured[0],
    )
    model.optimizer.build(model.trainable_variables)


def _each(model: Any, value: Any, what: str, read: Callable[[Any], Any]) -> list[Any]:
    """Read a value for each output from a name, a list of names, or names by output.

    Raises:
        ModelFileError: If `value` is something else.
    """
    names = _outputs(model)
    if value is None:
        return [None] * len(names)
    if isinstance(value, dict):
        unknown = [name for name in value if name not in names]
        if unknown:
            raise ModelFileError(
                f"trainingConfig.{what}: the model does not have an output {unknown[0]!r}; its "
                f"outputs are {names}"
            )
        return [read(value[name]) if name in value else None for name in names]
    if isinstance(value, str):
        return [read(value)] * len(names)
    entries = a_list(value, f"trainingConfig.{what}")
    if len(entries) != len(names):
        raise ModelFileError(
            f"trainingConfig.{what} has {len(entries)} entries for {len(names)} outputs"
        )
    return [read(entry) for entry in entries]


def _outputs(model: Any) -> list[str]:
    """Return the names of a model's outputs."""
    found = getattr(model, "output_names", None)
    return [model.layers[-1].name] if found is None else list(found)


def _loss(value: Any) -> str:
    name = a_string(value, "a loss")
    if name not in LOSSES:
        raise ModelFileError(f"trainingConfig has the unknown loss {name!r}")
    return LOSSES[name]


def _metric(keras: Any, value: Any) -> Any:
    name = a_string(value, "a metric")
    if name in ("cosine", "cosine_proximity"):
        return keras.losses.cosine_similarity  # the metric of this name has the opposite sign
    if name in LOSSES and name not in METRICS:
        return LOSSES[name]
    if name not in METRICS:
        raise ModelFileError(f"trainingConfig has the unknown metric {name!r}")
    return METRICS[name]


def training_config(keras: Any, model: Any) -> Config:
    """Return the `trainingConfig` of a compiled model.

    Raises:
        ValueError: If TensorFlow.js cannot train the model in the same way.
    """
    config = model.get_compile_config()
    if not config:
        raise ValueError("include_optimizer=True needs a compiled model. Call model.compile first")
    for name in ("loss_weights", "weighted_metrics"):
        if config.get(name) is not None:
            raise ValueError(
                f"the model is compiled with {name}, which TensorFlow.js does not support"
            )
    return {
        "optimizer_config": config_of(model.optimizer),
        "loss": _mapped(config["loss"], lambda value: _loss_name(keras, value)),
        "metrics": _metric_names(keras, model, config.get("metrics")),
    }


def _mapped(value: Any, name_of: Callable[[Any], str]) -> Any:
    if isinstance(value, dict) and "class_name" not in value:
        return {key: name_of(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [name_of(entry) for entry in value]
    return name_of(value)


def _loss_name(keras: Any, value: Any) -> str:
    found = _function_name(keras.losses, value, "loss")
    names = {theirs: name for name, theirs in LOSSES.items()}
    if found not in names:
        raise ValueError(
            f"the loss {_shown(value)} cannot be written: TensorFlow.js does not have it"
        )
    return names[found]


def _metric_names(keras: Any, model: Any, value: Any) -> Any:
    """Return a list for a single output, otherwise one metric by output, like TensorFlow.js.

    Raises:
        ValueError: If one of several outputs has more than one metric.
    """
    names = _outputs(model)
    if len(names) == 1:
        only = value.get(names[0]) if isinstance(value, dict) and names[0] in value else value
        flat = [entry for part in _entries(only) for entry in _entries(part)]
        return [_metric_name(keras, entry) for entry in flat]
    by_output = value if isinstance(value, dict) else dict(zip(names, value or (), strict=False))
    found: dict[str, str] = {}
    for name, of in by_output.items():
        entries = _entries(of)
        if len(entries) > 1:
            raise ValueError(
                f"output {name!r} has {len(entries)} metrics; TensorFlow.js's files have one for "
                "each of several outputs"
            )
        if entries:
            found[name] = _metric_name(keras, entries[0])
    return found


def _entries(value: Any) -> list[Any]:
    """Return the metrics of an output as a list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _metric_name(keras: Any, value: Any) -> str:
    if value in ("acc", "accuracy", "ce", "crossentropy"):
        return str(value)
    found = _function_name(keras.metrics, value, "metric")
    names = {theirs: name for name, theirs in METRICS.items()}
    if found not in names:
        raise ValueError(
            f"the metric {_shown(value)} cannot be written: TensorFlow.js does not have it"
        )
    return names[found]


def _shown(value: Any) -> str:
    """Return the name of a loss or metric for error messages."""
    return str(value.get("class_name")) if isinstance(value, Mapping) else repr(value)


def _function_name(module: Any, value: Any, what: str) -> str | None:
    """Return the name of the Keras function behind a serialized loss or metric.

    Raises:
        ValueError: If it has arguments that differ from the defaults.
    """
    if isinstance(value, Mapping) and value.get("class_name") == "function":
        return str(value.get("config"))
    if isinstance(value, Mapping) and value.get("registered_name"):
        return None
    try:
        made = module.get(value)
    except ValueError:
        return None
    if isinstance(made, type):
        made = made()
    if not hasattr(made, "get_config"):
        return str(made.__name__)
    own = {"name", "dtype"}
    config = {k: v for k, v in made.get_config().items() if k not in own}
    plain = {k: v for k, v in type(made)().get_config().items() if k not in own}
    if config != plain:
        raise ValueError(
            f"the {what} {type(made).__name__} has arguments that differ from the defaults, which "
            "TensorFlow.js does not support"
        )
    function = getattr(made, "_fn", None) or getattr(made, "fn", None)
    return str(function.__name__) if function is not None else type(made).__name__.lower()
