"""Editors show the types of Keras's names in `tf`, and need no Keras for the others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from buildsys import npm

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("editors.py").read_text(encoding="utf-8")


def diagnostics(folder: Path, code: str, python: str) -> list[dict[str, Any]]:
    """Return what pyright reports about a program, as an editor shows it."""
    (folder / "program.py").write_text(code, encoding="utf-8")
    config = {"extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    argv = [npm.tool("pyright"), "--outputjson", "--pythonpath", python, "program.py"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    return found


def test_types_of_keras(tmp_path: Path) -> None:
    wrong = "\ntf.optimizerz\ntf.optimizers.Adamm\n"
    revealing = re.sub(r"^(tf\..*\))  # ", r"reveal_type(\1)  # ", PROGRAM, flags=re.MULTILINE)
    found = diagnostics(tmp_path, revealing + wrong, sys.executable)
    revealed = [re.findall(r'is "(\w+)', one["message"]) for one in found[:-2]]
    assert revealed == [[name] for name in re.findall(r"\)  # (\w+)\n", PROGRAM)]
    errors = [one["message"] for one in found if one["severity"] == "error"]
    assert len(errors) == 2
    assert all(re.search(r'"(optimizerz|Adamm)" is not a known attribute', one) for one in errors)


def test_without_keras(tmp_path: Path) -> None:
    """Check a program without Keras in an environment without Keras."""
    python = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", python], check=True)
    code = "import tfpy as tf\nreveal_type(tf.get_backend())\nprint(tf.keras.layers)\n"
    found = diagnostics(tmp_path, code, str(python / "bin" / "python"))
    assert [one["message"] for one in found] == ['Type of "tf.get_backend()" is "str"']
