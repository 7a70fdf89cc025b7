"""Arrays of float32 as the bytes of shorter floating-point numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Encode = Callable[[NDArray[Any]], Bytes]


def _f32(values: NDArray[Any]) -> Bytes:
    return np.ascontiguousarray(values, "<f4").reshape(-1).view(np.uint8)


def _f16(values: NDArray[Any]) -> Bytes:
    with np.errstate(over="ignore"):  # large values become infinite
        return np.ascontiguousarray(values, "<f2").reshape(-1).view(np.uint8)


def _bf16(values: NDArray[Any]) -> Bytes:
    """Round to the nearest value, and to the even one of two. NaNs become quiet."""
    bits = np.ascontiguousarray(values, "<f4").reshape(-1).view(np.uint32)
    is_nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    rounded = np.where(is_nan, quiet, (bits + half) >> np.uint32(16))
    return rounded.astype("<u2").view(np.uint8)


FLOATS: dict[str, Encode] = {"F32": _f32, "F16": _f16, "BF16": _bf16}
"""Encoders by the names of dtypes in safetensors and GGUF files."""
