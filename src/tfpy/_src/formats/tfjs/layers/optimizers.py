"""Optimizers between Keras and TensorFlow.js's files: their arguments, and what they keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tfpy._src.formats.tfjs.weights_manifest import Array
from tfpy._src.library.io.checked_json import ModelFileError, a_number, a_size, a_string, an_object

Config = dict[str, Any]
ITERATIONS = "iter"
"""The first weight of an optimizer: how many steps it has made."""


@dataclass(frozen=True)
class Slot:
    """Numbers that an optimizer keeps for each variable."""

    attribute: str
    """Keras's list of them, which is empty where it needs none."""
    name: str
    """What TensorFlow.js adds to the variable's name."""
    is_step: bool = False
    """Whether Keras keeps minus the learning rate times what TensorFlow.js keeps."""


@dataclass(frozen=True)
class OptimizerKind:
    """An optimizer that both have."""

    keras: str
    arguments: Mapping[str, str]
    """TensorFlow.js's -> Keras's."""
    slots: tuple[Slot, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Other arguments of Keras's, with what TensorFlow.js computes with."""


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
"""By TensorFlow.js's names. Its Adamax can neither give nor take what it keeps."""

_AVERAGE = Slot("_average_gradients", "mg")
_OTHERWISE = {
    "Adadelta": "divides by the average of before the step",
    "centered": "subtracts epsilon where Keras adds it",
}
_NEUTRAL = ("weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "loss_scale_factor",
            "gradient_accumulation_steps")  # fmt: skip
"""Arguments of all of Keras's that TensorFlow.js has not, None where they do nothing."""


def optimizer_of(keras: Any, value: Any) -> Any:
    """The optimizer of an ``optimizer_config``.

    Raises:
        ModelFileError: when it is none.
    """
    entry = an_object(value, "optimizer_config")
    name = a_string(entry.get("class_name"), "optimizer_config.class_name")
    kind = KINDS.get(name)
    if kind is None:
        raise ModelFileError(f"the optimizer is {name!r}; known are {', '.join(KINDS)}")
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
    """Gives a built optimizer what one of TensorFlow.js's kept.

    Args:
        variables: those that it trains, in the file's order, with their names there.
        weights: in the file's order, with their names.

    Raises:
        ModelFileError: when they do not fit.
    """
    if not weights:
        return
    (name, steps), *rest = weights
    if name != ITERATIONS or steps.shape != () or steps.dtype.kind != "i":
        raise ModelFileError(f"the optimizer's first weight must be the integer {ITERATIONS!r}")
    optimizer.iterations.assign(a_size(int(steps), "the optimizer's number of steps"))
    slots = _slots(config["class_name"], optimizer)
    if not rest:  # it has made no step
        return
    if len(rest) != len(slots) * len(variables):
        raise ModelFileError(
            f"the optimizer has {len(rest)} weights; {config['class_name']} has {len(slots)} for "
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
                    f"the optimizer's weight {name!r} is {values.dtype} of shape "
                    f"{list(values.shape)}; its variable's shape is {list(variable.shape)}"
                )
            if kept:
                scale = -float(optimizer.learning_rate.numpy()) if slot.is_step else 1.0
                kept[places[id(variable)]].assign(values * np.float32(scale))


def _slots(name: str, optimizer: Any) -> tuple[Slot, ...]:
    more = (_AVERAGE,) if name == "RMSProp" and optimizer.centered else ()
    return (*KINDS[name].slots, *more)


def config_of(optimizer: Any) -> Config:
    """An optimizer's ``optimizer_config``.

    Raises:
        ValueError: for one that TensorFlow.js has not or that computes otherwise there.
    """
    kind = type(optimizer).__name__
    config = optimizer.get_config()
    what = f"the optimizer {kind}"
    names = [name for name, known in KINDS.items() if known.keras == kind]
    if not names or not type(optimizer).__module__.startswith("keras."):
        raise ValueError(f"{what} cannot be written: TensorFlow.js has none that keeps the same")
    name = "Momentum" if kind == "SGD" and config["momentum"] else names[0]
    for key in (name, "centered" if config.get("centered") else ""):
        if key in _OTHERWISE:
            raise ValueError(f"{what} cannot be written: TensorFlow.js's {_OTHERWISE[key]}")
    if not isinstance(config["learning_rate"], float):
        raise ValueError(f"{what} has a schedule for its learning rate; TensorFlow.js has none")
    known = KINDS[name]
    others = {**known.fixed, **dict.fromkeys(_NEUTRAL), "use_ema": False}
    for argument, neutral in others.items():
        if config.get(argument) != neutral and argument in config:
            raise ValueError(f"{what} has {argument}={config[argument]!r}; TensorFlow.js has not")
    arguments = {key: config[argument] for key, argument in known.arguments.items()}
    return {"class_name": name, "config": arguments}


def weights_of(
    optimizer: Any, config: Config, variables: Sequence[tuple[str, Any]]
) -> list[tuple[str, Array]]:
    """What an optimizer keeps, with TensorFlow.js's names, in its order.

    Args:
        variables: those that it trains, in the file's order, with their names there.
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
