"""Keras learns tasks in a page: on its main thread, awaited, on each backend."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

LEVELS = 16  # of grey
WORDS = (
    "the",
    "a",
    "film",
    "play",
    "was",
    "is",
    "very",
    "quite",
    "not",
    "good",
    "fine",
    "bad",
    "dull",
)
LENGTH = 7


@pytest.fixture
def digits(pytestconfig: pytest.Config) -> dict[str, Any]:
    """The demo's digits: images [n, 8, 8, 1] from 0 to 1 and labels, to learn and to test."""
    file = Path(pytestconfig.getoption("tfpy_site")) / "data" / "digits.json"
    parts = json.loads(file.read_text())
    return {
        name: (_pixels(parts[name]), _bytes(parts[name], "labels")) for name in ("train", "test")
    }


def _bytes(part: Any, name: str) -> Any:
    return np.frombuffer(base64.b64decode(part[name]), np.uint8).astype(np.int32)


def _pixels(part: Any) -> Any:
    return (_bytes(part, "images") / LEVELS).astype(np.float32).reshape(-1, 8, 8, 1)


def reviews(count: int, seed: int) -> tuple[Any, Any]:
    """Sentences as numbers of words, 0 where there is none, and whether they praise.

    "the play was not very good" does not: a word before decides what another means.
    """
    rng = np.random.default_rng(seed)
    words = np.zeros((count, LENGTH), np.int32)
    praise = np.zeros(count, np.int32)
    for row in range(count):
        text = [rng.choice(["the", "a"]), rng.choice(["film", "play"]), rng.choice(["was", "is"])]
        negated = rng.random() < 0.5
        text += ["not"] * negated + [rng.choice(["very", "quite"])] * (rng.random() < 0.5)
        text.append(rng.choice(["good", "fine", "bad", "dull"]))
        words[row, : len(text)] = [1 + WORDS.index(word) for word in text]
        praise[row] = (text[-1] in ("good", "fine")) != negated
    return words, praise


def textures(count: int, seed: int) -> tuple[Any, Any]:
    """Pictures [count, 32, 32, 3] of stripes that lie, that stand, or of a chequerboard."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count).astype(np.int32)
    images = rng.normal(0, 0.2, (count, 32, 32, 3)).astype(np.float32)
    y, x = np.mgrid[:32, :32] // 4 % 2
    for image, label in zip(images, labels, strict=True):
        image += np.stack([y, x, y ^ x])[label][..., None] * rng.uniform(0.5, 1.0, 3)
    return images, labels


def convolutional() -> Any:
    """A network for digits."""
    from keras import Input, Sequential, layers

    return Sequential(
        [
            Input((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.ReLU(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(64, activation="relu"),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )


def recurrent() -> Any:
    """An LSTM over words."""
    from keras import Input, Sequential, layers

    return Sequential(
        [
            Input((LENGTH,), dtype="int32"),
            layers.Embedding(len(WORDS) + 1, 8, mask_zero=True),
            layers.LSTM(16),
            layers.Dense(2),
        ]
    )


def transformer() -> Any:
    """A block of a transformer over words and places."""
    from keras import Input, Model, layers, ops

    words = Input((LENGTH,), dtype="int32")
    x = layers.Embedding(len(WORDS) + 1, 16)(words)
    x = x + layers.Embedding(LENGTH, 16)(ops.arange(LENGTH))
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 8)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(16)(layers.Dense(32, "gelu")(x)))
    return Model(words, layers.Dense(2)(layers.GlobalMaxPooling1D()(x)))


def head() -> Any:
    """A layer on the features of a MobileNetV2 that does not learn."""
    import keras
    from keras import Input, Model, layers

    whole = keras.applications.MobileNetV2(
        input_shape=(32, 32, 3), alpha=0.35, include_top=False, weights=None
    )
    base = Model(whole.input, whole.get_layer("block_3_expand_relu").output)
    base.trainable = False
    images = Input((32, 32, 3))
    x = layers.GlobalAveragePooling2D()(base(images, training=False))
    return Model(images, layers.Dense(3)(layers.LayerNormalization(epsilon=1e-12)(x)))


async def learns(model: Any, rate: Any, train: Any, test: Any, epochs: int) -> float:
    """The share of what was held out that a network knows in the end."""
    import keras

    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    await model.fit_async(*train, batch_size=64, epochs=epochs, verbose=0)
    _, share = await model.evaluate_async(*test, batch_size=64, verbose=0)
    return float(share)


@run_in_browser(
    packages=["keras"],
    browsers=["chromium"],
    timeout=600,
    check_leaks=False,
)
async def test_digits(digits: dict[str, Any]) -> None:
    import keras

    keras.utils.set_random_seed(1)
    rate = keras.optimizers.schedules.CosineDecay(0.006, 8 * 23)
    assert await learns(convolutional(), rate, digits["train"], digits["test"], 8) >= 0.98


@run_in_browser(
    packages=["keras"],
    browsers=["chromium"],
    timeout=600,
    check_leaks=False,
)
@pytest.mark.parametrize("network", ["recurrent", "transformer"])
async def test_texts(network: str) -> None:
    import keras

    keras.utils.set_random_seed(1)
    model = {"recurrent": recurrent, "transformer": transformer}[network]()
    assert await learns(model, 0.01, reviews(512, 1), reviews(128, 2), 16) >= 0.95


@run_in_browser(
    packages=["keras"],
    browsers=["chromium"],
    timeout=600,
    check_leaks=False,
)
async def test_a_new_head() -> None:
    import keras

    keras.utils.set_random_seed(1)
    assert await learns(head(), 0.03, textures(192, 1), textures(64, 2), 6) >= 0.9
