"""The site's wheels of KerasHub and of the packages that it imports in addition to Keras's."""

from __future__ import annotations

from pathlib import Path

from . import package_wheels, tokenizer_wheels
from .paths import ROOT

LOCK = ROOT / "requirements" / "hub.txt"
TOKENIZERS = "The part of tokenizers that KerasHub uses, in plain Python, for pages"


def ensure() -> list[Path]:
    """Return the wheels, made if they are missing."""
    return [
        *package_wheels.of_index("keras-hub", LOCK),
        package_wheels.own("tokenizers", TOKENIZERS, ["regex"]),
        *map(package_wheels.compiled, tokenizer_wheels.ensure()),
    ]
