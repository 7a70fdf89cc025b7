"""Keras on tfpy against Keras on TensorFlow: the same programs, the same numbers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
PROGRAMS = [
    name
    for file in sorted(HERE.glob("*.py"))
    for name in re.findall(r"^@twin\ndef (\w+)", file.read_text(), re.M)
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The arrays of all programs under each library: one process for each."""
    folder = tmp_path_factory.mktemp("twins")
    processes = {
        library: subprocess.Popen(
            [sys.executable, str(HERE), library, str(folder / f"{library}.npz")],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        for library in ("tfpy", "tensorflow")
    }
    errors = {library: process.communicate()[1] for library, process in processes.items()}
    for library, process in processes.items():
        assert process.returncode == 0, f"{library}: {errors[library]}"
    return {
        library: dict(np.load(folder / f"{library}.npz", allow_pickle=False))
        for library in processes
    }


@pytest.mark.parametrize("program", PROGRAMS)
def test_twins(program: str, results: dict[str, dict[str, Any]]) -> None:
    mine, theirs = (
        {k: v for k, v in results[library].items() if k.startswith(f"{program}/")}
        for library in ("tfpy", "tensorflow")
    )
    assert mine.keys() == theirs.keys()
    assert theirs
    for name, wanted in theirs.items():
        np.testing.assert_allclose(mine[name], wanted, 1e-4, 1e-5, err_msg=name)
