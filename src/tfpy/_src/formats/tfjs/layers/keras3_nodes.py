"""The calls of layers in a model, in the form of Keras 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_size, a_string, an_object

RECURRENT = ("RNN", "SimpleRNN", "GRU", "LSTM", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D")
"""Layers to which older versions of Keras pass the state next to the input."""
_MODELS = ("Functional", "Sequential")


class ModelNodes:
    """The calls between the layers of one model.

    Args:
        model: Name of the model.
        classes: Class names of the layers, by layer name.
        renamed: Function that returns the new name of a layer.
    """

    def __init__(
        self, model: str, classes: Mapping[str, str], renamed: Callable[[Any], str]
    ) -> None:
        self._model, self._classes, self._renamed = model, classes, renamed

    def call(self, layer: dict[str, Any], node: Any) -> dict[str, Any]:
        """Convert a call of a layer.

        Raises:
            ModelFileError: If the call is invalid.
        """
        what = f"a call of {layer['name']!r}"
        if isinstance(node, dict):  # the form of Keras 3
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
        """Convert the inputs or outputs of the model.

        Raises:
            ModelFileError: If they are invalid.
        """
        if isinstance(value, dict):
            return {key: self.ends(v, what) for key, v in value.items()}
        entries = a_list(value, what)
        if not entries or not isinstance(entries[0], str):
            return [self.ends(entry, what) for entry in entries]
        name, node, output = self._place(entries, what)
        return [name, node - self._offset(name, node, "Sequential"), output]

    def _place(self, entry: list[Any], what: str) -> tuple[str, int, int]:
        """Return a reference to an output of a call: layer name, call number and output number."""
        if len(entry) not in (3, 4):
            raise ModelFileError(f"{what}: expected the output of a layer, got {entry!r}")
        name = self._renamed(a_string(entry[0], what))
        if name not in self._classes:
            raise ModelFileError(f"{what}: {self._model} has no layer {name!r}")
        return name, a_size(entry[1], what), a_size(entry[2], what)

    def _offset(self, name: str, node: int, *kinds: str) -> int:
        """Return the number of calls to skip: nested models were called once when created."""
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
    """Return a reference to an output of a call, which Keras replaces by the tensor."""
    config = {"shape": [], "dtype": "float32", "keras_history": [name, node, output]}
    return {"class_name": "__keras_tensor__", "config": config}


def singles(value: Any) -> Any:
    """Unwrap lists that contain a single output."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return value
