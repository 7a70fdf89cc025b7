"""Writer of TensorFlow.js weights: a manifest and files of equal size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfpy._src.formats.tfjs.weights_manifest import QUANTIZED, STORED, Array

SHARD_SIZE = 4 << 20
"""Default number of bytes in a weight file, as in TensorFlow.js's converter."""
_KINDS = {"f": "float32", "i": "int32", "u": "int32", "b": "bool", "c": "complex64"}

Entry = dict[str, Any]


def encoded(name: str, values: Array, quantization: str | None) -> tuple[Entry, bytes]:
    """Return a weight's entry in the manifest and its bytes.

    Args:
        name: Name of the weight.
        values: Values of the weight.
        quantization: `"float16"`, `"uint8"` or `"uint16"` for float32 weights, or None.

    Raises:
        ValueError: If the dtype or the numbers cannot be written.
    """
    dtype = _KINDS.get(values.dtype.kind)
    if dtype is None:
        raise ValueError(
            f"weight {name!r} of dtype {values.dtype} cannot be written in TensorFlow.js's format"
        )
    entry = {"name": name, "shape": list(values.shape), "dtype": dtype}
    if quantization is None or dtype != "float32":
        return entry, values.astype(STORED[dtype]).tobytes()
    if quantization == "float16":
        with np.errstate(over="ignore"):
            stored = values.astype(QUANTIZED[quantization])
        quantized: Entry = {"dtype": quantization}
    else:
        stored, scale, least = _scaled(name, values, np.dtype(QUANTIZED[quantization]))
        quantized = {"dtype": quantization, "min": least, "scale": scale}
    if not np.isfinite(stored).all() and np.isfinite(values).all():
        raise ValueError(
            f"weight {name!r} has numbers that are too large for float16. Use another quantization"
        )
    return entry | {"quantization": quantized}, stored.tobytes()


def _scaled(name: str, values: Array, kind: np.dtype[Any]) -> tuple[Array, float, float]:
    """Quantize values to steps above the minimum. Zero is an exact step if it is in the range.

    Raises:
        ValueError: If a number is not finite.
    """
    if not np.isfinite(values).all():
        raise ValueError(f"weight {name!r} has numbers that are not finite: it cannot be quantized")
    exact = values.astype(np.float64)
    least, most = (float(exact.min()), float(exact.max())) if exact.size else (0.0, 0.0)
    if least == most:
        return np.zeros(values.shape, kind), 1.0, least
    scale = (most - least) / np.iinfo(kind).max
    if least <= 0.0 <= most:
        least = round(least / scale) * scale
    steps = np.rint((exact - least) / scale)
    return np.clip(steps, 0, np.iinfo(kind).max).astype(kind), scale, least


def sharded(
    weights: Iterable[tuple[Entry, bytes]], size: int, prefix: str = "group1"
) -> tuple[list[Entry], dict[str, bytes]]:
    """Return a manifest of one group, and its files by name."""
    pairs = list(weights)
    data = b"".join(part for _, part in pairs)
    count = max(1, -(-len(data) // size))
    files = {
        f"{prefix}-shard{i + 1}of{count}.bin": data[i * size : (i + 1) * size] for i in range(count)
    }
    return [{"paths": list(files), "weights": [entry for entry, _ in pairs]}], files
