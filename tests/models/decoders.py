"""Decoders with the variables and layers of KerasHub's, for tests without Keras.

Run as a script with the packages peft and transformers installed, it writes PEFT.
"""

from __future__ import annotations

import base64
import importlib
import json
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

PEFT = Path(__file__).with_suffix(".json")
"""Adapters of the package peft 0.21 and the weights with them, by the names of decoders."""
CONVERTER = "keras_hub.src.utils.transformers.convert_llama3"
HIDDEN, HEADS, KEYS, SIZE, WIDE, TOKENS = 8, 2, 1, 4, 12, 20
LAYERS = 2


class HeldVariable:
    """A variable of Keras."""

    def __init__(self, path: str, *shape: int, seed: int = 0) -> None:
        rng = np.random.default_rng([seed, *path.encode()])
        self.path = path
        self.value = rng.normal(size=shape).astype(np.float32)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    def assign(self, value: Any) -> None:
        assert np.shape(value) == self.shape
        self.value = np.array(value, np.float32)

    def assign_add(self, value: Any) -> None:
        self.assign(self.value + value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value, dtype)


class Held:
    """A layer of Keras with its layers."""

    lora_enabled = False
    trainable = True

    def __init__(self, path: str, **parts: Any) -> None:
        self.path, self.parts = path, list(parts.values())
        vars(self).update(parts)

    @property
    def weights(self) -> list[Any]:
        return [part for part in vars(self).values() if isinstance(part, HeldVariable)]

    def _flatten_layers(self, include_self: bool = True) -> Iterator[Held]:
        if include_self:
            yield self
        for part in self.parts:
            for layer in part if isinstance(part, list) else [part]:
                if isinstance(layer, Held):
                    yield from layer._flatten_layers()


class HeldDense(Held):
    """A layer `EinsumDense` of Keras, or `Dense` without an equation."""

    def __init__(self, path: str, equation: str | None, *shape: int) -> None:
        super().__init__(path)
        self._kernel = HeldVariable(f"{path}/kernel", *shape)
        self.equation = equation

    @property
    def kernel(self) -> Any:
        if not self.lora_enabled:
            return self._kernel
        scale = self.lora_alpha / self.lora_rank
        return self._kernel.value + scale * (self.lora_kernel_a.value @ self.lora_kernel_b.value)

    def enable_lora(self, rank: int) -> None:
        shape = self._kernel.shape
        self.lora_rank = self.lora_alpha = rank
        self.lora_kernel_a = HeldVariable(f"{self.path}/lora_kernel_a", *shape[:-1], rank)
        self.lora_kernel_b = HeldVariable(f"{self.path}/lora_kernel_b", rank, shape[-1])
        self.lora_enabled = True


def _norm(path: str) -> Held:
    return Held(path, scale=HeldVariable(f"{path}/scale", HIDDEN))


def _layer(path: str) -> Held:
    heads = Held(
        f"{path}/attention",
        query_dense=HeldDense(f"{path}/query", "bqm,muh->bquh", HIDDEN, HEADS, SIZE),
        key_dense=HeldDense(f"{path}/key", "bkm,mvh->bkvh", HIDDEN, KEYS, SIZE),
        value_dense=HeldDense(f"{path}/value", "bkm,mvh->bkvh", HIDDEN, KEYS, SIZE),
        output_dense=HeldDense(f"{path}/output", "bquh,uhm->bqm", HEADS, SIZE, HIDDEN),
    )
    return Held(
        path,
        attention=heads,
        pre_attention_layernorm=_norm(f"{path}/before"),
        post_attention_layernorm=_norm(f"{path}/after"),
        feedforward_gate_dense=HeldDense(f"{path}/gate", None, HIDDEN, WIDE),
        feedforward_intermediate_dense=HeldDense(f"{path}/up", None, HIDDEN, WIDE),
        feedforward_output_dense=HeldDense(f"{path}/down", None, WIDE, HIDDEN),
    )


class _Backbone(Held):
    generate_function: Any = None

    def __init__(self) -> None:
        table = Held(
            "table",
            embeddings=HeldVariable("table/embeddings", TOKENS, HIDDEN),
            reverse_embeddings=HeldVariable("table/reverse_embeddings", HIDDEN, TOKENS),
        )
        layers = [_layer(f"layer_{number}") for number in range(LAYERS)]
        super().__init__(
            "", token_embedding=table, transformer_layers=layers, layer_norm=_norm("last")
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "vocabulary_size": TOKENS,
            "num_layers": LAYERS,
            "num_query_heads": HEADS,
            "num_key_value_heads": KEYS,
            "hidden_dim": HIDDEN,
            "intermediate_dim": WIDE,
            "layer_norm_epsilon": 1e-5,
            "rope_max_wavelength": 10**8,
            "rope_frequency_adjustment_factor": 8.0,
            "rope_low_freq_factor": 1.0,
            "rope_high_freq_factor": 4.0,
            "rope_pretraining_sequence_length": 8192,
            "rope_scaling_type": "su",
            "rope_scaling_short_factor": [1.5, 1.0],
            "rope_scaling_long_factor": [2.5, 4.0],
            "max_sequence_length": 64,
            "pretraining_sequence_length": 32,
        }

    def adapt(self, *names: str, rank: int = 2, alpha: float = 3) -> None:
        """Enable LoRA for layers by the ends of their paths."""
        for layer in self._flatten_layers():
            if isinstance(layer, HeldDense) and layer.path.endswith(names):
                layer.enable_lora(rank)
                layer.lora_alpha = alpha

    def kernels(self) -> dict[str, np.ndarray]:
        """Return the kernels with LoRA by the paths of their layers."""
        layers = self._flatten_layers()
        return {x.path: np.asarray(x.kernel) for x in layers if isinstance(x, HeldDense)}


class Phi3Backbone(_Backbone):
    """A decoder with fused weights."""


class LlamaBackbone(_Backbone):
    """A decoder with a weight for each layer."""


def task(backbone: Any, **tokenizer: Any) -> Any:
    """Return a task with a backbone and a tokenizer with byte-pair encoding."""
    tokens = ["<s>", "</s>", "<x>", "Ġ", *"abcdefghij", "ab", "abc"]
    facts: dict[str, Any] = {
        "vocabulary": {token: number for number, token in enumerate(tokens)},
        "merges": ["a b", "ab c"],
        "special_tokens": ["<s>", "</s>"],
        "start_token": "<s>",
        "start_token_id": 0,
        "end_token": "</s>",
        "end_token_id": 1,
        "chat_template": "{{ messages }}",
    }
    preprocessor = types.SimpleNamespace(
        tokenizer=types.SimpleNamespace(**{**facts, **tokenizer}), add_start_token=True
    )
    return types.SimpleNamespace(backbone=backbone, preprocessor=preprocessor)


def _rows(weight: Any, shape: Any) -> Any:
    return np.reshape(np.transpose(weight), shape)


def _convert(backbone: Any, loader: Any, config: Any) -> None:
    """Convert the weights of Llama as KerasHub does."""
    table = backbone.token_embedding
    loader.port_weight(table.embeddings, "model.embed_tokens.weight")
    loader.port_weight(table.reverse_embeddings, "lm_head.weight", lambda w, _: np.transpose(w))
    loader.port_weight(backbone.layer_norm.scale, "model.norm.weight")
    for number, layer in enumerate(backbone.transformer_layers):
        name, heads = f"model.layers.{number}", layer.attention
        loader.port_weight(layer.pre_attention_layernorm.scale, f"{name}.input_layernorm.weight")
        after = layer.post_attention_layernorm.scale
        loader.port_weight(after, f"{name}.post_attention_layernorm.weight")
        kernels = {
            "self_attn.q_proj": heads.query_dense,
            "self_attn.k_proj": heads.key_dense,
            "self_attn.v_proj": heads.value_dense,
            "self_attn.o_proj": heads.output_dense,
            "mlp.gate_proj": layer.feedforward_gate_dense,
            "mlp.up_proj": layer.feedforward_intermediate_dense,
            "mlp.down_proj": layer.feedforward_output_dense,
        }
        for part, dense in kernels.items():
            # KerasHub converts some weights to float16, although the variables are float32
            loader.port_weight(
                dense.kernel, f"{name}.{part}.weight", lambda w, s: _rows(w.astype(np.float16), s)
            )


LLAMA = types.SimpleNamespace(convert_weights=_convert)


def _write_peft() -> None:
    """Write PEFT."""
    peft, torch, transformers = map(importlib.import_module, ("peft", "torch", "transformers"))
    torch.manual_seed(0)
    found = {}
    sizes = {"hidden_size": HIDDEN, "intermediate_size": WIDE, "num_hidden_layers": LAYERS}
    heads = {"num_attention_heads": HEADS, "num_key_value_heads": KEYS, "vocab_size": TOKENS}
    targets = {"llama": ["q_proj", "v_proj", "o_proj", "up_proj"], "phi3": "all-linear"}
    for kind, cls in (("llama", "Llama"), ("phi3", "Phi3")):
        config = getattr(transformers, f"{cls}Config")(**sizes, **heads, pad_token_id=0)
        model = getattr(transformers, f"{cls}ForCausalLM")(config)
        alphas = {"layers.1.self_attn.o_proj": 2}
        lora = peft.LoraConfig(
            r=2,
            lora_alpha=5,
            target_modules=targets[kind],
            init_lora_weights=False,
            use_rslora=kind == "phi3",
            task_type="CAUSAL_LM",
            rank_pattern={"o_proj": 3},
            alpha_pattern=alphas,
        )
        before = {name: value.clone() for name, value in model.state_dict().items()}
        adapted = peft.get_peft_model(model, lora)
        with tempfile.TemporaryDirectory() as folder:
            adapted.save_pretrained(folder)
            files = sorted(Path(folder).glob("adapter_*"))
            data = {file.name: base64.b64encode(file.read_bytes()).decode() for file in files}
        after = adapted.merge_and_unload().state_dict()
        deltas = {name: (after[name] - before[name]).double().tolist() for name in after
                  if (after[name] != before[name]).any()}  # fmt: skip
        rounded = {name: np.round(delta, 7).tolist() for name, delta in deltas.items()}
        found[kind] = {"files": data, "deltas": rounded}
    PEFT.write_text(json.dumps(found, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    _write_peft()
