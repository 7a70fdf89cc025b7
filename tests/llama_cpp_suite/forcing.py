"""The most probable tokens after forced ones, computed with tfpy and with llama.cpp."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tfpy as tf

Array = np.ndarray[Any, Any]
MOST = 32


@dataclass(frozen=True)
class Best:
    """The most probable next tokens at each position, in descending order.

    Attributes:
        tokens: Tokens of the shape [positions, MOST].
        logs: Logarithms of their probabilities.
    """

    tokens: Array
    logs: Array

    @property
    def top(self) -> Array:
        """The most probable token at each position."""
        found: Array = self.tokens[:, 0]
        return found

    @property
    def margins(self) -> Array:
        """Differences between the two greatest logits."""
        found: Array = self.logs[:, 0] - self.logs[:, 1]
        return found

    def differences(self, other: Best) -> Array:
        """Return the greatest difference of logarithms at each position, for the first tokens."""
        found = []
        for tokens, logs, of_token in zip(self.tokens, self.logs, other.by_token(), strict=True):
            known = [i for i in range(8) if int(tokens[i]) in of_token]
            found.append(max(abs(logs[i] - of_token[int(tokens[i])]) for i in known or [0]))
        return np.array(found)

    def by_token(self) -> list[dict[int, float]]:
        """Return the logarithms at each position by the tokens."""
        return [
            dict(zip(map(int, tokens), map(float, logs), strict=True))
            for tokens, logs in zip(self.tokens, self.logs, strict=True)
        ]


def with_tfpy(model: Any, tokens: Array, at_once: int) -> Best:
    """Force tokens on a model.

    Args:
        model: A model of KerasHub.
        tokens: The tokens.
        at_once: Number of tokens in each call of the model: all, or one as in the generation.
    """
    backbone = model.backbone
    size = backbone.hidden_dim // backbone.num_query_heads
    shape = (1, backbone.num_layers, 2, len(tokens), backbone.num_key_value_heads, size)
    cache = tf.zeros(shape)

    @tf.function
    def best(given: Any, cache: Any, begin: Any) -> Any:
        logits, _, cache = model.call_with_cache(given, cache, begin)
        logs, found = tf.math.top_k(tf.nn.log_softmax(logits[0]), MOST)
        return found, logs, cache

    rows = []
    for begin in range(0, len(tokens), at_once):
        given = tf.constant(tokens[None, begin : begin + at_once], tf.int32)
        found, logs, cache = best(given, cache, tf.constant(begin))
        rows.append((found.numpy(), logs.numpy()))
    return Best(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))


def with_llama_cpp(folder: Path, files: Sequence[Path], tokens: Array) -> list[Best]:
    """Force tokens on the models in GGUF files with the node-llama-cpp in a folder."""
    with tempfile.TemporaryDirectory() as place:
        given, results = Path(place, "tokens.json"), Path(place, "results")
        given.write_text(json.dumps(tokens.tolist()), encoding="utf-8")
        script = Path(__file__).with_suffix(".mjs")
        subprocess.run(["node", script, folder, given, results, *files], check=True)
        lines = results.read_text(encoding="utf-8").splitlines()
    return [_best(json.loads(line)) for line in lines]


def _best(rows: list[list[tuple[int, float]]]) -> Best:
    pairs = np.array(rows)
    return Best(pairs[..., 0].astype(np.int32), np.log(np.maximum(pairs[..., 1], 1e-30)))
