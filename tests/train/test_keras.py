"""Keras models and optimizers on tfpy and TensorFlow, restored from each other's checkpoints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def test_models_and_optimizers_go_on(tmp_path: Path) -> None:
    from train import keras_checkpoints

    wanted = {"tensorflow": keras_checkpoints.save(f"{tmp_path}/tensorflow")}
    argv = [sys.executable, str(HERE / "keras_checkpoints.py"), str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    wanted["tfpy"], of_tensorflow, (whole, resumed) = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(resumed, whole, 1e-4, 1e-5)
    for found in of_tensorflow:
        np.testing.assert_allclose(found, wanted["tensorflow"], 1e-4, 1e-5)
    for found in keras_checkpoints.restore(f"{tmp_path}/tfpy"):
        np.testing.assert_allclose(found, wanted["tfpy"], 1e-4, 1e-5)
