"""Folders of Hugging Face with weights that stay packed, or in two bytes, on wasm."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from models.packed_folders import NAMES

from buildsys import pyenv
from buildsys.paths import ROOT

from .conftest import require_assets

Json = dict[str, Any]


@pytest.fixture(scope="module")
def found() -> Json:
    """Return what is measured in the environment that has KerasHub."""
    require_assets("relaxed")
    argv = [str(pyenv.ensure("hub_tests")), "-m", "wasm.packed_folders", *NAMES]
    env = pyenv.importing("src", "tests", ".")
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    results: Json = json.loads(done.stdout.splitlines()[-1])
    return results


@pytest.mark.parametrize("name", NAMES)
def test_models_are_those_in_float32(name: str, found: Json) -> None:
    one = found[name]
    assert one["kinds"] == [["BlockWeights"], ["Variable"]]
    assert one["equal"]
    assert max(one["difference"], one["difference of one"]) < 2e-5 * one["size"]
    kept, floats = one["answers"]
    assert kept == floats
    assert len(kept) > 8


@pytest.mark.parametrize("name", NAMES)
def test_memory_is_that_of_the_file(name: str, found: Json) -> None:
    one = found[name]
    assert 0.9 < one["ratio"] <= 1.1
    assert abs(one["estimated"] - one["ratio"]) < 0.05
    assert one["ratio of floats"] > 1.9
