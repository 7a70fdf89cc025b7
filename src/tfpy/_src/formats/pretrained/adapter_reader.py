"""The reader of adapters in the files of PEFT."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np

from tfpy._src.formats.model_files import ModelFiles
from tfpy._src.formats.pretrained.adapter_config import (
    ADAPTER_CONFIG,
    AdapterConfig,
    check_targets,
    read_config,
)
from tfpy._src.formats.pretrained.adapter_writer import DOWN, MATRICES, PREFIX, UP
from tfpy._src.formats.pretrained.block_weights import BlockWeights
from tfpy._src.formats.pretrained.correspondence import Link, LinkedModel, LinkedWeight, linked
from tfpy._src.formats.pretrained.lora import Axes, Factors, Floats, product, to_keras
from tfpy._src.formats.safetensors.reader import SafetensorsFile
from tfpy._src.formats.sources import ModelSource, opened, received
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError, parse

MAX_BYTES = 1 << 33
MAX_TEXT_BYTES = 1 << 24
NAMES = (MATRICES, ADAPTER_CONFIG)
FUNCTIONS = ("generate", "train", "test", "predict")
"""Beginnings of the names of attributes with compiled functions of a model."""


async def read_adapter(model: Any, source: ModelSource, merge: bool) -> None:
    """Load the adapter in the files of PEFT into a model.

    Args:
        model: The model, or its backbone.
        source: Location of the files.
        merge: If True, add the products of the matrices to the kernels.

    Raises:
        ModelFileError: If a file is damaged or does not belong to the model.
        ValueError: If the architecture is not supported.
    """
    files = opened(await received(source, NAMES), NAMES)
    config = parse(await files.read(_beside(files, ADAPTER_CONFIG), MAX_TEXT_BYTES), ADAPTER_CONFIG)
    found = linked(model)
    with ExitStack() as handles:
        path = _beside(files, MATRICES)
        weights = SafetensorsFile(handles.enter_context(await files.open(path, MAX_BYTES)))
        factors = read_factors(weights, config, found)
    if merge:
        _merge(factors, found)
    else:
        _enable(factors, found)
    for owner in (model, found.backbone):
        for name in FUNCTIONS:
            if getattr(owner, f"{name}_function", None) is not None:
                setattr(owner, f"{name}_function", None)  # it contains the kernels without LoRA


def _beside(files: ModelFiles, name: str) -> str:
    """Return the path of a file next to the main file."""
    return f"{files.model.rpartition('/')[0]}/{name}".lstrip("/")


def read_factors(
    weights: WeightFile, config: dict[str, Any], model: LinkedModel
) -> dict[str, Factors]:
    """Return the matrices of an adapter by the names of the model's modules.

    Raises:
        ModelFileError: If the adapter does not belong to the model.
    """
    settings = read_config(config)
    modules = model.modules()
    names = _names(weights.names)
    check_targets(config, names)
    found = {}
    for name in names:
        module = _module(name, modules)
        shape = modules[module].shape
        outputs, inputs = shape[::-1] if model.description.rows_are_inputs else shape
        found[module] = _factors(weights, name, settings, (outputs, inputs))
    return found


def _names(weights: Iterable[str]) -> list[str]:
    """Return the names of modules with matrices.

    Raises:
        ModelFileError: If there are other weights than the two matrices of each module.
    """
    found: dict[str, int] = {}
    for weight in weights:
        end = next((end for end in (DOWN, UP) if weight.endswith(end)), None)
        if end is None or not weight.startswith(PREFIX):
            raise ModelFileError(
                f"the adapter contains {weight!r:.200}; only lora_A and lora_B of linear layers "
                "are supported"
            )
        name = weight.removeprefix(PREFIX).removesuffix(end)
        found[name] = found.get(name, 0) + 1
    for name, count in found.items():
        if count != 2:
            raise ModelFileError(f"the adapter contains one of two matrices for {name!r:.200}")
    if not found:
        raise ModelFileError("the adapter contains no matrices")
    return list(found)


def _module(name: str, modules: Iterable[str]) -> str:
    """Return the module of the model with a name that may begin differently.

    Raises:
        ModelFileError: If the model does not have it.
    """
    listed = list(modules)
    if name in listed:
        return name
    found = [own for own in listed if name.endswith(f".{own.partition('.')[2]}")]
    if len(found) != 1:
        raise ModelFileError(
            f"the adapter has matrices for {name!r:.200}, which the model does not have"
        )
    return found[0]


def _factors(
    weights: WeightFile, name: str, settings: AdapterConfig, sizes: tuple[int, int]
) -> Factors:
    """Return the matrices of a module. The factor of the product is in the second matrix.

    Raises:
        ModelFileError: If their shapes do not fit the module, or if they are not finite.
    """
    down, up = (weights.shape(f"{PREFIX}{name}{end}") for end in (DOWN, UP))
    outputs, inputs = sizes
    if len(down) != 2 or down[0] < 1 or (down[1], up) != (inputs, (outputs, down[0])):
        raise ModelFileError(
            f"the matrices for {name!r:.200} have the shapes {down} and {up}; expected "
            f"(rank, {inputs}) and ({outputs}, rank)"
        )
    first, second = (
        np.asarray(weights.read(f"{PREFIX}{name}{end}"), np.float32) for end in (DOWN, UP)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        second = second * np.float32(settings.scale(name))
        norms = np.linalg.norm(first), np.linalg.norm(second)
    if not np.isfinite(norms).all():
        raise ModelFileError(f"the matrices for {name!r:.200} are infinite or too large")
    return Factors(first, second)


def _parts(
    factors: dict[str, Factors], model: LinkedModel
) -> Iterable[tuple[Factors, Link, LinkedWeight]]:
    modules = model.modules()
    for name, found in factors.items():
        for link in modules[name].links:
            yield found, link, modules[name]


def _merge(factors: dict[str, Factors], model: LinkedModel) -> None:
    """Add the products to the kernels.

    Raises:
        ValueError: If a kernel is in blocks, which cannot be changed.
    """
    for _, link, _ in _parts(factors, model):
        if isinstance(getattr(link.variable, "_value", None), BlockWeights):
            raise ValueError(
                f"the weights {link.variable.path!r} are in a block format and cannot be changed. "
                "Load the adapter without merge=True, or the model with trainable=True"
            )
    is_reversed = model.description.rows_are_inputs
    for found, link, _ in _parts(factors, model):
        link.variable.assign_add(product(found, link, is_reversed))


def _enable(factors: dict[str, Factors], model: LinkedModel) -> None:
    """Enable LoRA for layers, as `enable_lora` of a backbone, and assign the matrices.

    Raises:
        ModelFileError: If a layer already has LoRA with a smaller rank.
    """
    is_reversed = model.description.rows_are_inputs
    adapted: dict[int, tuple[Any, Floats, Floats]] = {}
    for found, link, weight in _parts(factors, model):
        assert link.kernel is not None
        axes = Axes(link, weight, is_reversed)
        shares = len(weight.links) > 1
        if shares and not found.up[_outputs(axes)].any():
            continue
        a, b = to_keras(found, axes, shares)
        adapted[id(link.kernel.layer)] = link.kernel.layer, a, b
    for layer, _, b in adapted.values():
        if layer.lora_enabled and layer.lora_rank < len(b):
            raise ModelFileError(
                f"the adapter needs rank {len(b)} for the layer {layer.path!r}, which has LoRA "
                f"with rank {layer.lora_rank}. Load it into a model without LoRA, or merge it"
            )
    layers = list(model.backbone._flatten_layers(include_self=False))
    model.backbone.trainable = True
    for layer in layers:
        layer.trainable = id(layer) in adapted
    for layer, a, b in adapted.values():
        _assign(layer, a, b)
    with_weights = [layer for layer in layers if layer.weights]
    places = [n for n, layer in enumerate(with_weights) if id(layer) in adapted]
    model.backbone._lora_enabled_layers = places
    model.backbone._lora_rank = max((len(b) for _, _, b in adapted.values()), default=0)


def _outputs(axes: Axes) -> Any:
    return axes.others if axes.last_is_input else axes.places.ravel()


def _assign(layer: Any, a: Floats, b: Floats) -> None:
    """Assign the matrices of a layer. Zeros fill the rank that it has already."""
    if not layer.lora_enabled:
        layer.enable_lora(len(b))
    missing = layer.lora_rank - len(b)
    layer.lora_alpha = layer.lora_rank
    if getattr(layer, "bias", None) is not None:
        layer.bias.trainable = False  # adapters do not contain biases
    layer.lora_kernel_a.assign(np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, missing)]))
    layer.lora_kernel_b.assign(np.pad(b, [(0, missing), (0, 0)]))
