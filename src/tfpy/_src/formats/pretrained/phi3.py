"""A converter of Phi-3 with the functions of KerasHub's converters, which do not include Phi-3.

Hugging Face stores the queries, keys and values of a layer in one weight, and the gate and the
values of the feed-forward part in another one.
"""

from __future__ import annotations

import functools
import importlib
import itertools
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

SENTENCE_PIECES = "tokenizer.model"
LONG_ROPE = ("longrope", "su")
"""Names of the scaling of angles in configurations."""


def backbone_class() -> Any:
    """Return KerasHub's class of backbones."""
    return importlib.import_module("keras_hub.models").Phi3Backbone


def convert_backbone_config(transformers_config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the backbone.

    Raises:
        ValueError: If only a part of each head is rotated, or if angles are scaled in another way.
    """
    config = transformers_config
    rope = config.get("rope_parameters") or {}
    partial = rope.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    if partial != 1.0:
        raise ValueError(f"a part of {partial} of each head is rotated; KerasHub rotates all of it")
    longest = config["max_position_embeddings"]
    trained = config.get("original_max_position_embeddings") or longest
    return {
        "vocabulary_size": config["vocab_size"],
        "num_layers": config["num_hidden_layers"],
        "num_query_heads": config["num_attention_heads"],
        "num_key_value_heads": config["num_key_value_heads"],
        "hidden_dim": config["hidden_size"],
        "intermediate_dim": config["intermediate_size"],
        "layer_norm_epsilon": config["rms_norm_eps"],
        "rope_max_wavelength": rope.get("rope_theta") or config.get("rope_theta", 10000.0),
        "max_sequence_length": longest,
        "pretraining_sequence_length": rope.get("original_max_position_embeddings") or trained,
        **_scaling(config.get("rope_scaling") or rope),
    }


def _scaling(scaling: Mapping[str, Any]) -> dict[str, Any]:
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        return {}
    if kind not in LONG_ROPE:
        raise ValueError(f"angles are scaled by {kind!r}, which KerasHub does not support")
    return {
        "rope_scaling_type": "su",
        "rope_scaling_short_factor": list(map(float, scaling["short_factor"])),
        "rope_scaling_long_factor": list(map(float, scaling["long_factor"])),
    }


def config_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration for the arguments of a backbone."""
    scaling = None
    if facts["rope_scaling_type"] is not None:
        scaling = {
            "type": "longrope",
            "short_factor": facts["rope_scaling_short_factor"],
            "long_factor": facts["rope_scaling_long_factor"],
        }
    return {
        "vocab_size": facts["vocabulary_size"],
        "hidden_size": facts["hidden_dim"],
        "intermediate_size": facts["intermediate_dim"],
        "num_hidden_layers": facts["num_layers"],
        "num_attention_heads": facts["num_query_heads"],
        "num_key_value_heads": facts["num_key_value_heads"],
        "rms_norm_eps": facts["layer_norm_epsilon"],
        "rope_theta": float(facts["rope_max_wavelength"]),
        "rope_scaling": scaling,
        "max_position_embeddings": facts["max_sequence_length"],
        "original_max_position_embeddings": facts["pretraining_sequence_length"],
        "sliding_window": None,
        "tie_word_embeddings": False,
        "hidden_act": "silu",
        "pad_token_id": None,
    }


def convert_weights(backbone: Any, loader: Any, transformers_config: Mapping[str, Any]) -> None:
    """Assign the weights to the variables of the backbone."""
    table = backbone.token_embedding
    loader.port_weight(table.embeddings, "model.embed_tokens.weight")
    loader.port_weight(table.reverse_embeddings, "lm_head.weight", lambda w, _: np.transpose(w))
    loader.port_weight(backbone.layer_norm.scale, "model.norm.weight")
    for number, layer in enumerate(backbone.transformer_layers):
        _convert_layer(layer, f"model.layers.{number}", loader)


def set_window(backbone: Any, window: int) -> None:
    """Limit the attention of a backbone to a number of tokens, which KerasHub does not support.

    Args:
        backbone: The backbone.
        window: Number of tokens, including the current one.
    """
    for layer in backbone.transformer_layers:
        plain = layer._compute_self_attention_mask
        layer._compute_self_attention_mask = functools.partial(_windowed, plain, window)


def _windowed(plain: Callable[..., Any], window: int, **kwargs: Any) -> Any:
    """Return a mask of the shape [batch, queries, keys] without keys before the window."""
    ops = importlib.import_module("keras.ops")
    mask = plain(**kwargs)
    queries, keys = ops.shape(mask)[1:]
    begin = kwargs.get("attention_cache_update_index")
    positions = ops.arange(queries) + (0 if begin is None else begin)
    is_near = ops.arange(keys)[None, :] > positions[:, None] - window
    return ops.logical_and(ops.cast(mask, "bool"), is_near[None])


def _convert_layer(layer: Any, name: str, loader: Any) -> None:
    loader.port_weight(layer.pre_attention_layernorm.scale, f"{name}.input_layernorm.weight")
    after = layer.post_attention_layernorm.scale
    loader.port_weight(after, f"{name}.post_attention_layernorm.weight")
    heads = layer.attention
    _convert_rows(
        (heads.query_dense, heads.key_dense, heads.value_dense),
        f"{name}.self_attn.qkv_proj.weight",
        loader,
    )
    _convert_rows((heads.output_dense,), f"{name}.self_attn.o_proj.weight", loader)
    both = (layer.feedforward_gate_dense, layer.feedforward_intermediate_dense)
    _convert_rows(both, f"{name}.mlp.gate_up_proj.weight", loader)
    _convert_rows((layer.feedforward_output_dense,), f"{name}.mlp.down_proj.weight", loader)


def _convert_rows(layers: tuple[Any, ...], name: str, loader: Any) -> None:
    """Assign consecutive rows of a weight to the kernels of layers."""
    if len(layers) == 1:
        loader.port_weight(layers[0].kernel, name, lambda w, shape: np.transpose(w).reshape(shape))
        return
    kernels = [layer.kernel for layer in layers]
    rows = [prod(kernel.shape[1:]) for kernel in kernels]
    ends = list(itertools.accumulate(rows))
    for kernel, count, end in zip(kernels, rows, ends, strict=True):
        loader.port_weight(kernel, name, _rows(end - count, end))


def _rows(begin: int, end: int) -> Any:
    return lambda weight, shape: np.transpose(weight[begin:end]).reshape(shape)


def convert_tokenizer(cls: Any, preset: str, **kwargs: Any) -> Any:
    """Return the tokenizer of a folder."""
    return cls(str(Path(preset) / SENTENCE_PIECES), **kwargs)
