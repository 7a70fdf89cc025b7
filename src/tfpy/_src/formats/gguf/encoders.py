"""The encoders of block formats of GGUF files: from float32 to bytes.

Each of them performs the operations of the package gguf in the same order, so that the bytes are
equal.

Source: https://github.com/ggml-org/llama.cpp/blob/master/gguf-py/gguf/quants.py
"""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ops.reference.parts import Bytes, Floats
from tfpy._src.formats.encodings.floats import FLOATS, Encode
from tfpy._src.formats.gguf.blocks import FORMATS

LARGEST_Q8 = np.float32(127)
LEAST_Q4 = np.float32(-8)
MIDDLE_Q4 = 8.5
"""Sum of 8, the code of zero, and 0.5, by which truncation becomes rounding."""


def _inverse(scales: Floats) -> Floats:
    with np.errstate(divide="ignore", over="ignore"):
        found: Floats = np.where(scales == 0, np.float32(0), np.float32(1) / scales)
    return found


def _rounded(values: Floats) -> Floats:
    """Round to the nearest integer, and away from zero in the middle."""
    sizes = np.abs(values)
    whole = np.floor(sizes)
    found: Floats = np.sign(values) * (whole + np.floor(2 * (sizes - whole)))
    return found


def _q8_0(values: Floats) -> Bytes:
    """Encode each group of 32 values with the scale by which the largest becomes 127."""
    groups = values.reshape(-1, 32)
    scales = np.abs(groups).max(axis=1, keepdims=True) / LARGEST_Q8
    out = np.empty(len(groups), FORMATS[8].layout)
    with np.errstate(all="ignore"):  # values may be infinite or NaN
        out["qs"] = _rounded(groups * _inverse(scales)).astype(np.int8)
        out["d"] = scales[:, 0].astype(np.float16)
    return out.view(np.uint8)


def _q4_0(values: Floats) -> Bytes:
    """Encode each group of 32 values with the scale by which the largest becomes -8."""
    groups = values.reshape(-1, 32)
    largest = np.abs(groups).argmax(axis=1)[:, None]
    scales = np.take_along_axis(groups, largest, axis=1) / LEAST_Q4
    out = np.empty(len(groups), FORMATS[2].layout)
    with np.errstate(all="ignore"):  # values may be infinite or NaN
        exact = groups.astype(np.float64) * _inverse(scales).astype(np.float64) + MIDDLE_Q4
        codes = np.trunc(exact).astype(np.float32).astype(np.uint8).clip(0, 15)
        out["qs"] = codes[:, :16] | (codes[:, 16:] << np.uint8(4))
        out["d"] = scales[:, 0].astype(np.float16)
    return out.view(np.uint8)


ENCODERS: dict[str, Encode] = {**FLOATS, "Q8_0": _q8_0, "Q4_0": _q4_0}
"""All encoders by the names of their formats."""
