"""The inputs from which KerasHub builds a model: configuration, weights and tokenizer files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tfpy._src.formats.weight_file import WeightFile

CONFIG = "config.json"
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
SENTENCE_PIECES = "tokenizer.model"
POOLING = "1_Pooling/config.json"
"""A file of models that compute one vector for a text."""
ACCENTS = "strip_accents"
"""An argument of KerasHub's tokenizers that split words into pieces."""


@dataclass(frozen=True)
class TokenizerFacts:
    """Facts about a tokenizer that KerasHub does not read from the files.

    Attributes:
        chat_template: Template (Jinja) of conversations, or None.
        adds_start: True if texts begin with the start token, None if this is unknown.
        adds_end: True if texts that are not to be continued end with the end token, or None.
        pre_tokenizer: Description of the splitting into words, as in `tokenizer.json`, or None for
            the default of KerasHub.
        arguments: Arguments of KerasHub's tokenizer that its converter does not set.
        added: Tokens that are never split, with True for those that have no text.
    """

    chat_template: str | None = None
    adds_start: bool | None = None
    adds_end: bool | None = None
    pre_tokenizer: Mapping[str, Any] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    added: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Pretrained:
    """A model that is to be built.

    Attributes:
        config: Configuration in the form of `config.json` of Hugging Face.
        weights: Weights by the names of Hugging Face.
        folder: Folder with the files of the tokenizer, in the form of Hugging Face.
        tokenizer: Further facts about the tokenizer.
        kept: Names of files of the tokenizer that are written again as they are.
    """

    config: dict[str, Any]
    weights: WeightFile
    folder: Path
    tokenizer: TokenizerFacts = field(default_factory=TokenizerFacts)
    kept: tuple[str, ...] = ()


class Unconverted(np.ndarray[Any, Any]):
    """An array that ignores conversions to other dtypes.

    Some converters of KerasHub convert weights to float16 before they are assigned to variables of
    float32.
    """

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """Return the array."""
        return self


def write_json(folder: Path, name: str, value: Any) -> None:
    """Write a JSON file."""
    (folder / name).write_text(json.dumps(value), encoding="utf-8")
