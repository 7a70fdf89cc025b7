"""Whole compiled networks return the same on every backend as NumPy does eagerly."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

FOLDER = Path(__file__).parent.parent / "bench" / "networks"
TOLERANCE = 1e-4
NETWORKS = {
    "mobilenet_v1": "image",
    "mobilenet_v2": "image",
    "transformer": "tokens",
    "lstm": "sequence",
}
"""Modules, with the name of the function that returns the input."""
INT8_TOLERANCE = 0.03
INT8_NETWORKS = ("mobilenet_v1", "mobilenet_v2", "transformer")


def results(tf: Any, name: str, compiled: bool, quantize: str | None = None) -> np.ndarray:
    network = importlib.import_module(f"bench.networks.{name}")
    weights = {key: tf.constant(w) for key, w in network.weights().items()}

    def forward(x: Any) -> Any:
        return network.forward(tf, weights, x)

    function = tf.function(forward, quantize=quantize) if compiled else forward
    result: np.ndarray = function(tf.constant(getattr(network, NETWORKS[name])())).numpy()
    return result


@pytest.fixture(scope="session")
def sources() -> dict[str, str]:
    """Return the networks' sources, because only this module itself is sent to the browser."""
    return {path.name: path.read_text() for path in FOLDER.glob("*.py")}


@pytest.fixture(scope="session")
def references() -> dict[str, np.ndarray]:
    """Return NumPy's results on CPython."""
    import tfpy

    return {name: results(tfpy, name, compiled=False) for name in NETWORKS}


@pytest.mark.parametrize("name", NETWORKS)
@run_in_browser(backends=["wasm", "webgl", "webgpu"], timeout=300)
def test_agrees_with_numpy(
    tf: Any, backend: str, name: str, sources: dict[str, str], references: dict[str, np.ndarray]
) -> None:
    take(sources)
    got = results(tf, name, compiled=True)
    assert error_of(got, references[name]) < TOLERANCE


def take(sources: dict[str, str]) -> None:
    """Make the networks importable in the browser."""
    folder = Path("bench/networks")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in sources.items():
        (folder / file).write_text(text)
    sys.path.insert(0, str(Path.cwd()))


def error_of(got: np.ndarray, reference: np.ndarray) -> float:
    """Return the largest error, relative to the largest value."""
    assert got.shape == reference.shape
    error = float(np.abs(got - reference).max() / np.abs(reference).max())
    print(f"error {error:.1e} relative to the largest value")
    return error


def check_int8(tf: Any, name: str, sources: dict[str, str], reference: np.ndarray) -> None:
    """Check that most rows keep the position of their largest value in int8.

    The values are not exact.
    """
    take(sources)
    got = results(tf, name, compiled=True, quantize="int8")
    assert 1e-4 < error_of(got, reference) < INT8_TOLERANCE
    assert (got.argmax(-1) == reference.argmax(-1)).mean() > 0.9


@pytest.mark.parametrize("name", INT8_NETWORKS)
@run_in_browser(backends=["wasm"], timeout=300)
def test_int8_with_threads(
    tf: Any, name: str, sources: dict[str, str], references: dict[str, np.ndarray]
) -> None:
    assert "threads" in tf.backend_report()["wasm"]["variant"]
    check_int8(tf, name, sources, references[name])


@pytest.mark.parametrize("name", INT8_NETWORKS)
@run_in_browser(backends=["wasm"], environment="not-isolated", timeout=300)
def test_int8_without_threads(
    tf: Any, name: str, sources: dict[str, str], references: dict[str, np.ndarray]
) -> None:
    assert "threads" not in tf.backend_report()["wasm"]["variant"]
    check_int8(tf, name, sources, references[name])
