"""Models converted from files of one format to those of another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tfpy._src.base.atomic_files import replace_file
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.convert.safetensors import safetensors_bytes
from tfpy._src.formats.exported.api import export
from tfpy._src.formats.load import load
from tfpy._src.formats.onnx.save import save_onnx
from tfpy._src.formats.tfjs.graph_model_writer import save_graph_model
from tfpy._src.formats.tfjs.weights_writer import SHARD_SIZE

_SUFFIXES = {".onnx": "onnx", ".tfpy": "program", ".safetensors": "safetensors"}
FORMATS = ("tfjs", "program", "onnx", "safetensors")
_QUANTIZATIONS: Mapping[str, tuple[str, ...]] = {
    "tfjs": ("float16", "uint8", "uint16"),
    "program": ("int8",),
    "onnx": (),
    "safetensors": ("float16",),
}


def convert(
    source: Any,
    target: str | os.PathLike[str],
    to: str | None = None,
    signatures: Any = None,
    quantization: str | None = None,
    shard_size: int = SHARD_SIZE,
) -> None:
    """Converts a model's files to another format; also ``python -m tfpy.convert SOURCE TARGET``.

    Args:
        source: what :func:`tf.models.load` takes.
        target: the folder of a graph-model of TensorFlow.js, or a file.
        to: "tfjs", "program" (:func:`tf.export`), "onnx", or "safetensors" for the weights alone;
            by default what the target's suffix says, else "tfjs".
        signatures: a list with a ``tf.TensorSpec`` for each input; by default the model's own.
        quantization: how weights are stored, "float16", "uint8" or "uint16" for "tfjs" and
            "float16" for "safetensors"; "int8" for a program that computes with 8 bits.
        shard_size: the most bytes of a file of weights, for "tfjs".

    Raises:
        ValueError: for a format or quantization that there is not, and broken files.
        tf.errors.UnimplementedError: for an operation that the format has not.

    Example:
        >>> import tfpy as tf
        >>> tf.save_onnx(tf.square, "square.onnx", [tf.TensorSpec([None])])
        >>> tf.models.convert("square.onnx", "square", to="tfjs")
        >>> sorted(tf.io.gfile.listdir("square"))
        ['group1-shard1of1.bin', 'model.json']
    """
    to = to or _SUFFIXES.get(Path(target).suffix, "tfjs")
    if to not in FORMATS:
        raise ValueError(f"to must be one of {', '.join(map(repr, FORMATS))}, got {to!r}")
    if quantization is not None and quantization not in _QUANTIZATIONS[to]:
        kinds = ", ".join(map(repr, _QUANTIZATIONS[to])) or "nothing"
        raise ValueError(f"{to} is quantized to {kinds}, not {quantization!r}")
    model = load(source, quantize=quantization if to == "program" else None)
    write: dict[str, Callable[[], None]] = {
        "tfjs": lambda: save_graph_model(model, target, signatures, quantization, shard_size),
        "program": lambda: export(model, target, signatures),
        "onnx": lambda: save_onnx(model, target, signatures),
        "safetensors": lambda: _save_weights(model, Path(target), quantization),
    }
    write[to]()


def _save_weights(model: Any, file: Path, quantization: str | None) -> None:
    arrays = weights_of(model)
    if quantization == "float16":
        arrays = {
            name: array.astype(np.float16) if array.dtype == np.float32 else array
            for name, array in arrays.items()
        }
    replace_file(file, safetensors_bytes(arrays))


def weights_of(model: Any) -> dict[str, Array]:
    """A model's weights by name."""
    weights = model.weights
    if not isinstance(weights, Mapping):  # a model of Keras
        weights = {weight.path: weight for weight in weights}
    return {name: np.asarray(getattr(w, "numpy", lambda w=w: w)()) for name, w in weights.items()}
