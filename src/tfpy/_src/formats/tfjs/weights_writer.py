"""Weights as TensorFlow.js writes them: a manifest, and files of one size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfpy._src.formats.tfjs.weights_manifest import QUANTIZED, STORED, Array

SHARD_SIZE = 4 << 20
_KINDS = {"f": "float32", "i": "int32", "u": "int32", "b": "bool", "c": "complex64"}

Entry = dict[str, Any]


def encoded(name: str, values: Array, quantization: str | None) -> tuple[Entry, bytes]:
    """A weight's entry in a manifest, and its bytes.

    Args:
        quantization: None, or "float16", "uint8" or "uint16" for weights of float32.

    Raises:
        ValueError: for a dtype or numbers that cannot be written.
    """
    dtype = _KINDS.get(values.dtype.kind)
    if dtype is None:
        raise ValueError(f"weight {name!r} of dtype {values.dtype} cannot be written")
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
        raise ValueError(f"weight {name!r} has numbers that are too large for float16")
    return entry | {"quantization": quantized}, stored.tobytes()


def _scaled(name: str, values: Array, kind: np.dtype[Any]) -> tuple[Array, float, float]:
    """Values as steps above the least; zero is one of the steps where it is among them.

    Raises:
        ValueError: for numbers that are not finite.
    """
    if not np.isfinite(values).all():
        raise ValueError(f"weight {name!r} has numbers that are not finite, and is not quantized")
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
    """A manifest of one group, and its files."""
    pairs = list(weights)
    data = b"".join(part for _, part in pairs)
    count = max(1, -(-len(data) // size))
    files = {
        f"{prefix}-shard{i + 1}of{count}.bin": data[i * size : (i + 1) * size] for i in range(count)
    }
    return [{"paths": list(files), "weights": [entry for entry, _ in pairs]}], files
