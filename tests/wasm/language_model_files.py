"""Write files of small language models, and what Python computes with these models.

This program runs in the environment that has KerasHub. For each model NAME it writes NAME.tfpy and
NAME.json::

    python -m wasm.language_model_files FOLDER BACKENDS [NAME ...]
"""

from __future__ import annotations

import io
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tfpy

tfpy.as_tensorflow(replace=True)

import keras  # noqa: E402
import keras_hub  # noqa: E402
import numpy as np  # noqa: E402
import sentencepiece  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers, trainers  # noqa: E402

import tfpy as tf  # noqa: E402
from tfpy._src.formats.pretrained.pre_tokenizers import (  # noqa: E402
    PATTERNS,
    of_gguf,
    set_pre_tokenizer,
)

ROOT = Path(__file__).parents[2]
LENGTH = 64
PREFILLS = (4, 16)
CANDIDATES = 8
TEMPERATURE = 3.0
SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|start|>", "<|stop|>"]
SPECIAL += ["<|stop|>\n"]
"""Tokens that are never split. One of them begins with another one."""
TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content | trim }}<|stop|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
STRINGS = [
    *("", " ", "   ", "Hello, world!", " leading and trailing ", "a\n\n\nb", "tab\tand\r\nlines\r"),
    *("It's we're I'll HE'S I'VE d'accord '\u017f", "123 4567 89012 3.14 1,000 \u0663\u0664\u0665"),
    *("\u00bc \u2167 x\u00b2", "snake_case CamelCase foo.bar(baz)[0] != 1;", "a  b   c    d"),
    *(
        "Gr\u00fc\u00dfe aus K\u00f6ln",
        "\u0421\u044a\u0435\u0448\u044c \u0436\u0435 \u0435\u0449\u0451",
    ),
    *(
        "\u4f60\u597d\uff0c\u4e16\u754c\uff01\u4eca\u5929\u5929\u6c14\u5f88\u597d\u3002",
        "\u3053\u3093\u306b\u3061\u306f\u3000\u4e16\u754c",
    ),
    *(
        "\uc548\ub155\ud558\uc138\uc694 \uc138\uacc4",
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
        "\u05e9\u05dc\u05d5\u05dd",
    ),
    *(
        "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
        "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01",
        "\u1230\u120b\u121d",
    ),
    *(
        "\u0393\u03b5\u03b9\u03ac \u03c3\u03bf\u03c5 \u039a\u03cc\u03c3\u03bc\u03b5",
        "e\u0301 vs \u00e9",
        "\ufb01 \ufb06 \u01c5",
    ),
    *(
        "\U0001f600\U0001f469\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
        "\U0001d4d7\U0001d4ee\U0001d4f5\U0001d4f5\U0001d4f8",
    ),
    *(
        "x\u00a0y\u2003z\u202fw\u3000v\u1680u",
        "a\u0085b\u001cc\ufeffd\u180ee\u200bf",
        "\x00\x01\x7f",
    ),
    *("<|start|>user\nHi<|stop|>\n", "<|stop|>", "<|sto", "<|begin_of_text|>x<|end_of_text|>"),
    *("aaaaaaaaaaaaaaaaaaaaaaaa", "na" * 50 + "!" * 20, "\n \n  \n\t\n", "\u4e2d" * 40),
]
"""Strings in many scripts, with all kinds of spaces, numbers and special tokens."""


def corpus() -> Iterator[str]:
    """Yield text for the training of tokenizers."""
    yield from (ROOT / "LICENSE").read_text(encoding="utf-8").splitlines()
    yield from STRINGS * 2


def tokenizer(pre: str, kind: Any = keras_hub.tokenizers.Llama3Tokenizer) -> Any:
    """Return a tokenizer of KerasHub that is trained on the corpus."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    trained.train_from_iterator(corpus(), trainer)
    model = json.loads(trained.to_str())["model"]
    merges = [" ".join(merge) for merge in model["merges"]]
    vocabulary = model["vocab"]
    if kind is keras_hub.tokenizers.GPT2Tokenizer:
        vocabulary = {**vocabulary, "<|endoftext|>": len(vocabulary)}
        return kind(vocabulary=vocabulary, merges=merges)
    options = {
        "bos_token": SPECIAL[0],
        "eos_token": SPECIAL[1],
        "misc_special_tokens": {*SPECIAL[2:]},
    }
    made = kind(vocabulary=vocabulary, merges=merges, **options)
    set_pre_tokenizer(made, of_gguf(pre))
    return made


def sentence_pieces() -> bytes:
    """Return a SentencePiece model as in Llama 2, trained on the corpus."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line for line in corpus() if "\0" not in line),
        model_writer=model,
        model_type="bpe",
        vocab_size=900,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        user_defined_symbols=["<|start|>", "<|stop|>"],
        minloglevel=2,
    )
    return model.getvalue()


def llama2() -> Any:
    """Return a Llama 2, which has a tokenizer of SentencePiece."""
    own = keras_hub.tokenizers.LlamaTokenizer(sentence_pieces())
    backbone = keras_hub.models.LlamaBackbone(
        vocabulary_size=own.vocabulary_size(), num_layers=2, intermediate_dim=48, **_GROUPED
    )
    preprocessor = keras_hub.models.LlamaCausalLMPreprocessor(own, sequence_length=LENGTH)
    return keras_hub.models.LlamaCausalLM(backbone, preprocessor)


def llama(width: int = 32) -> Any:
    """Return a Llama 3 with tied embeddings and a chat template."""
    own = tokenizer("llama3")
    own.chat_template = TEMPLATE
    backbone = keras_hub.models.Llama3Backbone(
        vocabulary_size=own.vocabulary_size(),
        num_layers=2,
        num_query_heads=4,
        num_key_value_heads=2,
        hidden_dim=width,
        intermediate_dim=2 * width,
        tie_word_embeddings=True,
    )
    preprocessor = keras_hub.models.Llama3CausalLMPreprocessor(own, sequence_length=LENGTH)
    return keras_hub.models.Llama3CausalLM(backbone, preprocessor)


def gpt2() -> Any:
    """Return a GPT-2, with embeddings for as many positions as are exported."""
    own = tokenizer("gpt-2", keras_hub.tokenizers.GPT2Tokenizer)
    backbone = keras_hub.models.GPT2Backbone(
        vocabulary_size=own.vocabulary_size(),
        num_layers=2,
        num_heads=4,
        hidden_dim=32,
        intermediate_dim=48,
        max_sequence_length=LENGTH,
    )
    preprocessor = keras_hub.models.GPT2CausalLMPreprocessor(own, sequence_length=LENGTH)
    return keras_hub.models.GPT2CausalLM(backbone, preprocessor)


def _family(name: str, pre: str, **arguments: Any) -> Callable[[], Any]:
    """Return a function that makes a model of another family, with a tokenizer of Llama 3."""

    def made() -> Any:
        own = tokenizer(pre)
        backbone = getattr(keras_hub.models, f"{name}Backbone")(
            vocabulary_size=own.vocabulary_size(), num_layers=2, intermediate_dim=48, **arguments
        )
        preprocessor = keras_hub.models.Llama3CausalLMPreprocessor(own, sequence_length=LENGTH)
        return getattr(keras_hub.models, f"{name}CausalLM")(backbone, preprocessor)

    return made


QUANTIZED = ("llama_int8", "llama_int4")
"""Models with weights that are randomized before they are quantized."""


def _quantized(mode: str, width: int, noise: float = 0.3) -> Callable[[], Any]:
    """Return a function that makes a Llama 3 with weights in int8 or int4."""

    def made() -> Any:
        model = llama(width)
        randomize(model, noise)
        model.backbone.quantize(mode)
        return model

    return made


_GROUPED: dict[str, Any] = {"num_query_heads": 4, "num_key_value_heads": 2, "hidden_dim": 32}
_HEADS: dict[str, Any] = {"num_heads": 4, "hidden_dim": 32}
MODELS: dict[str, Callable[[], Any]] = {
    "llama": llama,
    "llama2": llama2,
    "gpt2": gpt2,
    "llama_int8": _quantized("int8", 128),
    "llama_int4": _quantized("int4", 512, 0.1),
    "qwen": _family("Qwen", "qwen2", **_GROUPED, tie_word_embeddings=True),
    "qwen3": _family("Qwen3", "smollm", **_GROUPED, head_dim=8),
    "mistral": _family("Mistral", "llama3", **_GROUPED, sliding_window=8),
    "gemma": _family("Gemma", "gpt-2", **_GROUPED, head_dim=8),
    "bloom": _family("Bloom", "qwen2", **_HEADS),
    "opt": _family("OPT", "qwen2", **_HEADS, max_sequence_length=LENGTH),
    "gpt_neo_x": _family("GPTNeoX", "qwen2", **_HEADS),
}


def randomize(model: Any, size: float = 0.3) -> None:
    """Set larger weights than initializers, so that answers have different tokens."""
    generator = np.random.default_rng(7)
    for variable in model.backbone.weights:
        noise = generator.standard_normal(variable.shape).astype("float32")
        variable.assign(variable.numpy() + noise * size)


def facts(model: Any) -> dict[str, Any]:
    """Return what Python computes with a model."""
    own = model.preprocessor.tokenizer
    tokens = [[int(t) for t in own(text)] if text else [] for text in STRINGS]
    prompts = [text for text in STRINGS if 0 < len(own(text)) < LENGTH - 4][::3]
    model.compile(sampler="greedy")
    found = {
        "strings": STRINGS,
        "tokens": tokens,
        "decoded": [_text(model, row) if row else "" for row in tokens],
        "prompts": prompts,
        "answers": [_answer(model, prompt) for prompt in prompts],
        "texts": [model.generate(p, max_length=LENGTH, strip_prompt=True) for p in prompts],
        "weights": sum(variable.numpy().nbytes for variable in model.weights),
    }
    found["next"] = _next(model, prompts[0])
    if own.chat_template is not None:
        messages = [
            *({"role": "system", "content": " Be brief. "}, {"role": "user", "content": "Hi!\n"}),
            *({"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Bye"}),
        ]
        prompt = own.apply_chat_template(messages)
        text = model.generate(prompt, max_length=LENGTH, strip_prompt=True)
        found["chat"] = {"messages": messages, "text": text}
    return found


def _next(model: Any, prompt: str) -> dict[str, Any]:
    """Return the most probable tokens after a prompt, with their probabilities."""
    inputs = model.preprocessor.generate_preprocess([prompt], sequence_length=LENGTH)
    last = int(np.asarray(inputs["padding_mask"]).sum()) - 1
    logits = np.asarray(model(inputs))[0, last].astype("float64") / TEMPERATURE
    weights = np.exp(logits - logits.max())
    order = np.argsort(-weights, kind="stable")[:CANDIDATES]
    probabilities = (weights / weights.sum())[order]
    return {"tokens": order.tolist(), "probabilities": probabilities.tolist()}


def _text(model: Any, tokens: list[int]) -> str:
    """Return the text of tokens as `generate` does, without special tokens."""
    row = {"token_ids": np.array([tokens]), "padding_mask": np.ones((1, len(tokens)), bool)}
    return str(model.preprocessor.generate_postprocess(row)[0])


def _answer(model: Any, prompt: str) -> list[int]:
    """Return the tokens of an answer, up to the first stop token."""
    inputs = model.preprocessor.generate_preprocess([prompt], sequence_length=LENGTH)
    inputs = {name: np.asarray(value) for name, value in inputs.items()}
    begin = int(inputs["padding_mask"].sum())
    own, model.preprocessor = model.preprocessor, None
    try:
        made = model.generate(inputs, stop_token_ids=None)
    finally:
        model.preprocessor = own
    tokens = [int(token) for token in np.asarray(made["token_ids"])[0, begin:]]
    names = ("end_token_id", "end_token2_id")
    ends = {getattr(own.tokenizer, name, None) for name in names}
    return list(itertools.takewhile(lambda token: token not in ends, tokens))


def main(folder: str, backends: str, *names: str) -> None:
    """Write the files of some models, or of all."""
    assert set(PATTERNS) >= {"llama3", "qwen2", "smollm", "gpt-2"}
    for name in names or MODELS:
        keras.utils.set_random_seed(1)
        model = MODELS[name]()
        if name not in QUANTIZED:
            randomize(model)
        note = facts(model)
        options = {"max_length": LENGTH, "prefill_lengths": PREFILLS, "candidates": CANDIDATES}
        tf.export(model, Path(folder, f"{name}.tfpy"), backends=backends.split(","), **options)
        Path(folder, f"{name}.json").write_text(json.dumps(note), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
