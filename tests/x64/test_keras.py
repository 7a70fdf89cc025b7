"""Keras's networks trained in float64 equal TensorFlow's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from x64.keras_model import trained

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from Keras


@pytest.fixture(scope="module")
def wanted() -> list[np.ndarray]:
    return trained(keras, also_words=True)


@pytest.mark.parametrize("library", ["cpu", "jax"])
def test_training(library: str, wanted: list[np.ndarray], tmp_path: Path) -> None:
    out = tmp_path / "arrays.npz"
    command = [sys.executable, str(Path(__file__).parent / "keras_model.py"), library, str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not ran.returncode, ran.stderr
    found = list(np.load(out).values())
    assert {array.dtype for array in found} == {np.dtype(np.float64)}
    for mine, theirs in zip(found, wanted, strict=False):
        np.testing.assert_allclose(mine, theirs, 1e-10, 1e-10)
