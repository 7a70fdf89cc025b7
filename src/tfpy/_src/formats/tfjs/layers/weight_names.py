"""The names that TensorFlow.js and older versions of Keras use for the weights of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError

_OTHER_NAMES = {"DepthwiseConv1D": "depthwise_kernel", "DepthwiseConv2D": "depthwise_kernel"}
"""Layers whose "kernel" has a different name outside of Keras 3, with that name."""
_NOT_SAVED = "seed_generator_state"


@dataclass(frozen=True)
class NamedWeight:
    """A variable of a model."""

    variable: Any
    name: str
    """Name in TensorFlow.js: names of the layer, of the part of the layer, and of the weight."""
    path: str
    """Name in Keras 2: names of the layer, of all layers inside it, and of the weight."""
    models: tuple[str, ...]
    """Names of the nested models that contain the layer."""


def named_weights(
    keras: Any, model: Any, renamed: Mapping[str, str] | None = None
) -> list[NamedWeight]:
    """Return the weights of a model, except for the state of its optimizer and random generators.

    Args:
        keras: The module `keras`.
        model: The model.
        renamed: Names of layers in the file, by their names in the model.
    """
    found: dict[int, NamedWeight] = {}
    for weight in _of_model(keras, model, (), renamed or {}):
        found.setdefault(id(weight.variable), weight)
    return list(found.values())


def _of_model(
    keras: Any, model: Any, models: tuple[str, ...], renamed: Mapping[str, str]
) -> Iterator[NamedWeight]:
    for layer in model.layers:
        name = renamed.get(layer.name, layer.name)
        if isinstance(layer, keras.Model):
            yield from _of_model(keras, layer, (*models, name), renamed)
        else:
            for variable, own, path in _of_layer(keras, layer, name, name):
                yield NamedWeight(variable, own, path, models)


def _of_layer(keras: Any, layer: Any, name: str, path: str) -> Iterator[tuple[Any, str, str]]:
    for variable in layer._trainable_variables + layer._non_trainable_variables:
        own = variable.name
        if own == "kernel":
            own = _OTHER_NAMES.get(type(layer).__name__, own)
        yield variable, f"{name}/{own}", f"{path}/{own}"
    for part, inner in _parts(keras, layer):
        below = f"{name}/{part}" if part else name
        yield from _of_layer(keras, inner, below, f"{path}/{inner.name}")


def _parts(keras: Any, layer: Any) -> list[tuple[str, Any]]:
    """Return the layers inside a layer, with their part of the names of weights."""
    layers = keras.layers
    if isinstance(layer, layers.Bidirectional):
        return [(part.name, part) for part in (layer.forward_layer, layer.backward_layer)]
    if isinstance(layer, layers.StackedRNNCells):
        return [(f"RNNCell_{i}", cell) for i, cell in enumerate(layer.cells)]
    if isinstance(layer, layers.RNN):
        return [("", layer.cell)]
    if isinstance(layer, layers.Wrapper):
        return [("", layer.layer)]
    return [(part.name, part) for part in layer._layers]


def matched(
    weights: list[NamedWeight], names: Iterable[str], strict: bool
) -> dict[str, NamedWeight]:
    """Match names of a file to the weights of a model.

    A name in a file may begin with the names of the models that contain the layer. It may contain
    the name of a cell before the name of the weight.

    Raises:
        ModelFileError: If `strict` is True, and a name or a weight has no match.
    """
    index: dict[str, list[NamedWeight]] = {}
    for weight in weights:
        for name in {weight.name, weight.path, "/".join((*weight.models, weight.name))}:
            index.setdefault(name, []).append(weight)
    found: dict[str, NamedWeight] = {}
    taken: set[int] = set()
    unknown: list[str] = []
    for name in names:
        meant = _meant(name, index, taken)
        if meant is not None:
            found[name] = meant
            taken.add(id(meant.variable))
        elif not name.endswith(_NOT_SAVED):
            unknown.append(name)
    missing = [weight.name for weight in weights if id(weight.variable) not in taken]
    if strict and (unknown or missing):
        raise ModelFileError(
            f"the weights do not match the layers. Not in the model: {_some(unknown)}. Not in the "
            f"file: {_some(missing)}. Pass strict=False to ignore such weights"
        )
    return found


def _meant(
    name: str, index: Mapping[str, list[NamedWeight]], taken: set[int]
) -> NamedWeight | None:
    for candidate in _candidates(name.removesuffix(":0").split("/")):
        left = [w for w in index.get(candidate, []) if id(w.variable) not in taken]
        if len(left) == 1:
            return left[0]
    return None


def _candidates(parts: list[str]) -> Iterator[str]:
    for start in range(len(parts) - 1):
        rest = parts[start:]
        yield "/".join(rest)
        if len(rest) > 2:
            yield "/".join([*rest[:-2], rest[-1]])


def _some(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5])) or "nothing"
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
