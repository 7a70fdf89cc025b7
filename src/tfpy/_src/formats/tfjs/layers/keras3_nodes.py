"""The calls of layers in a model, as Keras 3 writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_size, a_string, an_object

RECURRENT = ("RNN", "SimpleRNN", "GRU", "LSTM", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D")
"""Layers that older Kerases give the state beside the input."""
_MODELS = ("Functional", "Sequential")


class ModelNodes:
    """Calls between the layers of one model.

    Args:
        model: its name.
        classes: its layers' names -> their classes.
        renamed: gives the name that a layer has now.
    """

    def __init__(
        self, model: str, classes: Mapping[str, str], renamed: Callable[[Any], str]
    ) -> None:
        self._model, self._classes, self._renamed = model, classes, renamed

    def call(self, layer: dict[str, Any], node: Any) -> dict[str, Any]:
        """What a layer is called with.

        Raises:
            ModelFileError: for what is no call.
        """
        what = f"a call of {layer['name']!r}"
        if isinstance(node, dict):  # Keras 3's way
            return {key: self._of_keras_3(node.get(key), what) for key in ("args", "kwargs")}
        tensors, named = [], {}
        for entry in a_list(node, what):
            tensors.append(self._tensor(entry, what))
            if len(entry) > 3:
                named = an_object(entry[3] or {}, f"the arguments of {what}")
        if not tensors:
            raise ModelFileError(f"{what} has no input")
        kwargs = {key: self._argument(value, what) for key, value in named.items()}
        if layer["class_name"] in (*RECURRENT, "Bidirectional") and len(tensors) > 1:
            kwargs["initial_state"] = tensors[1:]
            tensors = tensors[:1]
        return {"args": tensors if len(tensors) == 1 else [tensors], "kwargs": kwargs}

    def ends(self, value: Any, what: str) -> Any:
        """The inputs or outputs of the model.

        Raises:
            ModelFileError: for what is no nest of them.
        """
        if isinstance(value, dict):
            return {key: self.ends(v, what) for key, v in value.items()}
        entries = a_list(value, what)
        if not entries or not isinstance(entries[0], str):
            return [self.ends(entry, what) for entry in entries]
        name, node, output = self._place(entries, what)
        return [name, node - self._offset(name, node, "Sequential"), output]

    def _place(self, entry: list[Any], what: str) -> tuple[str, int, int]:
        """An output of a call of a layer: the layer's name and the numbers of the two."""
        if len(entry) not in (3, 4):
            raise ModelFileError(f"{what} has {entry!r} where a layer's output is to be")
        name = self._renamed(a_string(entry[0], what))
        if name not in self._classes:
            raise ModelFileError(f"{what}: {self._model} has no layer {name!r}")
        return name, a_size(entry[1], what), a_size(entry[2], what)

    def _offset(self, name: str, node: int, *kinds: str) -> int:
        """Models within models had a call of their own before those by others."""
        return int(node > 0 and self._classes[name] in kinds)

    def _tensor(self, entry: Any, what: str) -> dict[str, Any]:
        name, node, output = self._place(a_list(entry, what), what)
        return _reference(name, node - self._offset(name, node, *_MODELS), output)

    def _argument(self, value: Any, what: str) -> Any:
        if isinstance(value, list):
            if len(value) == 3 and isinstance(value[0], str) and self._is_layer(value[0]):
                return self._tensor(value, what)
            return [self._argument(v, what) for v in value]
        if isinstance(value, dict):
            raise ModelFileError(f"{what} has an argument that is not allowed: {value!r}")
        return value

    def _is_layer(self, name: str) -> bool:
        return bool(name) and self._renamed(name) in self._classes

    def _of_keras_3(self, value: Any, what: str) -> Any:
        if isinstance(value, list):
            return [self._of_keras_3(v, what) for v in value]
        if not isinstance(value, dict):
            return value
        if "class_name" not in value:
            return {key: self._of_keras_3(v, what) for key, v in value.items()}
        if value["class_name"] != "__keras_tensor__":
            raise ModelFileError(f"{what} has an argument that is not allowed: {value!r}")
        config = an_object(value.get("config"), what)
        return _reference(*self._place(a_list(config.get("keras_history"), what), what))


def _reference(name: str, node: int, output: int) -> dict[str, Any]:
    """An output of a call; Keras puts the tensor itself in its place."""
    config = {"shape": [], "dtype": "float32", "keras_history": [name, node, output]}
    return {"class_name": "__keras_tensor__", "config": config}


def singles(value: Any) -> Any:
    """A list of one output is that output."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return value
