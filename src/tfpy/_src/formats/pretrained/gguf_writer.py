"""The writer of GGUF files for models of KerasHub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tfpy._src.formats.gguf.writer import TensorPlan, fits, write_gguf
from tfpy._src.formats.pretrained.architectures import (
    ARCHITECTURES,
    KEYS,
    LAYER,
    TRANSPOSED,
    Architecture,
)
from tfpy._src.formats.pretrained.correspondence import LinkedModel, LinkedWeight
from tfpy._src.formats.pretrained.gguf_model import FACTORS, LLAMA3_SCALING, NAME, llama3_factors
from tfpy._src.formats.pretrained.origins import Origin
from tfpy._src.formats.pretrained.vocabulary import metadata_of

FILE_TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 7, "BF16": 32}
"""Numbers of the formats of most weights of a file."""
NAMES = {"mistral": "llama", "gemma3_text": "gemma3"}
"""Architectures in GGUF files by their names in Hugging Face, if they differ."""
TABLES = ("token_embd.weight", "output.weight")
"""Weights that are written with at least eight bits."""
EXACT = ("position_embd.weight",)
"""Matrices that are not quantized."""
CONTEXT = 8192
"""Longest text of models that do not specify it."""
FLOATS = ("attention.layer_norm_rms_epsilon", "rope.freq_base", "attn_logit_softcapping",
          "final_logit_softcapping")  # fmt: skip


def write_model(
    file: BinaryIO, model: LinkedModel, preprocessor: Any, origin: Origin, weights: str
) -> None:
    """Write a model.

    Args:
        file: File to write.
        model: The model.
        preprocessor: Its preprocessor.
        origin: Facts about the files from which it was loaded.
        weights: Format of most weights.

    Raises:
        ValueError: If GGUF files or tfpy do not support a part of the model.
    """
    config = {**model.description.config}
    name = NAMES.get(config["model_type"], config["model_type"])
    architecture = ARCHITECTURES[name]
    old = _renamed(model.weights, architecture, model.description.prefix)
    extra = _extra_tensors(config)
    plans = {new: TensorPlan(shape := _shape(new, old[new], architecture),
                             format_of(new, shape, weights)) for new in old}  # fmt: skip
    plans |= {new: TensorPlan(value.shape, "F32") for new, value in extra.items()}
    rows = plans[TABLES[0]].shape[0]
    metadata = {
        NAME: name,
        "general.file_type": FILE_TYPES[weights],
        "general.quantization_version": 2,
        **_settings(name, config, architecture, origin),
        **metadata_of(preprocessor, rows, origin),
    }

    def read(new: str) -> NDArray[Any]:
        if new in extra:
            return extra[new]
        value, change = old[new].read(), architecture.changes.get(_stem(new))
        return value if change is None else change.redo(value, _heads(config))

    write_gguf(file, metadata, plans, read)


def format_of(name: str, shape: tuple[int, ...], weights: str) -> str:
    """Return the format of a tensor: vectors are not quantized, and tables have eight bits."""
    if len(shape) == 1 or name in EXACT:
        return "F32"
    if weights == "Q4_0" and name in TABLES:
        weights = "Q8_0"
    return weights if fits(shape, weights) else "F16"


def _heads(config: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"num_key_value_heads": config.get("num_attention_heads"), **config}


def _stem(name: str) -> str:
    """Return the name of a tensor without the number of the layer and the ending."""
    inner = name.removeprefix(LAYER).partition(".")[2] if name.startswith(LAYER) else name
    return inner.rpartition(".")[0]


def _shape(name: str, weight: LinkedWeight, architecture: Architecture) -> tuple[int, ...]:
    change = architecture.changes.get(_stem(name))
    return weight.shape[::-1] if change is TRANSPOSED else weight.shape


def _renamed(
    weights: Mapping[str, LinkedWeight], architecture: Architecture, prefix: str
) -> dict[str, LinkedWeight]:
    """Return the weights by their names in GGUF files.

    Raises:
        ValueError: If GGUF files have no name for a weight.
    """
    names = {new: old for old, new in architecture.names.items()}
    found = {}
    for full, weight in weights.items():
        short = full if full.startswith(architecture.layers) else full.removeprefix(prefix)
        layer = ""
        stem, _, ending = short.rpartition(".")
        if short.startswith(architecture.layers):
            number, _, stem = stem.removeprefix(architecture.layers).partition(".")
            layer = f"{LAYER}{number}."
        known = stem if stem in names else f"model.{stem}"
        if known not in names:
            raise ValueError(f"GGUF files have no name for the weight {full!r}")
        found[f"{layer}{names[known]}.{ending}"] = weight
    return found


def _settings(
    name: str, config: Mapping[str, Any], architecture: Architecture, origin: Origin
) -> dict[str, Any]:
    """Return the sizes and settings of the architecture."""
    keys = {**KEYS, **architecture.keys}
    context = origin.config.get("max_position_embeddings", CONTEXT)
    if config.get("use_sliding_window") and config["sliding_window"] < context:
        raise ValueError(f"GGUF files of {name} have no sliding window, but the model has one")
    known = {"max_position_embeddings": context, **config}
    found = {}
    for key, entry in keys.items():
        value = known.get(entry)
        if value is not None and not (entry == "sliding_window" and "use_sliding_window" in known):
            found[f"{name}.{key}"] = float(value) if key in FLOATS else value
    if "head_dim" in config:
        found[f"{name}.attention.value_length"] = config["head_dim"]
        found[f"{name}.rope.dimension_count"] = config["head_dim"]
    if "layer_norm_epsilon" in config:
        found[f"{name}.attention.layer_norm_epsilon"] = config["layer_norm_epsilon"]
        found[f"{name}.feed_forward_length"] = config["n_inner"]
    return {**found, f"{name}.vocab_size": config["vocab_size"], **_scaling(name, config)}


def _scaling(name: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of scaled angles of positions."""
    scaling = config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type"))
    begin = f"{name}.rope.scaling"
    if kind == "linear":
        return {f"{begin}.type": "linear", f"{begin}.factor": float(scaling["factor"])}
    if kind == "longrope":
        return {f"{begin}.original_context_length": config["original_max_position_embeddings"]}
    return {}


def _extra_tensors(config: Mapping[str, Any]) -> dict[str, NDArray[np.float32]]:
    """Return factors of the angles of positions.

    Raises:
        ValueError: If the scaling is not the one of Llama 3.
    """
    scaling = config.get("rope_scaling") or {}
    if scaling.get("type") == "longrope":
        return {
            f"rope_factors_{length}.weight": np.array(scaling[f"{length}_factor"], np.float32)
            for length in ("long", "short")
        }
    if scaling.get("rope_type") != "llama3":
        return {}
    if any(scaling[key] != value for key, value in LLAMA3_SCALING.items()):
        raise ValueError("the angles of positions are scaled in another way than in Llama 3")
    factors = llama3_factors(scaling, config["rope_theta"], config["head_dim"] // 2)
    return {FACTORS: factors.astype(np.float32)}
