"""Tests that programs have the same results with Keras on tfpy and with Keras on TensorFlow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buildsys.cache import entry, file_hash, tree_hash
from buildsys.paths import ROOT

HERE = Path(__file__).parent
PROGRAMS = [
    name
    for file in sorted(HERE.glob("*.py"))
    for name in re.findall(r"^@twin\ndef (\w+)", file.read_text(), re.M)
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return the arrays of all programs by library. The arrays of TensorFlow are cached."""
    folder = tmp_path_factory.mktemp("twins")
    with ThreadPoolExecutor() as pool:
        mine = pool.submit(_run, "tfpy", folder)
        inputs = [tree_hash(HERE), file_hash(ROOT / "requirements" / "test.txt")]
        theirs = entry("twins", inputs, "twins on TensorFlow", partial(_run, "tensorflow"))
        mine.result()
    folders = {"tfpy": folder, "tensorflow": theirs}
    return {
        library: dict(np.load(path / "arrays.npz", allow_pickle=False))
        for library, path in folders.items()
    }


def _run(library: str, folder: Path) -> None:
    """Run the programs in a separate process."""
    argv = [sys.executable, str(HERE), library, str(folder / "arrays.npz")]
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(argv, stderr=subprocess.PIPE, text=True, env=env)
    assert done.returncode == 0, f"{library}: {done.stderr}"


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
