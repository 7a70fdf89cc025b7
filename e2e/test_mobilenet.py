"""MobileNetV1 forward gives the same probabilities on every backend."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

TOLERANCE = 1e-4


def probabilities(tf: Any, network: Any) -> np.ndarray:
    weights = {name: tf.constant(w) for name, w in network.weights().items()}
    result: np.ndarray = network.forward(tf, weights, tf.constant(network.image())).numpy()
    return result


@pytest.fixture(scope="session")
def source() -> str:
    """The network's text; only this module itself is sent to the browser."""
    return (Path(__file__).parent.parent / "bench" / "mobilenet.py").read_text()


@pytest.fixture(scope="session")
def reference() -> np.ndarray:
    """What NumPy gives on CPython."""
    import tfpy
    from bench import mobilenet

    return probabilities(tfpy, mobilenet)


@run_in_browser(timeout=300)
def test_agrees_with_numpy(tf: Any, backend: str, source: str, reference: np.ndarray) -> None:
    Path("mobilenet.py").write_text(source)
    sys.path.insert(0, str(Path.cwd()))
    got = probabilities(tf, importlib.import_module("mobilenet"))
    assert got.shape == reference.shape == (1, 1000)
    assert abs(got.sum() - 1) < TOLERANCE
    error = np.abs(got - reference).max() / reference.max()
    print(f"{backend}: error {error:.1e} relative to the largest probability")
    assert error < TOLERANCE
