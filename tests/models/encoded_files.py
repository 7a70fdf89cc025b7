"""Digests of encoded values. Run as a script with the package gguf installed, it prints DIGESTS."""

from __future__ import annotations

import hashlib
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

DIGESTS = Path(__file__).with_suffix(".json")
"""Digests of the bytes of the package gguf 0.19 for `values`, by the names of the formats."""
NAMES = ("F32", "F16", "BF16", "Q8_0", "Q4_0")


def values() -> np.ndarray:
    """Return rows of values of all sizes, with zeros, equal values and values in the middle."""
    rng = np.random.default_rng(7)
    rows = [rng.normal(size=(64, 64)) * 10.0 ** rng.integers(-9, 4, (64, 1))]
    rows.append(np.zeros((1, 64)))
    rows.append(np.full((1, 64), -0.25))
    rows.append(np.arange(64)[None] - 31.5)
    rows.append(rng.integers(-254, 255, (4, 64)) / 2)
    return np.concatenate(rows).astype(np.float32)


def digest(data: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest()[:16]


if __name__ == "__main__":
    gguf = importlib.import_module("gguf")
    kinds = {name: gguf.GGMLQuantizationType[name] for name in NAMES}
    print(json.dumps({n: digest(gguf.quantize(values(), k)) for n, k in kinds.items()}, indent=1))
