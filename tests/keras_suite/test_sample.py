"""A sample of Keras's own tests on tfpy. ``build.py keras-tests`` runs all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SAMPLE = (
    "callbacks/early_stopping_test.py",
    "layers/attention/attention_test.py",
    "layers/convolutional/conv_test.py",
    "layers/normalization",
    "layers/pooling",
    "layers/preprocessing/integer_lookup_test.py",
    "layers/rnn/gru_test.py",
    "losses",
    "optimizers",
    "trainers/compile_utils_test.py",
    "trainers/data_adapters",
    "trainers/epoch_iterator_test.py",
)


def test_a_sample_passes() -> None:
    """Run the sample in a subprocess, because TensorFlow is installed here."""
    path = os.pathsep.join([str(HERE.parents[1] / "src"), str(HERE.parent)])
    argv = [sys.executable, "-m", "keras_suite", "-n", "0", *SAMPLE]
    env = {**os.environ, "PYTHONPATH": path}
    del env["PYTEST_CURRENT_TEST"]  # set by this pytest process
    done = subprocess.run(argv, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    passed = int(done.stdout.splitlines()[-1].split()[1])
    assert passed > 700
