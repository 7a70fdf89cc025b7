"""Tests of programs that run like the cells of a notebook."""

from __future__ import annotations

import asyncio
import traceback
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.display import cells

NAME = "example 1 of the page"


def run(source: str, names: dict[str, Any] | None = None, echoes: bool = False) -> str:
    return asyncio.run(cells.run_cell(source, NAME, {} if names is None else names, echoes))


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("import os.path, json as j\nfrom math import pi, e as f", "Imported os, j, pi, f."),
        ("def step(): y = 1\nclass A: z = 2\nw, (b, *c) = 1, (2, 3)", "Defined step, A, w, b, c."),
        ("import math\nx = [i for i in (1, 2)]\nx = 3", "Imported math. Defined x."),
        ("for _ in (1, 2):\n    last = lambda k=1: k", "Defined last."),
        ("", "Done."),
    ],
)
def test_the_summary_names_what_is_bound(source: str, summary: str) -> None:
    assert run(source) == summary


def test_the_last_value_is_displayed(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"x": 3}
    run("x + 1\nprint('printed')\ny = x\n(x, y)", names)
    assert capsys.readouterr().out == "printed\n(3, 3)\n"
    run("y = 5", names)
    run("None", names)
    assert capsys.readouterr().out == ""
    assert names["y"] == 5


def test_values_are_displayed_as_html_where_a_page_shows_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(cells.Screen, "show", lambda _, html: shown.append(html) or True)
    run("tf.constant([1.0, 2.0])", {"tf": tf})
    run("tf.Tensor", {"tf": tf})
    assert len(shown) == 1
    assert "float32" in shown[0]
    assert "class" in capsys.readouterr().out


def test_expressions_of_an_example_are_echoed(capsys: pytest.CaptureFixture[str]) -> None:
    run("1 + 1\nx = 2\n'a'\nNone\nx", echoes=True)
    assert capsys.readouterr().out == "2\n'a'\n2\n"


def test_future_imports_apply_to_the_whole_cell(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    cell = "'text'\nfrom __future__ import annotations\n1 + 1\ndef f(x: Unknown): ..."
    run(cell, names, echoes=True)
    assert capsys.readouterr().out == "'text'\n2\n"
    assert names["f"].__annotations__ == {"x": "Unknown"}
    with pytest.raises(SyntaxError, match="must occur at the beginning"):
        run("1 + 1\nfrom __future__ import annotations", echoes=True)


def test_programs_await_and_have_sources() -> None:
    names: dict[str, Any] = {"tf": tf}
    source = """
import asyncio
await asyncio.sleep(0)

@tf.function
def halved(x):
    while x > 1.0:
        x /= 2.0
    return x

value = float(halved(tf.constant(3.0)))
"""
    run(source, names)
    assert names["value"] == 0.75, "AutoGraph reads the loop"


@pytest.mark.parametrize(
    ("argument", "status", "printed"),
    [
        ("", 0, ""),
        ("0", 0, ""),
        ("3", 3, "Exited with status 3.\n"),
        ("'bad data'", 1, "bad data\n"),
    ],
)
def test_programs_exit(
    capsys: pytest.CaptureFixture[str], argument: str, status: int, printed: str
) -> None:
    summary = run(f"import sys\nsys.exit({argument})\nprint('not reached')")
    assert summary == f"Exited with status {status}."
    assert capsys.readouterr() == ("", printed)


def test_errors_name_the_line() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        run("x = 1\ny = x / 0")
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.line) == (NAME, 2, "y = x / 0")
    with pytest.raises(SyntaxError, match="never closed"):
        run("f(")


def test_an_interrupt_ends_a_program() -> None:
    assert run("raise KeyboardInterrupt") == "Stopped."
