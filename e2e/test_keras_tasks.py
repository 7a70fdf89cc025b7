"""Keras learns tasks in a page on each backend, awaited on the main thread."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

LEVELS = 16  # of gray
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
    """Return the demo's digits for training and test: images [n, 8, 8, 1] in 0..1, and labels."""
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
    """Return sentences as word numbers (0 for none), and 1 for each sentence that is positive.

    "the play was not very good" is negative: a word changes the meaning of a later word.
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
    """Return images [count, 32, 32, 3] of horizontal stripes, vertical stripes or checkerboards."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count).astype(np.int32)
    images = rng.normal(0, 0.2, (count, 32, 32, 3)).astype(np.float32)
    y, x = np.mgrid[:32, :32] // 4 % 2
    for image, label in zip(images, labels, strict=True):
        image += np.stack([y, x, y ^ x])[label][..., None] * rng.uniform(0.5, 1.0, 3)
    return images, labels


@pytest.fixture
def networks() -> str:
    """Return the source of the networks, because only this module itself is sent to the browser."""
    return (Path(__file__).parents[1] / "bench" / "networks" / "keras_tasks.py").read_text()


def network(source: str, name: str) -> Any:
    """Return one of the networks."""
    module: dict[str, Any] = {"__name__": "keras_tasks"}
    exec(source, module)
    return module[name]()


async def learns(model: Any, rate: Any, train: Any, test: Any, epochs: int) -> float:
    """Train a network and return its accuracy on the test data."""
    import keras

    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    await model.fit_async(*train, batch_size=64, epochs=epochs, verbose=0)
    _, share = await model.evaluate_async(*test, batch_size=64, verbose=0)
    return float(share)


@run_in_browser(
    packages=["keras"],
    backends=["wasm"],  # the demo learns the digits on a GPU (test_demo.py)
    browsers=["chromium"],
    timeout=600,
    check_leaks=False,
)
async def test_digits(networks: str, digits: dict[str, Any]) -> None:
    import keras

    keras.utils.set_random_seed(1)
    rate = keras.optimizers.schedules.CosineDecay(0.006, 8 * 23)
    assert (
        await learns(network(networks, "digits"), rate, digits["train"], digits["test"], 8) >= 0.98
    )


@run_in_browser(
    packages=["keras"],
    backends=["wasm", "webgl", "webgpu"],
    browsers=["chromium"],
    timeout=600,
    check_leaks=False,
)
@pytest.mark.parametrize("name", ["lstm", "transformer"])
async def test_texts(networks: str, name: str) -> None:
    import keras

    keras.utils.set_random_seed(1)
    model = network(networks, name)
    assert await learns(model, 0.01, reviews(512, 1), reviews(128, 2), 16) >= 0.95


@run_in_browser(
    packages=["keras"],
    backends=["wasm", "webgl", "webgpu"],
    browsers=["chromium"],
    timeout=600,
    check_leaks=False,
)
async def test_a_new_head(networks: str) -> None:
    import keras

    keras.utils.set_random_seed(1)
    assert (
        await learns(network(networks, "head"), 0.03, textures(192, 1), textures(64, 2), 6) >= 0.9
    )
