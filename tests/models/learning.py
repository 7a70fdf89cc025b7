"""Models that are saved during training, and models that TensorFlow.js could not continue."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers, losses as k, metrics, optimizers

import tfpy

ROWS = 8


def of(optimizer: Any, loss: Any = "categorical_crossentropy", *measured: Any) -> Callable[[], Any]:
    """Return a function that makes a compiled classifier."""

    def made() -> Any:
        model = keras.Sequential(
            [keras.Input((6,)), layers.Dense(4, "relu"), layers.Dense(3, "softmax")]
        )
        model.compile(optimizer(), loss, metrics=list(measured) or None)
        return model

    return made


def heads() -> Any:
    image = keras.Input((6,))
    x = layers.Dense(5, "tanh", trainable=False, name="frozen")(image)
    x = layers.BatchNormalization()(layers.Dense(5, name="body")(x))
    outputs = [layers.Dense(3, "softmax", name="kind")(x), layers.Dense(1, name="size")(x)]
    model = keras.Model(image, outputs)
    model.compile(
        optimizers.RMSprop(0.01), ["categorical_crossentropy", "mse"], metrics=["accuracy", "mae"]
    )
    return model


MODELS: dict[str, Callable[[], Any]] = {
    "sgd": of(lambda: optimizers.SGD(0.1), "mse"),
    "momentum": of(lambda: optimizers.SGD(0.05, momentum=0.8), k.KLDivergence()),
    "nesterov": of(lambda: optimizers.SGD(0.05, 0.8, nesterov=True), k.poisson),
    "adagrad": of(lambda: optimizers.Adagrad(0.1), "log_cosh", "mse"),
    "adam": of(lambda: optimizers.Adam(0.02), k.CategoricalCrossentropy(), "accuracy", "mae"),
    "rmsprop": of(lambda: optimizers.RMSprop(0.01, momentum=0.5), "cosine_similarity"),
    "heads": heads,
}


def data(model: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(0)
    kinds = np.eye(3, dtype="float32")[rng.integers(0, 3, ROWS)]
    labels = [kinds, rng.normal(size=(ROWS, 1)).astype("float32")]
    x = rng.normal(size=(ROWS, 6)).astype("float32")
    return [x], labels[: len(model.outputs)]


def losses(model: Any, x: list[Any], y: list[Any], steps: int) -> list[list[float]]:
    """Train for some more steps and return the losses, the losses of outputs and the metrics."""
    (only,) = x
    labels = y if len(y) > 1 else y[0]
    found = [model.train_on_batch(only, labels) for _ in range(steps)]
    return [np.ravel(values).tolist() for values in found]


def scheduled() -> Any:
    return optimizers.SGD(optimizers.schedules.CosineDecay(0.1, 10))


class Own(optimizers.SGD):
    """A custom optimizer."""


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "kind": (of(optimizers.Nadam), "Nadam cannot be written"),
    "no state": (of(optimizers.Adamax), "Adamax cannot be written"),
    "otherwise": (of(optimizers.Adadelta), "divides by the average before the step"),
    "centered": (of(lambda: optimizers.RMSprop(centered=True)), "subtracts epsilon"),
    "schedule": (of(scheduled), "has a learning rate schedule"),
    "clipping": (of(lambda: optimizers.SGD(clipnorm=1.0)), "clipnorm=1.0"),
    "decay": (of(lambda: optimizers.Adam(weight_decay=0.1)), "weight_decay=0.1"),
    "amsgrad": (of(lambda: optimizers.Adam(amsgrad=True)), "amsgrad=True"),
    "own": (of(Own), "Own cannot be written"),
    "loss": (of(optimizers.SGD, k.Huber()), "TensorFlow.js does not have it"),
    "function": (of(optimizers.SGD, lambda x, y: x - y), "TensorFlow.js does not have it"),
    "logits": (
        of(optimizers.SGD, k.CategoricalCrossentropy(from_logits=True)),
        "CategoricalCrossentropy has arguments",
    ),
    "metric": (of(optimizers.SGD, "mse", metrics.AUC()), "metric"),
}


def answers(folder: Path) -> list[tuple[str, str, str]]:
    """Return the name, the expected message and the actual message of each case."""
    found = []
    for name, (make, text) in REFUSED.items():
        try:
            tfpy.save_layers_model(make(), folder, include_optimizer=True)
            found.append((name, text, "nothing"))
        except ValueError as error:
            found.append((name, text, str(error)))
    return found


def weights(model: Any) -> list[Any]:
    """Return the entries of an optimizer's weights."""
    entries = model["weightsManifest"][0]["weights"]
    return [entry for entry in entries if entry.get("group") == "optimizer"]


def config(**of: Any) -> Callable[[Any], None]:
    return lambda model: model["trainingConfig"].update(of)


def optimizer(**of: Any) -> Callable[[Any], None]:
    return lambda model: model["trainingConfig"]["optimizer_config"].update(of)


def argument(**of: Any) -> Callable[[Any], None]:
    return lambda model: model["trainingConfig"]["optimizer_config"]["config"].update(of)


def without_one(model: Any) -> None:
    weights(model)[3]["group"] = "another"


def reshaped(model: Any) -> None:
    weights(model)[1]["shape"].reverse()


def misnamed(model: Any) -> None:
    weights(model)[0]["name"] = "steps"


HOSTILE: dict[str, tuple[Callable[[Any], None], str]] = {
    "class": (optimizer(class_name="System"), "the optimizer 'System' is not supported"),
    "no class": (optimizer(class_name=None), "optimizer_config.class_name must be a string"),
    "rate": (argument(learningRate="fast"), "learningRate must be a finite number"),
    "no rate": (argument(learningRate=None), "learningRate must be a finite number"),
    "loss": (config(loss="os.system"), "the unknown loss 'os.system'"),
    "losses": (config(loss=["mean_squared_error"] * 2), "loss has 2 entries for 1 outputs"),
    "output": (
        config(loss={"nix": "mean_squared_error"}),
        "the model does not have an output 'nix'",
    ),
    "metric": (config(metrics=[{"class_name": "Lambda"}]), "a metric must be a string"),
    "weights": (config(loss_weights=[1.0]), "loss_weights is not supported"),
    "fewer": (without_one, "the optimizer has 7 weights; Adam needs 2 for each of 4 variables"),
    "shape": (reshaped, "its variable's shape is [6, 4]"),
    "steps": (misnamed, "first weight must be the integer 'iter'"),
}


def refusals(folder: Path) -> list[tuple[str, str, str]]:
    """Return the same for files that are loaded."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    plain, found = json.loads(files["model.json"]), []
    for name, (change, text) in HOSTILE.items():
        model = copy.deepcopy(plain)
        change(model)
        try:
            tfpy.load_layers_model({**files, "model.json": json.dumps(model).encode()})
            found.append((name, text, "nothing"))
        except ValueError as error:
            found.append((name, text, str(error)))
    return found
