"""Prefills of language models that are as long as the prompt."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.keras_support import hub_generation

WHOLE, SHORT = 64, hub_generation.SMALLEST
TOKENS = np.arange(1, WHOLE + 1, dtype=np.int32)[None]


class CausalLM:
    """The part of KerasHub's class that is replaced."""

    lengths: list[int]

    def __init__(self) -> None:
        self.lengths = []

    def caches(self, token_ids: Any) -> Any:
        """Return states of the tokens, and keys and values of two layers."""
        self.lengths.append(token_ids.shape[1])
        states = tf.cast(token_ids, tf.float32)[..., None]
        return states, ((states * 2, states * 3), (states * 4, states * 5))


hub_generation.replace(types.SimpleNamespace(CausalLM=CausalLM))  # type: ignore[arg-type]


class TextAlone(CausalLM):
    def _build_cache(self, token_ids: Any) -> Any:
        states, layers = self.caches(token_ids)
        stacked = tf.stack([tf.stack(layer, 1) for layer in layers], 1)
        return states, stacked

    def generate_step(self, inputs: Any, stop_token_ids: Any) -> Any:
        return self._build_cache(inputs["token_ids"])


class WithImages(CausalLM):
    def _build_cache(self, token_ids: Any, img_embeddings: Any, padding_mask: Any) -> Any:
        assert padding_mask.shape == token_ids.shape
        states, layers = self.caches(token_ids)
        return states + img_embeddings, layers

    def generate_step(self, inputs: Any, stop_token_ids: Any) -> Any:
        images = tf.constant([[[100.0]]])
        return self._build_cache(inputs["token_ids"], images, padding_mask=inputs["padding_mask"])


class Recurrent(CausalLM):
    def _build_cache(self, token_ids: Any, padding_mask: Any) -> Any:
        states, _ = self.caches(token_ids)
        return states, tf.reduce_sum(states, 1)

    def generate_step(self, inputs: Any, stop_token_ids: Any) -> Any:
        return self._build_cache(inputs["token_ids"], inputs["padding_mask"])


class Translating(CausalLM):
    def _build_cache(self, encoder_token_ids: Any, decoder_token_ids: Any) -> Any:
        states, layers = self.caches(decoder_token_ids)
        return states, (layers, tf.cast(encoder_token_ids, tf.float32))

    def generate_step(self, inputs: Any, stop_token_ids: Any) -> Any:
        encoded = tf.ones([1, SHORT], tf.int32)
        return self._build_cache(encoded, decoder_token_ids=inputs["decoder_token_ids"])


def generated(model: Any, kind: str = "", begin: int = 0) -> list[Any]:
    """Return the results of the prefill of a prompt of 20 tokens, compiled."""
    mask = np.zeros((1, WHOLE), bool)
    mask[:, begin : begin + 20] = True
    inputs = {f"{kind}token_ids": TOKENS, f"{kind}padding_mask": mask}
    return [leaf.numpy() for leaf in tf.nest.flatten(hub_generation.Generation(model)(inputs))]


@pytest.mark.parametrize("kind", [TextAlone, WithImages, Translating])
def test_prefill_is_as_long_as_the_prompt(kind: type[CausalLM]) -> None:
    prefix = "decoder_" if kind is Translating else ""
    found = generated(model := kind(), prefix)
    assert model.lengths[-1] == SHORT
    model = kind()
    whole = [leaf.numpy() for leaf in tf.nest.flatten(_eager(model, prefix))]
    assert model.lengths == [WHOLE]
    for short, full in zip(found, whole, strict=True):
        assert short.shape == full.shape
        if WHOLE in full.shape:
            axis = full.shape.index(WHOLE)
            full, rest = np.split(full, [SHORT], axis)
            short, padding = np.split(short, [SHORT], axis)
            assert rest.any()
            assert not padding.any()
        np.testing.assert_array_equal(short, full)


def _eager(model: Any, prefix: str) -> Any:
    inputs = {f"{prefix}token_ids": tf.constant(TOKENS)}
    return model.generate_step({**inputs, f"{prefix}padding_mask": tf.ones([1, WHOLE])}, None)


def test_states_of_recurrent_models_depend_on_all_positions() -> None:
    states, last = generated(Recurrent())
    assert states[0, :, 0].tolist() == TOKENS[0].tolist()
    assert last.tolist() == [[TOKENS.sum()]]


def test_prompts_at_the_end_are_complete() -> None:
    """Check a prompt that begins with padding."""
    states, *_ = generated(model := WithImages(), begin=WHOLE - 20)
    assert set(model.lengths) == {WHOLE}
    assert states[0, -1, 0] == WHOLE + 100
