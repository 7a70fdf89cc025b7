"""Conversion of models from one file format to another."""

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
from tfpy._src.formats.sources import ModelSource
from tfpy._src.formats.tfjs.graph_model_writer import save_graph_model
from tfpy._src.formats.tfjs.weights_writer import SHARD_SIZE
from tfpy._src.functions.tf_function.signature import TensorSpec

_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def main(argv: Sequence[str] | None = None) -> int:
    """Convert a model as the command line specifies.

    Returns:
        The exit status. It is 1, with a line on stderr, if the model cannot be converted.

    Raises:
        SystemExit: If the arguments are invalid.
    """
    parser = argparse.ArgumentParser("tfpy.convert", description="Convert models.")
    parser.add_argument("source", help="file or folder of any format that tf.models.load reads")
    parser.add_argument("target", help="folder or file to write")
    parser.add_argument("--to", choices=FORMATS, help="default: the format of the target's suffix")
    parser.add_argument("--quantize", choices=("uint8", "uint16", "float16", "int8"))
    parser.add_argument("--shard-size", type=_size, default=SHARD_SIZE, metavar="4MiB")
    parser.add_argument(
        "--signature", type=_spec, action="append", metavar="float32[?,224,224,3]",
        help="dtype and shape of an input, with ? for an open size; repeat it for each input",
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
    """Parse a size such as 4MiB."""
    match = re.fullmatch(r"(\d+)\s*(|KiB|MiB|GiB)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 4MiB")
    return int(match[1]) * _UNITS[match[2]]


def _spec(text: str) -> TensorSpec:
    """Parse a signature such as float32[?,3]."""
    match = re.fullmatch(r"([a-z]+\d*)?\[([\d?,\s]*)\]", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a signature such as float32[?,3]")
    sizes = [n.strip() for n in match[2].split(",") if n.strip()]
    return TensorSpec([None if n == "?" else int(n) for n in sizes], match[1] or "float32")


_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "bool": "BOOL",
}  # fmt: skip


def safetensors_bytes(arrays: Mapping[str, Array]) -> bytes:
    """Serialize named arrays as a safetensors file.

    Raises:
        ValueError: If safetensors does not support a dtype.
    """
    header, parts, at = {}, [], 0
    for name, array in arrays.items():
        if array.dtype.name not in _NAMES:
            raise ValueError(
                f"safetensors does not support {array.dtype.name}, the dtype of {name!r}"
            )
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
    source: ModelSource,
    target: str | os.PathLike[str],
    to: str | None = None,
    signatures: Sequence[TensorSpec] | None = None,
    quantization: str | None = None,
    shard_size: int = SHARD_SIZE,
) -> None:
    """Convert the files of a model to a different format.

    The command `python -m tfpy.convert SOURCE TARGET` does the same.

    Args:
        source: Model to convert, as a path, a URL, bytes or a dict, as for `tf.models.load`.
        target: Path of the file to write, or of the folder if `to` is `"tfjs"`.
        to: Format to write. Legal values are `"tfjs"` for a graph model of TensorFlow.js, `"onnx"`,
            `"program"` for a file as written by `tf.export`, and `"safetensors"` for the weights
            alone. Default: the format of the suffix of `target` (`.onnx`, `.tfpy` or
            `.safetensors`), otherwise `"tfjs"`.
        signatures: List with a `tf.TensorSpec` for each input. Default: the inputs of the model.
        quantization: Type in which float32 weights are stored. Legal values are `"float16"`,
            `"uint8"` and `"uint16"` if `to` is `"tfjs"`, and `"float16"` if it is
            `"safetensors"`. If `to` is `"program"`, `"int8"` makes a program that computes matrix
            products and convolutions in int8. Default: float32.
        shard_size: Maximum number of bytes in a weight file, if `to` is `"tfjs"`. Default: 4 MiB.

    Raises:
        FileNotFoundError: If the path does not exist.
        ValueError: If `to` or `quantization` is not a legal value, or if a file is missing or
            damaged.
        tf.errors.UnimplementedError: If the target format does not support an operation.

    Example:
        >>> import tfpy as tf
        >>> tf.save_onnx(tf.square, "square.onnx", [tf.TensorSpec([None])])
        >>> tf.models.convert("square.onnx", "square", to="tfjs")
        >>> sorted(tf.io.gfile.listdir("square"))
        ['group1-shard1of1.bin', 'model.json']

    See also: `tf.models.load`, `tf.save_graph_model`, `tf.save_onnx`, `tf.export`.
    """
    to = to or _SUFFIXES.get(Path(target).suffix, "tfjs")
    if to not in FORMATS:
        raise ValueError(f"to must be one of {', '.join(map(repr, FORMATS))}, got {to!r}")
    if quantization is not None and quantization not in _QUANTIZATIONS[to]:
        kinds = ", ".join(map(repr, _QUANTIZATIONS[to])) or "no dtype"
        raise ValueError(
            f"the format {to!r} supports {kinds} as quantization, got {quantization!r}"
        )
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
    """Return a model's weights by name."""
    weights = model.weights
    if not isinstance(weights, Mapping):  # a Keras model
        weights = {weight.path: weight for weight in weights}
    return {name: np.asarray(getattr(w, "numpy", lambda w=w: w)()) for name, w in weights.items()}
