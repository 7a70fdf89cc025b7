"""The command ``python -m tfpy.convert``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from tfpy._src.base.errors import NotTraceableError, OpError
from tfpy._src.formats.convert.converter import FORMATS, convert
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
