"""Facts about the files from which models were loaded, for writing them again."""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.formats.pretrained.source import Pretrained, TokenizerFacts


@dataclass(frozen=True)
class Origin:
    """Facts about the files of a model.

    Attributes:
        config: Configuration in the form of Hugging Face.
        tokenizer: Facts about the tokenizer.
        files: Compressed files of the tokenizer by their names, if they have the form of Hugging
            Face.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    tokenizer: TokenizerFacts = field(default_factory=TokenizerFacts)
    files: Mapping[str, bytes] = field(default_factory=dict)

    def unpacked(self) -> dict[str, bytes]:
        """Return the files."""
        return {name: zlib.decompress(data) for name, data in self.files.items()}


_ORIGINS: weakref.WeakKeyDictionary[Any, Origin] = weakref.WeakKeyDictionary()
"""Origins by backbones."""


def remember(model: Any, source: Pretrained) -> None:
    """Store the origin of a model."""
    paths = {name: source.folder / name for name in source.kept}
    held = {name: path for name, path in paths.items() if path.is_file()}
    packed = {name: zlib.compress(path.read_bytes(), 1) for name, path in held.items()}
    origin = Origin(source.config, source.tokenizer, packed)
    _ORIGINS[getattr(model, "backbone", model)] = origin


def origin_of(model: Any) -> Origin:
    """Return the origin of a model; an empty one if it was not loaded from files."""
    return _ORIGINS.get(getattr(model, "backbone", model)) or Origin()
