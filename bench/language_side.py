"""tfpy's side of ``page/language.mjs``: a language model of KerasHub from a GGUF file.

Runs inside Pyodide. The other sides are in ``page/language_sides.mjs``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tfpy as tf


class Side:
    """A model, and the prompts that it continues. The page calls the methods."""

    def __init__(self, model: Any) -> None:
        self._model = model
        model.compile(sampler="greedy")

    async def run(self, prompt: str, length: int, notify: Callable[[], object]) -> None:
        """Continue a prompt until it has ``length`` tokens, and call back for each part."""
        stream = self._model.generate_stream(prompt, max_length=length, stop_token_ids=None)
        async for _ in stream:
            notify()

    async def tokens(self, prompt: str, given: Any, length: int) -> list[Any]:
        """Return the milliseconds, the tokens and their strings of a generation without a stream.

        Raises:
            ValueError: If the tokenizer does not split the prompt into the tokens ``given``.
        """
        preprocessor = self._model.preprocessor
        inputs = preprocessor.generate_preprocess([prompt], sequence_length=length)
        inputs = {name: np.asarray(value) for name, value in inputs.items()}
        ids = list(given)
        if inputs["token_ids"][0, : int(inputs["padding_mask"].sum())].tolist() != ids:
            raise ValueError(f"The prompt is not split into the tokens of the other sides: {ids}")
        self._model.preprocessor = None
        try:
            start = time.perf_counter()
            found = await self._model.generate_async(inputs, max_length=length, stop_token_ids=None)
            taken = (time.perf_counter() - start) * 1e3
        finally:
            self._model.preprocessor = preprocessor
        made = np.asarray(found["token_ids"])[0, len(ids) :].tolist()
        return [taken, made, [preprocessor.tokenizer.detokenize([one]) for one in made]]


async def load(address: str) -> Side:
    """Load the model from its address."""
    return Side(await tf.models.load_async(address))


def device_bytes() -> int:
    """Return the bytes of tfpy's tensors on the device."""
    return int(tf.memory()["backend"]["bytes"])
