"""The sizes of language models, from their configurations and the headers of their files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from tfpy._src.formats.model_files import MODEL, ModelFiles
from tfpy._src.formats.pretrained import gguf_model, loading
from tfpy._src.formats.pretrained.block_weights import BlockFile, supports_blocks
from tfpy._src.formats.pretrained.packed_weights import unpacked
from tfpy._src.formats.pretrained.source import CONFIG
from tfpy._src.formats.sources import ModelSource, is_zip, opened, received
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError, a_list, a_size, an_object, parse

PRESET = "metadata.json"
"""File of presets of KerasHub with the number of weights."""
TASK = "task.json"
"""File of presets with the class that uses the backbone."""
NAMES = (".gguf", "model.safetensors", "model.safetensors.index.json", PRESET, MODEL)
"""Names or endings of main files."""
HEAD = "lm_head.weight"
"""Matrix that converts states to logits. If it is tied, the embeddings are used instead."""
GENERATING = ("ForCausalLM", "LMHeadModel", "CausalLM")
"""Ends of the names of classes that generate tokens."""
LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
HEADS = ("num_attention_heads", "n_head", "num_query_heads", "num_heads")
KEY_HEADS = ("num_key_value_heads", *HEADS)
WIDTHS = ("hidden_size", "n_embd", "hidden_dim")
"""Keys of the same number in configurations of Hugging Face and of KerasHub."""
MOST = 1 << 42
"""Number of weights above which a file is regarded as damaged."""


@dataclass(frozen=True)
class Description:
    """The description of a language model in its files.

    Attributes:
        shapes: Shapes of the weights.
        blocks: For each weight, the number of bytes if it stays in its blocks, otherwise 0.
        cached: Number of keys and values of a token in all layers.
    """

    shapes: list[tuple[int, ...]]
    blocks: list[int]
    cached: int


async def described(source: ModelSource, handles: ExitStack) -> Description:
    """Read the description of a model.

    Args:
        source: Location of the files, or the bytes of a GGUF file.
        handles: Files that are to be closed.

    Raises:
        ModelFileError: If a file is damaged, or if the model is not supported.
    """
    source = await received(source)
    if isinstance(source, bytes) and not is_zip(source[:4]):
        source = {MODEL: source}
    files = opened(source, NAMES)
    if files.model.endswith((".gguf", MODEL)):
        file = await loading.open_gguf(files, b"", handles)
        return _pretrained(*gguf_model.read_weights(file))
    if files.model.endswith(PRESET):
        return _preset({name: await _json(files, name) for name in (CONFIG, PRESET, TASK)})
    config, weights = await _json(files, CONFIG), await loading.open_weights(files, handles)
    return _pretrained(config, unpacked(weights, config))


async def _json(files: ModelFiles, name: str) -> dict[str, Any]:
    """Read a JSON file. The file with the task is optional, because presets may be encoders."""
    try:
        return parse(await files.read(name, loading.MAX_TEXT_BYTES), name)
    except ModelFileError:
        if name != TASK:
            raise
        return {}


def _pretrained(config: dict[str, Any], weights: WeightFile) -> Description:
    """Describe a model of Hugging Face. The matrix of logits is not loaded if it is tied."""
    tied = HEAD if config.get("tie_word_embeddings") else None
    names = [name for name in weights.names if name != tied]
    blocks = [0] * len(names)
    if isinstance(weights, BlockFile) and supports_blocks():
        blocks = [weights.bytes_of_blocks(name) for name in names]
    classes = a_list(config.get("architectures", []), "architectures")
    text = an_object(config.get("text_config", config), "text_config")
    generates = any(str(name).endswith(GENERATING) for name in classes)
    cached = _cached(text) if generates else 0
    return Description([weights.shape(name) for name in names], blocks, cached)


def _preset(files: Mapping[str, Mapping[str, Any]]) -> Description:
    """Describe a preset of KerasHub, in which almost all weights are in matrices."""
    count = _weights(files[PRESET])
    generates = str(files[TASK].get("class_name")).endswith(GENERATING)
    config = an_object(files[CONFIG].get("config"), "config")
    width = _number(config, WIDTHS)
    rows = count // max(width, 1)
    shapes: list[tuple[int, ...]] = [(rows, width), (count - rows * width,)]
    return Description(shapes, [0, 0], _cached(config) if generates else 0)


def _weights(facts: Mapping[str, Any]) -> int:
    """Return the number of weights of a preset, which may be larger than 2**31."""
    count = facts.get("parameter_count")
    if type(count) is not int or not 0 <= count < MOST:
        raise ModelFileError(f"parameter_count in {PRESET} must be an integer from 0 to {MOST}")
    return count


def _cached(config: Mapping[str, Any]) -> int:
    """Return the number of keys and values of a token in all layers."""
    heads = _number(config, HEADS)
    size = config.get("head_dim")
    if size is None:
        size = _number(config, WIDTHS) // max(heads, 1)
    size = a_size(size, "head_dim")
    return 2 * _number(config, LAYERS) * _number(config, KEY_HEADS) * size


def _number(config: Mapping[str, Any], keys: tuple[str, ...]) -> int:
    """Return the first number in a configuration with one of the keys.

    Raises:
        ModelFileError: If there is none.
    """
    for key in keys:
        if config.get(key) is not None:
            return a_size(config[key], key)
    raise ModelFileError(f"{CONFIG} contains none of {', '.join(keys)}")
