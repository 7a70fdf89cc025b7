"""Tests that TensorFlow.js's programs in docs/tensorflow_js.md have the documented results."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guides.documents import ROOT, blocks

MODULES = ROOT / "node_modules"
SOFTMAX = [[0.25] * 4] * 2
PROGRAMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vector", {"z": 14.0}),
    ("vector", {"norm": 14**0.5}),
    ("vector", {"total": 14.0}),
    ("vector", {"rows": [1.0, 2.0, 3.0]}),
    ("matrix", {"h": [[3.0] * 4] * 2}),
    ("matrix", {"p": [[(4 * 12 + 24 * 18 + 36 * 27) / 64] * 4]}),
    ("matrix", {}),
    ("matrix", {"corner": [[1.0, 1.0]], "last": [[1.0, 1.0, 1.0]]}),
    ("matrix", {}),
    ("matrix", {"y": [1.5, 2.5]}),
    ("vector", {"g": [2.0, 4.0, 6.0]}),
    ("matrix", {"w": [[0.99] * 4] * 3}),
    ("matrix", {"v": [2.0, 3.0]}),
    ("matrix", {"score(x)": SOFTMAX}),
    ("vector", {"x": [0.5, 1.0, 1.5]}),
    ("matrix", {"kept": [0.5, 0.5]}),
    ("matrix", {"model.countParams()": 4}),
    ("matrix", {}),
    ("matrix", {}),
    ("matrix", {}),
)
"""Kind of the input ``x`` of each program, and its results by expression."""


def test_their_programs() -> None:
    if shutil.which("node") is None or not MODULES.is_dir():
        pytest.skip("needs node and node_modules: python build.py demo")
    texts = blocks("docs/tensorflow_js.md", "javascript")
    given = [
        {"given": x, "asked": [*wanted], "text": text}
        for text, (x, wanted) in zip(texts, PROGRAMS, strict=True)
    ]
    done = subprocess.run(
        ["node", Path(__file__).with_name("tensorflow_js.mjs"), MODULES],
        input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for found, (_, wanted) in zip(json.loads(done.stdout), PROGRAMS, strict=True):
        for value, expected in zip(found, wanted.values(), strict=True):
            np.testing.assert_allclose(value, expected, 1e-5)
