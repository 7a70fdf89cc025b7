"""The writer of adapters in the files of PEFT."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.formats.pretrained.adapter_config import ADAPTER_CONFIG, written_config
from tfpy._src.formats.pretrained.correspondence import Link, LinkedModel, LinkedWeight
from tfpy._src.formats.pretrained.lora import Axes, Factors, to_peft
from tfpy._src.formats.safetensors.writer import write_safetensors

MATRICES = "adapter_model.safetensors"
PREFIX = "base_model.model."
DOWN, UP = ".lora_A.weight", ".lora_B.weight"


def adapter_files(model: LinkedModel) -> dict[str, bytes]:
    """Return the files of PEFT with the matrices of a model, by their names.

    Raises:
        ValueError: If no layer has LoRA, or if a layer with LoRA has no module in Hugging Face.
    """
    modules = model.modules()
    _check_layers(model, modules)
    factors: dict[str, Factors] = {}
    scales: dict[str, float] = {}
    is_reversed = model.description.rows_are_inputs
    for name, weight in modules.items():
        adapted = [link for link in weight.links if _layer(link).lora_enabled]
        if adapted:
            scales[name] = _scale(adapted[0])
            factors[name] = _joined(adapted, weight, scales[name], is_reversed)
    ranks = {name: found.rank for name, found in factors.items()}
    others = [name for name in modules if name not in factors]
    config = written_config(ranks, scales, others, fan_in_fan_out=is_reversed)
    matrices = {}
    for name, found in factors.items():
        matrices[f"{PREFIX}{name}{DOWN}"] = found.down
        matrices[f"{PREFIX}{name}{UP}"] = found.up
    out = io.BytesIO()
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    write_safetensors(out, shapes, matrices.__getitem__)
    return {ADAPTER_CONFIG: json.dumps(config, indent=2).encode(), MATRICES: out.getvalue()}


def _layer(link: Link) -> Any:
    assert link.kernel is not None
    return link.kernel.layer


def _scale(link: Link) -> float:
    layer = _layer(link)
    return float(layer.lora_alpha) / int(layer.lora_rank)


def _joined(links: list[Link], weight: LinkedWeight, scale: float, is_reversed: bool) -> Factors:
    """Return the matrices of a weight, which contains parts of several layers."""
    parts = []
    for link in links:
        layer = _layer(link)
        a, b = (np.asarray(m, np.float32) for m in (layer.lora_kernel_a, layer.lora_kernel_b))
        found = to_peft(a, b, Axes(link, weight, is_reversed), weight, is_reversed)
        ratio = np.float32(_scale(link) / scale) if scale else np.float32(0)
        parts.append(Factors(found.down, found.up if ratio == 1 else found.up * ratio))
    return Factors(
        np.concatenate([part.down for part in parts]),
        np.concatenate([part.up for part in parts], axis=1),
    )


def _check_layers(model: LinkedModel, modules: Mapping[str, LinkedWeight]) -> None:
    """Check that LoRA is enabled, and only for layers that are linear in Hugging Face."""
    known = {id(_layer(link)) for weight in modules.values() for link in weight.links}
    adapted = [
        layer for layer in model.backbone._flatten_layers() if getattr(layer, "lora_enabled", False)
    ]
    if not adapted:
        raise ValueError("the model has no LoRA. Call `model.backbone.enable_lora(rank)` first")
    for layer in adapted:
        if id(layer) not in known:
            raise ValueError(
                f"LoRA of the layer {layer.path!r} cannot be saved; only LoRA of linear layers can"
            )
