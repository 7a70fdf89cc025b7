"""The writer of safetensors files: arrays that are computed and written one at a time.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, BinaryIO

from numpy.typing import NDArray

from tfpy._src.formats.encodings.floats import FLOATS
from tfpy._src.formats.safetensors.reader import DTYPES, LENGTH, METADATA

ALIGNMENT = 8
"""The data begin at a multiple of this number of bytes."""


def write_safetensors(
    file: BinaryIO,
    shapes: Mapping[str, tuple[int, ...]],
    read: Callable[[str], NDArray[Any]],
    dtype: str = "F32",
) -> None:
    """Write a safetensors file.

    Args:
        file: File to write.
        shapes: Shapes of the arrays by their names.
        read: Function that returns an array of float32 by its name.
        dtype: Dtype in the file, one of F32, F16 and BF16.
    """
    header: dict[str, Any] = {METADATA: {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        begin, end = end, end + prod(shape) * DTYPES[dtype][1]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    file.write(len(text).to_bytes(LENGTH, "little") + text)
    for name in shapes:
        file.write(FLOATS[dtype](read(name)).data)
