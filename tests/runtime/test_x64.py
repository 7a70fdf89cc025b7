"""The switch of float64 and int64, which is off by default.

Tests with it on run in a subprocess.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tfpy

TESTS = Path(__file__).parent.parent


def run(value: str, *command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TFPY_ENABLE_X64": value}
    return subprocess.run(
        [sys.executable, *command], env=env, capture_output=True, text=True, check=False
    )


def test_off_by_default() -> None:
    assert (tfpy.float64, tfpy.int64) == (tfpy.float32, tfpy.int32)
    assert tfpy.complex128 is tfpy.complex64
    assert tfpy.constant(np.float64(1)).dtype == tfpy.float32


def test_other_values_are_refused() -> None:
    ran = run("yes", "-c", "import tfpy")
    assert "The variable TFPY_ENABLE_X64 must be 1 or 0, not 'yes'" in ran.stderr
    assert not run("0", "-c", "import tfpy; assert tfpy.float64 is tfpy.float32").returncode


@pytest.mark.skipif(find_spec("tensorflow") is None, reason="needs TensorFlow")
def test_on() -> None:
    """Run all tests of ``tests/x64``."""
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", str(TESTS.parent))
    ran = run("1", "-m", "pytest", *options, str(TESTS / "x64"))
    assert not ran.returncode, ran.stdout + ran.stderr
