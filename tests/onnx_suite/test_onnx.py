"""Tests that run the modules of this folder in an environment with the package onnx."""

from __future__ import annotations

import subprocess

import pytest

from buildsys import pyenv
from buildsys.paths import ROOT


def run(module: str) -> str:
    """Run a module of this folder, and return its output."""
    argv = [str(pyenv.ensure("onnx")), "-m", f"onnx_suite.{module}"]
    env = pyenv.importing("src", "tests", ".")
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


def test_operations() -> None:
    counts = run("__main__")
    assert int(counts.split("passed")[0].split()[-1]) >= 1835


def test_models() -> None:
    assert run("models").count(".onnx\n") == 14


def test_broken_files() -> None:
    counts = run("fuzz")
    assert int(counts.split("refused as a file")[0].split()[-1]) > 300


@pytest.mark.parametrize(
    "module", ["reading", "attending", "packed", "quantized", "written_decoder"]
)
def test_modules(module: str) -> None:
    run(module)
