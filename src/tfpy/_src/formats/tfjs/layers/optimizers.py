"""The conversion of optimizers and their state between Keras and TensorFlow.js's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfpy._src.formats.tfjs.weights_manifest import Array
from tfpy._src.library.io.checked_json import ModelFileError, a_number, a_size, a_string, an_object

Config = dict[str, Any]
ITERATIONS = "iter"
"""Name of an optimizer's first weight, the number of steps."""


@dataclass(frozen=True)
class Slot:
    """State that an optimizer keeps for each variable."""

    attribute: str
    """Keras's attribute, a list that is empty if the optimizer does not need this state."""
    name: str
    """Suffix of the variable's name in TensorFlow.js."""
    is_step: bool = False
    """True if Keras's value is TensorFlow.js's value times minus the learning rate."""


@dataclass(frozen=True)
class OptimizerKind:
    """An optimizer that Keras and TensorFlow.js both have."""

    keras: str
    arguments: Mapping[str, str]
    """Keras's names of arguments, by TensorFlow.js's names."""
    slots: tuple[Slot, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Other arguments of Keras, with the values that TensorFlow.js uses."""


_RATE = {"learningRate": "learning_rate"}
_EPSILON = {"epsilon": 1e-7}
_RMS_PROP = {
    **_RATE,
    "decay": "rho",
    "momentum": "momentum",
    "epsilon": "epsilon",
    "centered": "centered",
}
KINDS = {
    "SGD": OptimizerKind("SGD", _RATE, fixed={"momentum": 0.0}),
    "Momentum": OptimizerKind(
        "SGD",
        {**_RATE, "momentum": "momentum", "useNesterov": "nesterov"},
        (Slot("momentums", "momentum", is_step=True),),
    ),
    "Adagrad": OptimizerKind(
        "Adagrad",
        {**_RATE, "initialAccumulatorValue": "initial_accumulator_value"},
        (Slot("_accumulators", "accumulator"),),
        _EPSILON,
    ),
    "Adadelta": OptimizerKind(
        "Adadelta",
        {**_RATE, "rho": "rho", "epsilon": "epsilon"},
        (Slot("_accumulated_grads", "accum_grad"), Slot("_accumulated_delta_vars", "accum_var")),
    ),
    "Adam": OptimizerKind(
        "Adam",
        {**_RATE, "beta1": "beta_1", "beta2": "beta_2", "epsilon": "epsilon"},
        (Slot("_momentums", "m"), Slot("_velocities", "v")),
        {"amsgrad": False},
    ),
    "RMSProp": OptimizerKind(
        "RMSprop", _RMS_PROP, (Slot("_velocities", "rms"), Slot("_momentums", "momentum"))
    ),
}
"""Optimizers by TensorFlow.js's names. Adamax is absent, because it cannot save its state there."""

_AVERAGE = Slot("_average_gradients", "mg")
_OTHERWISE = {
    "Adadelta": "divides by the average before the step",
    "centered": "subtracts epsilon, which Keras adds",
}
_NEUTRAL = ("weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "loss_scale_factor",
            "gradient_accumulation_steps")  # fmt: skip
"""Arguments of Keras's optimizers that TensorFlow.js does not have. None has no effect."""


def optimizer_of(keras: Any, value: Any) -> Any:
    """Make the optimizer of an `optimizer_config`.

    Raises:
        ModelFileError: If the configuration is invalid.
    """
    entry = an_object(value, "optimizer_config")
    name = a_string(entry.get("class_name"), "optimizer_config.class_name")
    kind = KINDS.get(name)
    if kind is None:
        raise ModelFileError(
            f"the optimizer {name!r} is not supported; supported are {', '.join(KINDS)}"
        )
    given: Config = dict(kind.fixed)
    config = an_object(entry.get("config"), "optimizer_config.config")
    for key, argument in kind.arguments.items():
        found, what = config.get(key), f"optimizer_config.config.{key}"
        if argument in ("nesterov", "centered"):
            if not isinstance(found, bool | None):
                raise ModelFileError(f"{what} must be true or false")
            given[argument] = bool(found)
        elif found is not None or key == "learningRate":
            given[argument] = a_number(found, what)
    try:
        return getattr(keras.optimizers, kind.keras)(**given)
    except ValueError as error:
        raise ModelFileError(f"Keras cannot make the optimizer {name}: {error}") from error


def restore(
    optimizer: Any,
    config: Config,
    variables: Sequence[tuple[str, Any]],
    weights: Sequence[tuple[str, Array]],
) -> None:
    """Restore the state of a TensorFlow.js optimizer to a Keras optimizer.

    Args:
        optimizer: The Keras optimizer, which has been built.
        config: The `optimizer_config`.
        variables: Names and variables that the optimizer trains, in the order of the file.
        weights: Names and values of the state, in the order of the file.

    Raises:
        ModelFileError: If the state does not match the optimizer.
    """
    if not weights:
        return
    (name, steps), *rest = weights
    if name != ITERATIONS or steps.shape != () or steps.dtype.kind != "i":
        raise ModelFileError(f"the optimizer's first weight must be the integer {ITERATIONS!r}")
    optimizer.iterations.assign(a_size(int(steps), "the optimizer's number of steps"))
    slots = _slots(config["class_name"], optimizer)
    if not rest:  # no step has been made
        return
    if len(rest) != len(slots) * len(variables):
        raise ModelFileError(
            f"the optimizer has {len(rest)} weights; {config['class_name']} needs {len(slots)} for "
            f"each of {len(variables)} variables"
        )
    places = {id(v): i for i, v in enumerate(optimizer._trainable_variables)}
    given = iter(rest)
    for slot in slots:
        kept = getattr(optimizer, slot.attribute)
        for _, variable in variables:
            name, values = next(given)
            if values.shape != tuple(variable.shape) or values.dtype.kind != "f":
                raise ModelFileError(
                    f"the optimizer's weight {name!r} has the dtype {values.dtype} and the shape "
                    f"{list(values.shape)}; its variable's shape is {list(variable.shape)}"
                )
            if kept:
                scale = -float(optimizer.learning_rate.numpy()) if slot.is_step else 1.0
                kept[places[id(variable)]].assign(values * np.float32(scale))


def _slots(name: str, optimizer: Any) -> tuple[Slot, ...]:
    more = (_AVERAGE,) if name == "RMSProp" and optimizer.centered else ()
    return (*KINDS[name].slots, *more)


def config_of(optimizer: Any) -> Config:
    """Return an optimizer's `optimizer_config`.

    Raises:
        ValueError: If TensorFlow.js does not have the optimizer, or computes it differently.
    """
    kind = type(optimizer).__name__
    config = optimizer.get_config()
    what = f"the optimizer {kind}"
    names = [name for name, known in KINDS.items() if known.keras == kind]
    if not names or not type(optimizer).__module__.startswith("keras."):
        raise ValueError(
            f"{what} cannot be written: TensorFlow.js does not have an optimizer with equal state"
        )
    name = "Momentum" if kind == "SGD" and config["momentum"] else names[0]
    for key in (name, "centered" if config.get("centered") else ""):
        if key in _OTHERWISE:
            raise ValueError(f"{what} cannot be written: TensorFlow.js's {_OTHERWISE[key]}")
    if not isinstance(config["learning_rate"], float):
        raise ValueError(
            f"{what} has a learning rate schedule, which TensorFlow.js does not support. Pass a "
            "number as learning rate"
        )
    known = KINDS[name]
    others = {**known.fixed, **dict.fromkeys(_NEUTRAL), "use_ema": False}
    for argument, neutral in others.items():
        if config.get(argument) != neutral and argument in config:
            raise ValueError(
                f"{what} has {argument}={config[argument]!r}, which TensorFlow.js does not support"
            )
    arguments = {key: config[argument] for key, argument in known.arguments.items()}
    return {"class_name": name, "config": arguments}


def weights_of(
    optimizer: Any, config: Config, variables: Sequence[tuple[str, Any]]
) -> list[tuple[str, Array]]:
    """Return the state of an optimizer with TensorFlow.js's names, in TensorFlow.js's order.

    Args:
        optimizer: The optimizer.
        config: Its `optimizer_config`.
        variables: Names and variables that the optimizer trains, in the order of the file.
    """
    found: list[tuple[str, Array]] = [
        (ITERATIONS, np.array(optimizer.iterations.numpy(), np.int32))
    ]
    if not optimizer.built:
        return found
    places = {id(v): i for i, v in enumerate(optimizer._trainable_variables)}
    rate = config["config"]["learningRate"]
    for slot in KINDS[config["class_name"]].slots:
        kept = getattr(optimizer, slot.attribute)
        for name, variable in variables:
            values = np.zeros(variable.shape, np.float32)
            if kept and (rate or not slot.is_step):
                values = np.asarray(kept[places[id(variable)]].numpy(), np.float32)
                values = values / np.float32(-rate) if slot.is_step else values
            found.append((f"{name}/{slot.name}", values))
    return found
