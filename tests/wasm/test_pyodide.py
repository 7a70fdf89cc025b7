"""tfpy from the built site in Pyodide under node: each case of ``pyodide_cases.py``."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CASES = HERE / "pyodide_cases.py"
CORE = HERE.parents[1] / "build" / "site" / "pyodide"
NAMES = [
    node.name
    for node in ast.parse(CASES.read_text()).body
    if isinstance(node, ast.AsyncFunctionDef)
]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Any]:
    if shutil.which("node") is None:
        pytest.skip("needs node")
    if not (CORE / "pyodide.mjs").is_file():
        pytest.skip("needs the site: python build.py demo")
    command = ["node", str(HERE / "pyodide.mjs"), str(CORE), str(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, outcomes: dict[str, Any]) -> None:
    assert outcomes[name] is None, outcomes[name]
