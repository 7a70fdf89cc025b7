"""The architectures of GGUF files: their configurations and names of weights in Hugging Face.

The writer of llama.cpp renames the weights and changes some of their values.

Source: https://github.com/ggml-org/llama.cpp/blob/master/conversion
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.library.io.checked_json import ModelFileError

Array = NDArray[Any]
Config = Mapping[str, Any]
Change = Callable[[Array, Config], Array]

LAYERS_OF_GEMMA2_27B = 46
LAYERS_OF_GEMMA3_27B = 62
GLOBAL_BASE = 1_000_000.0
"""Base of the wavelengths of the layers of Gemma 3 without a window, which KerasHub fixes."""
LOCAL_BASE = 10_000.0
"""Base of the wavelengths of the layers with a window."""
MOST_LAYERS = 1 << 16
"""Number of layers above which a file is damaged."""
GLOBAL_EACH = 6
"""Distance of the layers of Gemma 3 without a window, which KerasHub fixes."""
LAYER = "blk."
"""Beginning of the names of the weights of a layer, before its number."""


@dataclass(frozen=True)
class Changed:
    """A change of a weight by the writer, as functions of the weight and the configuration.

    Attributes:
        undo: Function that restores the weight of Hugging Face.
        redo: Function that changes it as the writer does.
    """

    undo: Change
    redo: Change


@dataclass(frozen=True)
class Architecture:
    """An architecture.

    Attributes:
        model_type: Name of the architecture in Hugging Face.
        task: Name of the class in Hugging Face.
        layers: Beginning of the names of the weights of a layer in Hugging Face.
        names: Names in Hugging Face by the names in GGUF files, without `.weight` and `.bias`, and
            without the beginning that contains the number of the layer.
        changes: Changes of weights by the writer, by their names in GGUF files.
        config: Entries of the configuration that GGUF files do not contain.
        keys: Further keys of the configuration by their keys in GGUF files.
        derived: Function that computes further entries of the configuration from the others.
        has_linear: True if angles of positions may be divided by one factor.
        factors: Names of tensors with factors of angles, by the entries of `rope_scaling`.
        unused: Weights that GGUF files do not contain because the results do not depend on them,
            with the keys of their sizes in the configuration.
    """

    model_type: str
    task: str
    layers: str
    names: Mapping[str, str]
    changes: Mapping[str, Changed] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    derived: Callable[[Config], dict[str, Any]] = lambda config: {}
    has_linear: bool = False
    factors: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


KEYS = {
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.layer_norm_rms_epsilon": "rms_norm_eps",
    "attention.sliding_window": "sliding_window",
    "rope.freq_base": "rope_theta",
}
"""Keys of configurations by the keys of GGUF files, which follow the name of the architecture."""

_DECODER = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_GEMMA2 = {
    **_DECODER,
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_PHI3 = {
    name: _DECODER[name]
    for name in ("token_embd", "output_norm", "output", "attn_norm", "attn_output", "ffn_norm")
} | {
    "attn_qkv": "self_attn.qkv_proj",
    "ffn_up": "mlp.gate_up_proj",
    "ffn_down": "mlp.down_proj",
}
_GPT2 = {
    "token_embd": "wte",
    "position_embd": "wpe",
    "output_norm": "ln_f",
    "attn_norm": "ln_1",
    "attn_qkv": "attn.c_attn",
    "attn_output": "attn.c_proj",
    "ffn_norm": "ln_2",
    "ffn_up": "mlp.c_fc",
    "ffn_down": "mlp.c_proj",
}
_BERT = {
    "token_embd": "embeddings.word_embeddings",
    "token_types": "embeddings.token_type_embeddings",
    "position_embd": "embeddings.position_embeddings",
    "token_embd_norm": "embeddings.LayerNorm",
    "attn_q": "attention.self.query",
    "attn_k": "attention.self.key",
    "attn_v": "attention.self.value",
    "attn_output": "attention.output.dense",
    "attn_output_norm": "attention.output.LayerNorm",
    "ffn_up": "intermediate.dense",
    "ffn_down": "output.dense",
    "layer_output_norm": "output.LayerNorm",
}


def _pairs(heads: str) -> Changed:
    """Return the change of the order of rows for rotations of neighboring pairs.

    The writer places the two rows of a head that are rotated together next to each other. In
    Hugging Face, the first half of the head's rows is rotated together with the second half.
    """

    def undo(weight: Array, config: Config) -> Array:
        pairs = weight.reshape(config[heads], -1, 2, *weight.shape[1:])
        return pairs.swapaxes(1, 2).reshape(weight.shape)

    def redo(weight: Array, config: Config) -> Array:
        halves = weight.reshape(config[heads], 2, -1, *weight.shape[1:])
        return halves.swapaxes(1, 2).reshape(weight.shape)

    return Changed(undo, redo)


def _transposed(weight: Array, config: Config) -> Array:
    return weight.T if weight.ndim == 2 else weight


_PLUS_ONE = Changed(
    lambda weight, config: weight - np.float32(1), lambda weight, config: weight + np.float32(1)
)
TRANSPOSED = Changed(_transposed, _transposed)


def _query_scale(config: Config, layers_of_largest: int) -> dict[str, Any]:
    """Return the number by which Gemma scales queries; the largest model has another one."""
    of_head = config["hidden_size"] // config["num_attention_heads"]
    is_largest = config["num_hidden_layers"] == layers_of_largest
    return {"query_pre_attn_scalar": of_head if is_largest else config["head_dim"]}


def _gemma2(config: Config) -> dict[str, Any]:
    return _query_scale(config, LAYERS_OF_GEMMA2_27B)


def _gemma3(config: Config) -> dict[str, Any]:
    """Return the entries of Gemma 3, in which most layers have a window.

    Raises:
        ModelFileError: If KerasHub does not support the wavelengths.
    """
    if config["rope_theta"] != GLOBAL_BASE:
        raise ModelFileError(
            f"gemma3.rope.freq_base is {config['rope_theta']!r:.80}; KerasHub supports "
            f"{GLOBAL_BASE:.0f}"
        )
    kinds = [
        "full_attention" if number % GLOBAL_EACH == GLOBAL_EACH - 1 else "sliding_attention"
        for number in range(min(config["num_hidden_layers"], MOST_LAYERS))
    ]
    window = {} if "sliding_window" in config else {"sliding_window": None}
    types = {} if window else {"layer_types": kinds}
    return {**_query_scale(config, LAYERS_OF_GEMMA3_27B), **types, **window}


def _decoder(model_type: str, task: str, **facts: Any) -> Architecture:
    return Architecture(model_type, task, "model.layers.", **{"names": _DECODER, **facts})


_ROTATED = {
    "attn_q": _pairs("num_attention_heads"),
    "attn_k": _pairs("num_key_value_heads"),
}
_NORMS = ("output_norm", "attn_norm", "ffn_norm", "post_attention_norm", "post_ffw_norm")
_ONE_MORE = dict.fromkeys(_NORMS, _PLUS_ONE)
_SOFT_CAPS = {name: name for name in ("attn_logit_softcapping", "final_logit_softcapping")}
_NO_WINDOW = {"use_sliding_window": False, "sliding_window": 0}

ARCHITECTURES = {
    "llama": _decoder("llama", "LlamaForCausalLM", changes=_ROTATED),
    "qwen2": _decoder("qwen2", "Qwen2ForCausalLM", config=_NO_WINDOW),
    "qwen3": _decoder("qwen3", "Qwen3ForCausalLM", config=_NO_WINDOW),
    "gemma": _decoder("gemma", "GemmaForCausalLM", changes=_ONE_MORE),
    "gemma2": _decoder(
        "gemma2",
        "Gemma2ForCausalLM",
        names=_GEMMA2,
        changes=_ONE_MORE,
        keys=_SOFT_CAPS,
        derived=_gemma2,
    ),
    "gemma3": _decoder(
        "gemma3_text",
        "Gemma3ForCausalLM",
        names=_GEMMA2,
        changes={**_ONE_MORE, "attn_q_norm": _PLUS_ONE, "attn_k_norm": _PLUS_ONE},
        keys=_SOFT_CAPS,
        config={"rope_theta": GLOBAL_BASE},
        derived=_gemma3,
        has_linear=True,
    ),
    "phi3": _decoder(
        "phi3",
        "Phi3ForCausalLM",
        names=_PHI3,
        keys={"rope.scaling.original_context_length": "original_max_position_embeddings"},
        factors={
            "long_factor": "rope_factors_long.weight",
            "short_factor": "rope_factors_short.weight",
        },
    ),
    "bert": Architecture(
        "bert",
        "BertModel",
        "encoder.layer.",
        _BERT,
        config={"hidden_act": "gelu"},
        unused={
            "pooler.dense.weight": ("hidden_size", "hidden_size"),
            "pooler.dense.bias": ("hidden_size",),
        },
    ),
    "gpt2": Architecture(
        "gpt2",
        "GPT2LMHeadModel",
        "h.",
        _GPT2,
        changes=dict.fromkeys(("attn_qkv", "attn_output", "ffn_up", "ffn_down"), TRANSPOSED),
        config={"resid_pdrop": 0.0},
        keys={
            "block_count": "n_layer",
            "context_length": "n_positions",
            "embedding_length": "n_embd",
            "attention.head_count": "n_head",
        },
    ),
}
"""Architectures by their names in GGUF files."""
