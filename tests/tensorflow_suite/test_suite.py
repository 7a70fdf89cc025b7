"""The commands ``tensorflow-tests`` and ``program-tests`` on a small sample."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np

from tensorflow_suite.describing import describe, difference, text_difference

HERE = Path(__file__).parent


def run(module: str, place: str) -> str:
    """Run a command on a part of the sample, in which one result differs."""
    path = os.pathsep.join([str(HERE.parents[1] / "src"), str(HERE.parent)])
    argv = [sys.executable, "-m", module, str(HERE / "sample" / place)]
    env = {**os.environ, "PYTHONPATH": path, "TFPY_ENABLE_X64": "0"}
    done = subprocess.run(argv, env=env, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


def test_tests_of_tensorflow() -> None:
    printed = run("tensorflow_suite", "tensorflow")
    #                         passed, missing, text, not refused, error, other, value, hang, private
    assert printed.splitlines()[-1].split()[1:10] == ["8", "0", "0", "0", "0", "1", "0", "0", "1"]
    assert "1 eager.context.context.device_name" in printed


def test_programs() -> None:
    printed = run("tensorflow_suite.programs", "program.py")
    assert "{'equal': 7, 'random': 1, 'dtype': 1, 'text': 1}" in printed
    assert "different is ('plain', 'tfpy') instead of ('plain', 'TensorFlow')" in printed
    assert "9 of 10 statements (90.0%)" in printed


def test_differences() -> None:
    assert text_difference("loss 1.00001 after 3 ms", "loss 1.00002 after 5 ms") == ""
    assert text_difference("loss 1.0", "loss 1.1") == "value"
    assert text_difference("a loss", "an error") == "text"
    assert text_difference("dtype=int64", "dtype=int32") == "dtype"
    assert text_difference("[[1.  2. ]\n [3. 4.]]", "[[1. 2.]\n [3. 4.]]") == ""
    assert describe(MagicMock()) == ("kind", "mock")
    assert difference(describe({"a": np.float32(1)}), describe({"a": np.float64(1)})) == "dtype"
    assert difference(describe([1, 2]), describe([1, 3])) == "value"
    assert difference(describe(np.zeros(2)), describe(np.zeros(3))) == "value"
