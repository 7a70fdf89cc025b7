"""The pytest plugin: runs that do not use tfpy do not import it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tfpy_pytest
from tfpy.testing.environments import BACKENDS, BROWSERS

UNRELATED = """
import sys

def test_unrelated():
    assert not [name for name in sys.modules if name.partition(".")[0] in ("numpy", "tfpy")]

def test_failure():
    assert 1 == 2
"""


def test_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_unrelated.py").write_text(UNRELATED)
    argv = [sys.executable, "-m", "pytest", "-p", "tfpy_pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True)
    assert "1 failed, 1 passed" in done.stdout, done.stdout


def test_names_of_options() -> None:
    assert tfpy_pytest.BACKENDS == BACKENDS
    assert set(tfpy_pytest.BROWSERS) == set(BROWSERS)
