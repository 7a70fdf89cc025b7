"""A check of vocabularies before they are saved, because Keras cannot load all that it saves."""

from __future__ import annotations

import functools
import types
from typing import Any


def replace(index_lookup: types.ModuleType) -> None:
    """Let layers such as `StringLookup` refuse to save a vocabulary that Keras cannot load."""
    layer = index_lookup.IndexLookup
    plain = layer.save_assets

    @functools.wraps(plain)
    def save_assets(self: Any, dir_path: str) -> None:
        if self.input_vocabulary is None:  # otherwise the vocabulary is part of the configuration
            _check(self.name, [str(word) for word in self.get_vocabulary()])
        plain(self, dir_path)

    layer.save_assets = save_assets


def _check(layer: str, words: list[str]) -> None:
    """Check that the lines of a file can contain the words.

    Keras writes one word in each line. When it loads the file, it removes empty lines at the end.

    Raises:
        ValueError: If a word contains the end of a line, or if the last word is empty.
    """
    if words and not words[-1]:
        raise ValueError(
            f"The vocabulary of the layer {layer!r} ends with the empty string, so Keras could not "
            "load the saved model. Replace empty strings before you call adapt(), for example with "
            "tf.where(strings == '', 'unknown', strings). In a table that tf.data.csv_async reads, "
            "pass {'default': 'unknown'} for the column."
        )
    for word in words:
        if word and word.splitlines() != [word]:
            raise ValueError(
                f"The vocabulary of the layer {layer!r} contains {word!r}, which has more than one "
                "line, so Keras could not load the saved model. Replace the ends of lines before "
                r"adapt(), for example with tf.strings.regex_replace(strings, r'\s+', ' ')."
            )
