"""Helpers of the tests of model files: other processes, and the arrays that they store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
MODULES = HERE.parents[1] / "node_modules"


def need_node() -> None:
    """Skip the test if TensorFlow.js is not available."""
    if shutil.which("node") is None or not MODULES.is_dir():
        pytest.skip("needs node and node_modules: python build.py demo")


def run(*command: object) -> None:
    """Run a command, which must succeed."""
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


def tfjs(*arguments: object) -> None:
    """Run tfjs.mjs."""
    run("node", HERE / "tfjs.mjs", MODULES.resolve(), *arguments)


def worker(*arguments: object) -> None:
    """Run worker.py."""
    run(sys.executable, HERE / "worker.py", *arguments)


def arrays(path: Path, key: str | None = None) -> list[Any]:
    """Return the arrays in a file."""
    entries = json.loads(path.read_text())
    return [
        np.array(entry["values"]).reshape(entry["shape"])
        for entry in (entries[key] if key else entries)
    ]


def assert_near(found: Path, wanted: list[Any], tolerance: float = 1e-5) -> None:
    """Check that a model's predictions are as expected, relative to the largest number."""
    for i, (x, y) in enumerate(zip(arrays(found), wanted, strict=True)):
        largest = max(np.abs(y).max(), 1.0)
        np.testing.assert_allclose(x / largest, y / largest, 0, tolerance, err_msg=f"{found} {i}")
