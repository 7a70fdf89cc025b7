"""Random programs on webgl against TensorFlow, by the command that runs them without end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_random_programs() -> None:
    words = ["fuzz", "--backend", "webgl", "--seed", "1000200", "--programs", "20"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "build.py"), *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
