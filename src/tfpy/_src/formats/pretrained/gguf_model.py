"""GGUF files in the form of Hugging Face: configuration, names of weights and tokenizer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfpy._src.compiler.ops.block_formats import ON_DEVICES, BlockFormat
from tfpy._src.formats.gguf.metadata import Metadata
from tfpy._src.formats.gguf.reader import GgufFile, TensorEntry
from tfpy._src.formats.pretrained.architectures import ARCHITECTURES, KEYS, LAYER, Architecture
from tfpy._src.formats.pretrained.block_weights import BlockFile, Matrix, Move
from tfpy._src.formats.pretrained.gguf_tokenizer import write_tokenizer
from tfpy._src.formats.pretrained.source import Pretrained
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.library.io.checked_json import ModelFileError

NAME = "general.architecture"
EMBEDDINGS = "token_embd.weight"
OUTPUT = "output.weight"
REQUIRED = ("block_count", "embedding_length", "attention.head_count")
FACTORS = "rope_freqs.weight"
LLAMA3_SCALING: dict[str, Any] = {
    "rope_type": "llama3",
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
"""Parameters of all models of Llama 3. Only the factor differs between them."""


def read_model(file: GgufFile, folder: Path) -> Pretrained:
    """Return the model in a GGUF file.

    Args:
        file: The file.
        folder: Empty folder for the files of the tokenizer.

    Raises:
        ModelFileError: If the architecture or the tokenizer is not supported.
    """
    config, weights = read_weights(file)
    facts = write_tokenizer(file.metadata, folder)
    return Pretrained(config, weights, folder, facts)


def read_weights(file: GgufFile) -> tuple[dict[str, Any], WeightFile]:
    """Return the configuration and the weights of the model in a GGUF file.

    Raises:
        ModelFileError: If the architecture is not supported.
    """
    name = file.metadata.get(NAME)
    if name not in ARCHITECTURES:
        raise ModelFileError(
            f"{NAME} is {str(name)[:80]!r}. tf.models.load supports {', '.join(ARCHITECTURES)}"
        )
    architecture = ARCHITECTURES[name]
    config = _config(file, str(name), architecture)
    return config, _Renamed(file, architecture, config)


def _config(file: GgufFile, name: str, architecture: Architecture) -> dict[str, Any]:
    """Return the configuration in the form of Hugging Face."""
    if EMBEDDINGS not in file.tensors:
        raise ModelFileError(f"the file does not contain {EMBEDDINGS!r}")
    config: dict[str, Any] = {
        "model_type": architecture.model_type,
        "architectures": [architecture.task],
        "vocab_size": file.tensors[EMBEDDINGS].shape[0],
        "tie_word_embeddings": OUTPUT not in file.tensors,
        "rope_theta": 10000.0,
        **architecture.config,
    }
    for keys in (KEYS, architecture.keys):
        for key, into in keys.items():
            value = _number(file.metadata, f"{name}.{key}")
            if value is not None:
                config[into] = value
    missing = [f"{name}.{key}" for key in REQUIRED if KEYS[key] not in config]
    if missing:
        raise ModelFileError(f"the metadata do not contain {', '.join(missing)}")
    heads = config["num_attention_heads"]
    config.setdefault("num_key_value_heads", heads)
    config.setdefault("head_dim", config["hidden_size"] // heads)
    _check_rotations(file, name, config, architecture)
    return {**config, **architecture.derived(config)}


def _number(metadata: Metadata, key: str) -> int | float | None:
    """Return a number of the metadata, or None.

    Raises:
        ModelFileError: If it is not positive, or differs between layers.
    """
    value = metadata.get(key)
    if isinstance(value, np.ndarray) and len(value) and (value == value[0]).all():
        value = value[0].item()
    if value is not None and (not isinstance(value, int | float) or not 0 < value < 1 << 31):
        raise ModelFileError(f"{key} must be a positive number, got {str(value)[:80]}")
    return value


def _check_rotations(
    file: GgufFile, name: str, config: dict[str, Any], architecture: Architecture
) -> None:
    """Check that the positions are encoded as KerasHub does, and set the scaling of angles.

    Raises:
        ModelFileError: If only a part of each head is rotated, or if the scaling is not supported.
    """
    rotated = file.metadata.get(f"{name}.rope.dimension_count", config["head_dim"])
    if rotated != config["head_dim"]:
        raise ModelFileError(
            f"{rotated} of {config['head_dim']} dimensions of a head are rotated by positions, "
            "which is not supported"
        )
    scaling = file.metadata.get(f"{name}.rope.scaling.type", "none")
    if scaling == "linear" and architecture.has_linear:
        factor = _number(file.metadata, f"{name}.rope.scaling.factor")
        config["rope_scaling"] = {"rope_type": "linear", "factor": factor or 1.0}
    elif scaling != "none" and not (scaling == "longrope" and architecture.factors):
        raise ModelFileError(f"scaled angles of positions ({scaling!r}) are not supported")
    if FACTORS in file.tensors:
        config["rope_scaling"] = _llama3_scaling(file.read(FACTORS), config["rope_theta"])
    found = {e: t for e, t in architecture.factors.items() if t in file.tensors}
    if found:
        factors = {entry: _long_factors(file, tensor) for entry, tensor in found.items()}
        config["rope_scaling"] = {"type": "longrope", **factors}


def _long_factors(file: GgufFile, tensor: str) -> list[float]:
    """Return factors of angles for a length of the prompt.

    Raises:
        ModelFileError: If they are not a vector.
    """
    values = file.read(tensor)
    if values.ndim != 1:
        raise ModelFileError(f"{tensor!r} must be a vector, and has the shape {values.shape}")
    return [float(value) for value in values]


def _llama3_scaling(factors: NDArray[Any], base: float) -> dict[str, Any]:
    """Return the parameters of Llama 3 from which the writer has computed factors of angles.

    Raises:
        ModelFileError: If the factors do not belong to Llama 3.
    """
    found = {**LLAMA3_SCALING, "factor": float(factors.max(initial=1))}
    expected = llama3_factors(found, base, factors.size)
    if factors.ndim != 1 or not np.allclose(factors, expected, rtol=1e-3):
        raise ModelFileError("the angles of positions are scaled by other factors than in Llama 3")
    return found


def llama3_factors(scaling: Mapping[str, Any], base: float, count: int) -> NDArray[np.float64]:
    """Return the factors by which the angles of positions are divided in Llama 3.

    Args:
        scaling: Parameters of the scaling.
        base: Base of the wavelengths.
        count: Number of angles.
    """
    least, most = (scaling[f"{name}_freq_factor"] for name in ("low", "high"))
    lengths = 2 * np.pi * base ** (np.arange(count) / count)
    turns = scaling["original_max_position_embeddings"] / lengths
    smooth = np.clip((turns - least) / (most - least), 0, 1)
    found: NDArray[np.float64] = 1 / ((1 - smooth) / scaling["factor"] + smooth)
    return found


class _Renamed(BlockFile):
    """The weights of a GGUF file, with the names and values of Hugging Face."""

    def __init__(self, file: GgufFile, architecture: Architecture, config: dict[str, Any]) -> None:
        self._file, self._config, self._changes = file, config, architecture.changes
        self._unused = {
            name: tuple(config[key] for key in keys) for name, keys in architecture.unused.items()
        }
        self._old = {}
        for name in file.names:
            new = _renamed(name, architecture)
            if new is not None:
                self._old[new] = name

    @property
    def names(self) -> Collection[str]:
        return [*self._old, *self._unused]

    @property
    def size(self) -> int:
        return self._file.size

    def shape(self, name: str) -> tuple[int, ...]:
        found = self._unused.get(name)
        return self._file.shape(self._old[name]) if found is None else found

    def read(self, name: str) -> NDArray[Any]:
        if name in self._unused:
            return np.zeros(self._unused[name], np.float32)
        value = self._file.read(self._old[name])
        for move in self.moves(name):
            value = move(value)
        return value

    def matrix(self, name: str) -> Matrix | None:
        how = None if name in self._unused else _on_devices(self._file.tensors[self._old[name]])
        if how is None:
            return None
        n, k = self._file.shape(self._old[name])
        return Matrix(how, self._file.blocks(self._old[name]).view(how.layout), (n, k))

    def bytes_of_blocks(self, name: str) -> int:
        if name in self._unused:
            return 0
        tensor = self._file.tensors[self._old[name]]
        return 0 if _on_devices(tensor) is None else tensor.bytes

    def moves(self, name: str) -> list[Move]:
        change = self._changes.get(_parts(self._old[name])[1])
        return [] if change is None else [lambda value: change.undo(value, self._config)]


def _on_devices(tensor: TensorEntry) -> BlockFormat | None:
    """Return the format in which devices read a matrix, or None if they do not read it.

    Devices read single values in blocks of several ones.
    """
    how = ON_DEVICES.get(tensor.blocks.name)
    is_matrix = len(tensor.shape) == 2
    return how if how is not None and is_matrix and not tensor.shape[1] % how.size else None


def _parts(name: str) -> tuple[str, str, str]:
    """Return the number of the layer, the name without it, and the ending of a weight."""
    layer = ""
    if name.startswith(LAYER):
        layer, _, name = name.removeprefix(LAYER).partition(".")
    stem, _, ending = name.rpartition(".")
    return layer, stem, ending


def _renamed(name: str, architecture: Architecture) -> str | None:
    """Return the name of a weight in Hugging Face, or None if KerasHub does not need it."""
    layer, stem, ending = _parts(name)
    new = architecture.names.get(stem)
    if new is None:
        return None
    beginning = f"{architecture.layers}{layer}." if layer else ""
    return f"{beginning}{new}.{ending}"
