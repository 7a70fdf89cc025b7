"""The architectures of KerasHub's models in Hugging Face: configurations and converters."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.formats.pretrained import phi3
from tfpy._src.formats.pretrained.architectures import GLOBAL_BASE, GLOBAL_EACH, LOCAL_BASE

CONVERTERS = "keras_hub.src.utils.transformers"
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class BackboneDescription:
    """The architecture of a backbone in Hugging Face.

    Attributes:
        config: Configuration in the form of `config.json`.
        converter: Functions of KerasHub that convert the weights.
        prefix: Beginning of the names of the weights of a class that generates tokens, where the
            converter has none.
        rows_are_inputs: True if weights of layers have the shape [inputs, outputs].
    """

    config: dict[str, Any]
    converter: Any
    prefix: str
    rows_are_inputs: bool


@dataclass(frozen=True)
class _Kind:
    """A class of backbones.

    Attributes:
        model_type: Name of the architecture in Hugging Face.
        task: Name of the class in Hugging Face.
        converter: Name of KerasHub's module with the converter, or a module of tfpy.
        config: Function that converts the arguments of the backbone to further entries.
        prefix: See `BackboneDescription`.
        rows_are_inputs: See `BackboneDescription`.
    """

    model_type: str
    task: str
    converter: str | types.ModuleType
    config: Callable[[Facts], dict[str, Any]]
    prefix: str = ""
    rows_are_inputs: bool = False


def described(backbone: Any) -> BackboneDescription:
    """Return the architecture of a backbone.

    Raises:
        ValueError: If the class of the backbone is not supported.
    """
    name = type(backbone).__name__
    if name not in _KINDS:
        raise ValueError(
            f"models of the class {name} are not supported. Supported: {', '.join(_KINDS)}"
        )
    is_tied = getattr(backbone, "tie_word_embeddings", False)  # not in the config of Llama
    facts = {"tie_word_embeddings": is_tied, **backbone.get_config()}
    kind = _kind(name, facts)
    converter = kind.converter
    if isinstance(converter, str):
        converter = importlib.import_module(f"{CONVERTERS}.{converter}")
    config = {
        "model_type": kind.model_type,
        "architectures": [kind.task],
        **kind.config(facts),
        "torch_dtype": "float32",
    }
    return BackboneDescription(config, converter, kind.prefix, kind.rows_are_inputs)


def _kind(name: str, facts: Facts) -> _Kind:
    is_gemma2 = name == "GemmaBackbone" and facts["use_post_ffw_norm"]
    return _KINDS["Gemma2" if is_gemma2 else name]


def _decoder(facts: Facts) -> dict[str, Any]:
    """Return the entries that most decoders share."""
    heads = facts["num_query_heads"]
    return {
        "vocab_size": facts["vocabulary_size"],
        "hidden_size": facts["hidden_dim"],
        "intermediate_size": facts["intermediate_dim"],
        "num_hidden_layers": facts["num_layers"],
        "num_attention_heads": heads,
        "num_key_value_heads": facts["num_key_value_heads"],
        "head_dim": facts.get("head_dim") or facts["hidden_dim"] // heads,
        "rms_norm_eps": facts["layer_norm_epsilon"],
        "rope_theta": float(facts.get("rope_max_wavelength", 10000)),
        "tie_word_embeddings": facts.get("tie_word_embeddings", False),
        "hidden_act": "silu",
    }


def _llama(facts: Facts) -> dict[str, Any]:
    found = {**_decoder(facts), "attention_bias": False, "mlp_bias": False}
    linear = facts.get("rope_position_scaling_factor", 1.0)
    if facts.get("rope_frequency_adjustment_factor") is not None:
        found["rope_scaling"] = {
            "rope_type": "llama3",
            "factor": float(facts["rope_frequency_adjustment_factor"]),
            "low_freq_factor": float(facts["rope_low_freq_factor"]),
            "high_freq_factor": float(facts["rope_high_freq_factor"]),
            "original_max_position_embeddings": facts["rope_pretraining_sequence_length"],
        }
    elif linear != 1.0:
        found["rope_scaling"] = {"rope_type": "linear", "factor": float(linear)}
    return found


def _mistral(facts: Facts) -> dict[str, Any]:
    return {**_decoder(facts), "sliding_window": facts["sliding_window"]}


def _qwen2(facts: Facts) -> dict[str, Any]:
    return {
        **_decoder(facts),
        "use_sliding_window": facts["use_sliding_window_attention"],
        "sliding_window": facts["sliding_window_size"],
        "max_window_layers": 0,
    }


def _qwen3(facts: Facts) -> dict[str, Any]:
    window = facts["sliding_window_size"]
    return {
        **_decoder(facts),
        "use_sliding_window": window is not None,
        "sliding_window": window,
        "max_window_layers": 0,
        "attention_bias": False,
    }


def _gemma(facts: Facts) -> dict[str, Any]:
    return {
        **_decoder(facts),
        "intermediate_size": facts["intermediate_dim"] // 2,
        "tie_word_embeddings": True,
        "hidden_act": "gelu_pytorch_tanh",
        "hidden_activation": "gelu_pytorch_tanh",
    }


def _query_scale(facts: Facts) -> int:
    """Return the number with the square root by which queries are divided."""
    if facts["query_head_dim_normalize"]:
        return int(facts["head_dim"])
    return int(facts["hidden_dim"] // facts["num_query_heads"])


def _gemma2(facts: Facts) -> dict[str, Any]:
    return {
        **_gemma(facts),
        "query_pre_attn_scalar": _query_scale(facts),
        "final_logit_softcapping": facts["final_logit_soft_cap"],
        "attn_logit_softcapping": facts["attention_logit_soft_cap"],
        "sliding_window": facts["sliding_window_size"],
    }


def _gemma3(facts: Facts) -> dict[str, Any]:
    if facts.get("vision_encoder") is not None:
        raise ValueError("models of Gemma 3 with a vision encoder are not supported")
    windows = facts["use_sliding_window_attention"]
    factor = float(facts["global_rope_scaling_factor"])
    kinds = [
        "sliding_attention"
        if windows and number % GLOBAL_EACH < GLOBAL_EACH - 1
        else "full_attention"
        for number in range(facts["num_layers"])
    ]
    return {
        **_gemma2(facts),
        "intermediate_size": facts["intermediate_dim"],
        "rope_theta": GLOBAL_BASE,
        "rope_local_base_freq": LOCAL_BASE,
        "rope_scaling": None if factor == 1.0 else {"rope_type": "linear", "factor": factor},
        "layer_types": kinds,
        "attention_bias": False,
    }


def _gpt2(facts: Facts) -> dict[str, Any]:
    dropout = facts["dropout"]
    return {
        "vocab_size": facts["vocabulary_size"],
        "n_layer": facts["num_layers"],
        "n_head": facts["num_heads"],
        "n_embd": facts["hidden_dim"],
        "n_inner": facts["intermediate_dim"],
        "n_positions": facts["max_sequence_length"],
        "resid_pdrop": dropout,
        "embd_pdrop": dropout,
        "attn_pdrop": dropout,
        "layer_norm_epsilon": 1e-5,
        "activation_function": "gelu_new",
        "tie_word_embeddings": True,
    }


_KINDS = {
    "LlamaBackbone": _Kind("llama", "LlamaForCausalLM", "convert_llama3", _llama),
    "Llama3Backbone": _Kind("llama", "LlamaForCausalLM", "convert_llama3", _llama),
    "MistralBackbone": _Kind("mistral", "MistralForCausalLM", "convert_mistral", _mistral),
    "QwenBackbone": _Kind("qwen2", "Qwen2ForCausalLM", "convert_qwen", _qwen2),
    "Qwen3Backbone": _Kind("qwen3", "Qwen3ForCausalLM", "convert_qwen3", _qwen3, "model."),
    "GemmaBackbone": _Kind("gemma", "GemmaForCausalLM", "convert_gemma", _gemma),
    "Gemma2": _Kind("gemma2", "Gemma2ForCausalLM", "convert_gemma", _gemma2),
    "Gemma3Backbone": _Kind("gemma3_text", "Gemma3ForCausalLM", "convert_gemma3", _gemma3),
    "GPT2Backbone": _Kind(
        "gpt2", "GPT2LMHeadModel", "convert_gpt2", _gpt2, "transformer.", rows_are_inputs=True
    ),
    "Phi3Backbone": _Kind("phi3", "Phi3ForCausalLM", phi3, phi3.config_of),
}
"""Classes of backbones by their names; `Gemma2` has the class of Gemma."""
