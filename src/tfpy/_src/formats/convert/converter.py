"""Models converted from files of one format to those of another."""

from __future__ import annotations

import argparse
import json
import os
import re
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.errors import NotTraceableError, OpError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.exported.api import export
from tfpy._src.formats.load import load
from tfpy._src.formats.onnx.save import save_onnx
from tfpy._src.formats.tfjs.graph_model_writer import save_graph_model
from tfpy._src.formats.tfjs.weights_writer import SHARD_SIZE
from tfpy._src.functions.tf_function.signature import TensorSpec

_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def main(argv: Sequence[str] | None = None) -> int:
    """Converts as the arguments say.

    Returns:
        The exit status: 1, and a line on stderr that says why, where that is not possible.

    Raises:
        SystemExit: for arguments that are none.
    """
    parser = argparse.ArgumentParser("tfpy.convert", description="Converts models.")
    parser.add_argument("source", help="a file or folder of any format that tf.models.load reads")
    parser.add_argument("target", help="a folder, or a file")
    parser.add_argument("--to", choices=FORMATS, help="by default what the target's suffix says")
    parser.add_argument("--quantize", choices=("uint8", "uint16", "float16", "int8"))
    parser.add_argument("--shard-size", type=_size, default=SHARD_SIZE, metavar="4MiB")
    parser.add_argument(
        "--signature", type=_spec, action="append", metavar="float32[?,224,224,3]",
        help="dtype and shape of an input, ? for an open size; once for each",
    )  # fmt: skip
    given = parser.parse_args(argv)
    arguments = given.to, given.signature, given.quantize, given.shard_size
    try:
        convert(given.source, given.target, *arguments)
    except (ValueError, TypeError, OSError, NotTraceableError, OpError) as error:
        print(f"tfpy.convert: {error}", file=sys.stderr)
        return 1
    return 0


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+)\s*(|KiB|MiB|GiB)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size, such as 4MiB")
    return int(match[1]) * _UNITS[match[2]]


def _spec(text: str) -> TensorSpec:
    match = re.fullmatch(r"([a-z]+\d*)?\[([\d?,\s]*)\]", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no signature, such as float32[?,3]")
    sizes = [n.strip() for n in match[2].split(",") if n.strip()]
    return TensorSpec([None if n == "?" else int(n) for n in sizes], match[1] or "float32")


_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "bool": "BOOL",
}  # fmt: skip


def safetensors_bytes(arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a file with arrays by name.

    Raises:
        ValueError: for a dtype that there is not.
    """
    header, parts, at = {}, [], 0
    for name, array in arrays.items():
        if array.dtype.name not in _NAMES:
            raise ValueError(f"safetensors has no {array.dtype.name}, the dtype of {name!r}")
        data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        place = [at, at + len(data)]
        shape = list(array.shape)
        header[name] = {"dtype": _NAMES[array.dtype.name], "shape": shape, "data_offsets": place}
        parts.append(data)
        at = place[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


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
