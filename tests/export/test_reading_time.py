"""Documents from untrusted sources are read in time proportional to their size."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

TIMES = 32
"""Ratio of the sizes of the documents. Its square is 1024."""
MOST = 8 * TIMES


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_time_is_in_proportion_to_size() -> None:
    script = Path(__file__).with_name("reading_time.mjs")
    words = ["node", "--no-warnings", str(script), str(TIMES)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for name, (small, large) in json.loads(done.stdout).items():
        assert large < MOST * small, f"{name}: {small:.2f} ms, then {large:.2f} ms"
