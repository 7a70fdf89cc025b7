"""`tf.models.save`: language models in GGUF files and in folders of Hugging Face."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from tfpy._src.base.atomic_files import replace_files, whole_file

GGUF = ("F32", "F16", "BF16", "Q8_0", "Q4_0")
FOLDER = ("F32", "F16", "BF16")


def save(model: Any, path: str | os.PathLike[str], weights: str = "F32") -> None:
    """Write a language model as a GGUF file, or as a folder of Hugging Face.

    The file contains the weights, the settings of the architecture, the tokenizer and the chat
    template, so that llama.cpp and `transformers` can load it. LoRA is added to the weights, which
    are written one at a time.

    Args:
        model: A `CausalLM` of KerasHub. The architectures are Llama, Mistral, Qwen 2 and 3, Gemma 1
            to 3, GPT-2 and Phi-3.
        path: Path of the file, if it ends with `.gguf`, and otherwise of the folder.
        weights: Format of the weights: `"F32"`, `"F16"` or `"BF16"`, and in GGUF files also
            `"Q8_0"` or `"Q4_0"`. Vectors stay F32, rows that do not consist of groups of 32 values
            become F16, and the tables of tokens in a file with Q4_0 are Q8_0.

    Raises:
        ValueError: If the model is quantized, has another architecture or a tokenizer that cannot
            be written, or if `weights` is illegal.

    See also: `tf.models.load`, `tf.models.save_adapter`, `tf.save_onnx`.
    """
    is_gguf = os.fspath(path).endswith(".gguf")
    expected = GGUF if is_gguf else FOLDER
    if weights not in expected:
        kind = "a GGUF file" if is_gguf else "a folder"
        raise ValueError(
            f"save: weights must be one of {', '.join(map(repr, expected))} for {kind}, "
            f"not {weights!r}"
        )
    links = importlib.import_module("tfpy._src.formats.pretrained.correspondence")  # rarely needed
    origins = importlib.import_module("tfpy._src.formats.pretrained.origins")
    found, origin = links.linked(model), origins.origin_of(model)
    write = _write_gguf if is_gguf else _write_folder
    write(path, found, getattr(model, "preprocessor", None), origin, weights)


def _write_gguf(
    path: str | os.PathLike[str], model: Any, preprocessor: Any, origin: Any, weights: str
) -> None:
    if preprocessor is None:
        raise ValueError("save: the model has no preprocessor, and a GGUF file needs its tokenizer")
    writer = importlib.import_module("tfpy._src.formats.pretrained.gguf_writer")
    with whole_file(path) as file:
        writer.write_model(file, model, preprocessor, origin, weights)


def _write_folder(
    path: str | os.PathLike[str], model: Any, preprocessor: Any, origin: Any, weights: str
) -> None:
    writer = importlib.import_module("tfpy._src.formats.pretrained.folder_writer")
    replace_files(path, writer.text_files(model, preprocessor, origin, weights))
    with whole_file(Path(path) / writer.WEIGHTS) as file:
        writer.write_weights(file, model, weights)
