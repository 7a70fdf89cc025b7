"""The correspondence between variables of KerasHub's models and weights of Hugging Face.

KerasHub's converters describe it only as functions that compute variables from weights. Here they
are called with the positions of the values instead of the values, so that it can be inverted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.formats.pretrained.backbones import BackboneDescription, described
from tfpy._src.formats.pretrained.source import Unconverted

Positions = NDArray[np.int64]
Hook = Callable[[Any, list[int]], Any]
SUFFIX = ".weight"
HEAD = "lm_head."


@dataclass(frozen=True)
class LinkedKernel:
    """A layer with a kernel, and the kinds of the kernel's axes.

    Attributes:
        layer: The layer, a `Dense` or `EinsumDense`.
        is_input: True for each axis that is summed over in the layer's product.
    """

    layer: Any
    is_input: tuple[bool, ...]

    def size(self, of_input: bool) -> int:
        """Return the number of inputs or outputs."""
        sizes = zip(self.layer.kernel.shape, self.is_input, strict=True)
        return prod(size for size, is_input in sizes if is_input == of_input)


@dataclass(frozen=True)
class Link:
    """A variable with the positions of its values in a flattened weight.

    Attributes:
        variable: The variable of Keras.
        positions: Positions, in the shape of the variable.
        kernel: The layer, if the variable is its kernel.
    """

    variable: Any
    positions: Positions
    kernel: LinkedKernel | None


@dataclass(frozen=True)
class LinkedWeight:
    """A weight of Hugging Face, and the variables that contain its values.

    Attributes:
        shape: Shape of the weight.
        links: Variables, each with a part of the values.
    """

    shape: tuple[int, ...]
    links: list[Link]

    def read(self) -> NDArray[np.float32]:
        """Return the weight with the values of the variables. LoRA is added to kernels."""
        flat = np.empty(prod(self.shape), np.float32)
        for link in self.links:
            found = link.variable if link.kernel is None else link.kernel.layer.kernel
            flat[link.positions.ravel()] = np.asarray(found, np.float32).ravel()
        return flat.reshape(self.shape)


@dataclass(frozen=True)
class LinkedModel:
    """A model of KerasHub, and the weights that it has in Hugging Face.

    Attributes:
        backbone: The backbone of the model.
        description: The backbone's architecture in Hugging Face.
        weights: Weights by their names.
    """

    backbone: Any
    description: BackboneDescription
    weights: Mapping[str, LinkedWeight]

    def modules(self) -> dict[str, LinkedWeight]:
        """Return the weights that are kernels, by the names of their modules."""
        return {
            name.removesuffix(SUFFIX): weight
            for name, weight in self.weights.items()
            if all(link.kernel is not None for link in weight.links)
        }


def linked(model: Any) -> LinkedModel:
    """Return the correspondence for a model of KerasHub.

    Args:
        model: A backbone, or a task with one.

    Raises:
        ValueError: If the architecture is not supported, or if the model is quantized.
    """
    backbone = getattr(model, "backbone", model)
    description = described(backbone)
    _check_unquantized(backbone)
    recorder = _Recorder()
    with _without_lora(backbone):
        description.converter.convert_weights(backbone, recorder, description.config)
    kernels = _kernels(backbone)
    reversed_ids = {
        id(layer.reverse_embeddings)
        for layer in _layers(backbone)
        if getattr(layer, "reverse_embeddings", None) is not None
    }
    weights = {
        _full_name(name, description.prefix): _weight(
            calls, kernels, reversed_ids, description.rows_are_inputs
        )
        for name, calls in recorder.calls.items()
    }
    return LinkedModel(backbone, description, weights)


def _full_name(name: str, prefix: str) -> str:
    """Return the name of a weight in a class that generates tokens."""
    return name if name.startswith((prefix, HEAD)) else f"{prefix}{name}"


class _Recorder:
    """A file of weights for converters, which records what they request."""

    def __init__(self) -> None:
        self.calls: dict[str, list[tuple[Any, Hook | None]]] = {}

    def port_weight(
        self, keras_variable: Any, hf_weight_key: str, hook_fn: Hook | None = None
    ) -> None:
        """Record that a variable has values of a weight."""
        self.calls.setdefault(hf_weight_key, []).append((keras_variable, hook_fn))

    def get_tensor(self, name: str) -> Any:
        """Refuse to return a weight. Converters call this to find out if a weight exists."""
        raise KeyError(name)


def _layers(backbone: Any) -> list[Any]:
    return list(backbone._flatten_layers())


def _check_unquantized(backbone: Any) -> None:
    for layer in _layers(backbone):
        if getattr(layer, "quantization_mode", None) is not None:
            raise ValueError(
                f"the model is quantized to {layer.quantization_mode}. Save it, or load the "
                "adapter, before you quantize it"
            )


@contextmanager
def _without_lora(backbone: Any) -> Iterator[None]:
    """Let layers with LoRA return their variables instead of sums with LoRA."""
    layers = [layer for layer in _layers(backbone) if getattr(layer, "lora_enabled", False)]
    for layer in layers:
        layer.lora_enabled = False
    try:
        yield
    finally:
        for layer in layers:
            layer.lora_enabled = True


def _kernels(backbone: Any) -> dict[int, LinkedKernel]:
    """Return the layers with kernels, by the identities of their variables."""
    found = {}
    for layer in _layers(backbone):
        kernel = getattr(layer, "_kernel", None)
        if kernel is not None and len(kernel.shape) > 1:
            found[id(kernel)] = LinkedKernel(layer, _input_axes(layer, len(kernel.shape)))
    return found


def _input_axes(layer: Any, rank: int) -> tuple[bool, ...]:
    equation = getattr(layer, "equation", None)
    if equation is None:  # a Dense layer
        return tuple(axis < rank - 1 for axis in range(rank))
    operands, _, result = equation.partition("->")
    return tuple(axis not in result for axis in operands.partition(",")[2])


def _weight(
    calls: list[tuple[Any, Hook | None]],
    kernels: Mapping[int, LinkedKernel],
    reversed_ids: set[int],
    rows_are_inputs: bool,
) -> LinkedWeight:
    """Return the positions of variables in a weight.

    Args:
        calls: Variables and functions that compute them from the weight.
        kernels: Layers by the identities of their kernels.
        reversed_ids: Identities of tables of embeddings that are transposed.
        rows_are_inputs: True if the weight of a layer has the shape [inputs, outputs].
    """
    found = [kernels.get(id(variable)) for variable, _ in calls]
    first, kernel = calls[0][0], found[0]
    shape = tuple(first.shape)
    if kernel is not None:
        outputs = sum(other.size(False) for other in found if other is not None)
        shape = (outputs, kernel.size(True))
        shape = shape[::-1] if rows_are_inputs else shape
    elif id(first) in reversed_ids:
        shape = shape[::-1]
    elif len(calls) > 1 or not _is_table(first):  # biases of heads
        shape = (sum(prod(variable.shape) for variable, _ in calls),)
    positions = np.arange(prod(shape), dtype=np.int64).reshape(shape).view(Unconverted)
    links = []
    for (variable, hook), kernel in zip(calls, found, strict=True):
        part = positions if hook is None else hook(positions, list(variable.shape))
        links.append(Link(variable, _checked(part, variable), kernel))
    return LinkedWeight(shape, links)


def _is_table(variable: Any) -> bool:
    return "embeddings" in variable.path.rpartition("/")[2]


def _checked(part: Any, variable: Any) -> Positions:
    """Return positions as an array of integers.

    Raises:
        ValueError: If they are no positions, because the converter computes new values.
    """
    part = np.asarray(part)
    if part.shape != tuple(variable.shape) or part.dtype != np.int64:
        raise ValueError(
            f"the variable {variable.path} does not have the values of one weight of Hugging Face"
        )
    return part
