"""The site's wheels of KerasHub and of the packages that it imports in addition to Keras's."""

from __future__ import annotations

from pathlib import Path

from . import package_wheels, tokenizer_wheels
from .paths import ROOT

LOCK = ROOT / "requirements" / "hub.txt"
SUBSTITUTES = {
    "safetensors": ("The part of safetensors for NumPy, in plain Python, for pages", ["numpy"]),
    "tokenizers": ("The part of tokenizers that KerasHub uses, in plain Python", ["regex"]),
}


def ensure() -> list[Path]:
    """Return the wheels, made if they are missing."""
    return [
        *package_wheels.of_index("keras-hub", LOCK),
        *(package_wheels.own(name, *about) for name, about in SUBSTITUTES.items()),
        *map(package_wheels.compiled, tokenizer_wheels.ensure()),
    ]
