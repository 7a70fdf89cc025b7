"""The program for type checkers runs."""

from __future__ import annotations

import ast
from pathlib import Path

from typed.program import main


def test_the_program_runs() -> None:
    assert main() > 200


def test_it_calls_two_hundred_functions() -> None:
    tree = ast.parse(Path(__file__).with_name("program.py").read_text(encoding="utf-8"))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert len([name for name in calls if name.startswith("tf.")]) >= 200
