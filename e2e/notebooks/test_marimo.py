"""marimo's page of the examples, made by `marimo export html-wasm`."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from guides.documents import block

from buildsys import notebooks, pyenv
from e2e.notebooks.pages import LOAD_SECONDS, folder_with, opened, wait_for
from tfpy.testing.sessions import Sessions

NOTEBOOK = "train_marimo.py"
LOCAL = '"" data-pyodide-index-url="pyodide/" data-pyodide-lockfile-url="pyodide/pyodide-lock.json"'
UV = """#!/bin/sh
while [ "$1" != ruff ]; do shift; done
shift
exec {ruff} "$@"
"""
"""A substitute for uv. The export lets uv fetch ruff to find a notebook's imports."""
MORE = """
@app.cell
def _(tf):
    a = tf.ones([2, 3])
    a @ a
    return


@app.cell
def _(tf, x):
    while True:
        tf.sin(x) @ tf.ones([2, 2])
    return


if"""
BUTTONS = "[...document.querySelectorAll('[data-testid=run-button]')]"
RUN = f"{BUTTONS}.filter((button) => !button.closest('.marimo-cell')).at(-1).click()"
INTERRUPT = "document.querySelector('[data-testid=interrupt-button]')?.click()"
SHOWN = "document.body.innerText"
LEARNED = "/right: [0-9]+%/"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page as docs/notebooks.md describes, with a local Pyodide instead of the CDN's."""
    top = folder_with(tmp_path_factory.mktemp("notebooks") / "marimo", NOTEBOOK)
    source = (top / NOTEBOOK).read_text()
    (top / NOTEBOOK).write_text(source.replace("\nif", MORE, 1))
    (top / "bin").mkdir()
    (top / "bin" / "uv").write_text(UV.format(ruff=pyenv.ensure("test").parent / "ruff"))
    (top / "bin" / "uv").chmod(0o755)
    tools = [str(top / "bin"), str(notebooks.tool("marimo").parent), os.environ["PATH"]]
    env = {**os.environ, "PATH": os.pathsep.join(tools)}
    _, export, _ = block("docs/notebooks.md", "sh", "marimo export").splitlines()
    done = subprocess.run(
        shlex.split(export), cwd=top, env=env, input="", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    page = top / "site" / "index.html"
    page.write_text(
        page.read_text().replace('<marimo-wasm hidden=""', f"<marimo-wasm hidden={LOCAL}")
    )
    return top / "site"


def test_training(folder: Path, tfpy_sessions: Sessions) -> None:
    mounts = {"pyodide": notebooks.pyodide("marimo")}
    with opened(tfpy_sessions, folder, "index.html", mounts=mounts) as page:
        wait_for(page, f"{BUTTONS}.length", LOAD_SECONDS)
        # The button has no effect until Python is ready.
        wait_for(page, f"({RUN}, {LEARNED}.test({SHOWN}))", LOAD_SECONDS)
        assert page.evaluate("document.querySelectorAll('svg polyline, svg path').length")
        assert int(page.evaluate(f"{SHOWN}.match({LEARNED})[0].slice(7, -1)")) > 90
        # An error has the line of its cell.
        wait_for(page, f"{SHOWN}.includes('InvalidArgumentError')")
        # An interrupt ends the loop once it runs (test_interrupts.py tests the state after it).
        wait_for(page, f"({INTERRUPT}, {SHOWN}.includes('interrupted'))")
