"""Random and corrupt programs on GPUs, run by the command that can fuzz endlessly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "words",
    [
        ["programs", "--seed", "1000200", "--programs", "2"],
        ["mutants", "--seed", "1", "--programs", "30"],
    ],
    ids=["programs", "mutants"],
)
@pytest.mark.parametrize("backend", ["webgl", "webgpu"])
def test_fixed_seeds(backend: str, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "build.py"), "fuzz", "--backend", backend, *words],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
