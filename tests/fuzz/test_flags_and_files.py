"""Random flags and corrupt files of fixed seeds, and the detection of errors."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from tfpy._src.base.flags.environment import Environment
from tfpy._src.base.flags.kinds import Value

from . import damage, files, flags, trying


def test_random_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert not flags.run(0, 400, None), capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_broken_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert not files.run(0, 500, None), capsys.readouterr().out


def test_broken_files_of_keras() -> None:
    argv = [sys.executable, "-m", "fuzz.keras_files", "0", "60", "None"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    assert not run.returncode, run.stdout + run.stderr[-2000:]


def test_flags_that_stay_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(self: Environment, name: str, value: Value) -> None:
        self._set[name] = value

    monkeypatch.setattr(Environment, "set", careless)
    assert flags.run(0, 20, None).total() > 10


@pytest.mark.parametrize("error", [KeyError("x"), ValueError("short"), trying.Hangs("long")])
def test_careless_errors_are_found(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: damage.Files) -> None:
        raise error

    monkeypatch.setattr(files, "DOORS", {"any": (lambda: {"a.json": b"[1, 2]"}, read)})
    assert files.run(0, 5, None).total() == 5


def test_files_are_damaged() -> None:
    good = {"a.json": b'{"a": [1, 2]}', "b": bytes(100)}
    found = [damage.damaged(np.random.default_rng(seed), good) for seed in range(100)]
    assert sum(one != good for one in found) > 80
