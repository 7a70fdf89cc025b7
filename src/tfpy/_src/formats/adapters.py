"""`tf.models.save_adapter` and `tf.models.load_adapter`: LoRA in the files of PEFT."""

from __future__ import annotations

import importlib
import os
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base.atomic_files import replace_files
from tfpy._src.formats.sources import ModelSource


def save_adapter(model: Any, folder: str | os.PathLike[str]) -> None:
    """Write the LoRA of a language model as a folder that the package `peft` reads.

    The folder contains `adapter_config.json` and `adapter_model.safetensors`, with the names of the
    layers in Hugging Face. Only the matrices of LoRA are written, and no biases.

    If a kernel has several heads, Keras shares a matrix among them. The adapter contains the same
    product with a rank that is larger by the number of heads.

    Args:
        model: A `CausalLM` or backbone of KerasHub, after `enable_lora`. The architectures are
            Llama, Mistral, Qwen 2 and 3, Gemma 1 to 3, GPT-2 and Phi-3.
        folder: Path of the folder, which is created.

    Raises:
        ValueError: If the model has no LoRA, is quantized, or has another architecture.

    See also: `tf.models.load_adapter`, `tf.models.save`.
    """
    writer = importlib.import_module("tfpy._src.formats.pretrained.adapter_writer")  # rarely needed
    links = importlib.import_module("tfpy._src.formats.pretrained.correspondence")
    replace_files(folder, writer.adapter_files(links.linked(model)))


def load_adapter(model: Any, source: ModelSource, merge: bool = False) -> None:
    """Load LoRA that the package `peft` or `tf.models.save_adapter` has written into a model.

    As with `enable_lora`, all other weights are then fixed, and training changes the matrices of
    the adapter. Keras may need a larger rank for the same product than the file, at most the size
    of a head.

    Args:
        model: A `CausalLM` or backbone of KerasHub with the weights for which the adapter was
            trained. `tf.models.save_adapter` lists the architectures.
        source: Location of the folder with `adapter_config.json` and `adapter_model.safetensors`,
            as for `tf.models.load`. On the page's main thread, use `tf.models.load_adapter_async`
            for files and URLs.
        merge: If True, add the products of the matrices to the weights of the model, which takes no
            further memory. They can then not be trained or saved separately. Weights that are kept
            in the blocks of a GGUF file cannot be changed.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If a file is damaged or describes another kind of adapter than LoRA, or if the
            adapter does not belong to the model.

    See also: `tf.models.save_adapter`, `tf.models.load_adapter_async`.
    """
    wait(load_adapter_async(model, source, merge), "write `await tf.models.load_adapter_async(…)`")


@awaitable("tf.models.load_adapter_async(model, source)")
async def load_adapter_async(model: Any, source: ModelSource, merge: bool = False) -> None:
    """Load LoRA that the package `peft` has written into a model without blocking the page.

    Args:
        model: A `CausalLM` or backbone of KerasHub, as for `tf.models.load_adapter`.
        source: Location of the folder with `adapter_config.json` and `adapter_model.safetensors`,
            as for `tf.models.load_async`.
        merge: If True, add the products of the matrices to the weights of the model.

    Returns:
        An awaitable that resolves to None.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If a file is damaged or describes another kind of adapter than LoRA, or if the
            adapter does not belong to the model.

    See also: `tf.models.load_adapter`.
    """
    reader = importlib.import_module("tfpy._src.formats.pretrained.adapter_reader")  # rarely needed
    await reader.read_adapter(model, source, merge)
