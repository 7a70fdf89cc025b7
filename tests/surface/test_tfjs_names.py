"""The tables of docs/tensorflow_js.md name everything in TensorFlow.js, and tfpy's equivalents."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import keras
import pytest
from surface.inventory import NAMES
from surface.test_inventory import found

import tfpy

MODULES = Path(__file__).parents[2] / "node_modules"
OPS = {name: ours for group in NAMES["ops"].values() for name, ours in group.items()}
OTHERS = {
    name: answer if isinstance(answer, str) else answer[0]
    for group in NAMES["others"].values()
    for name, answer in group.items()
}


@pytest.fixture(scope="module")
def theirs() -> set[str]:
    if shutil.which("node") is None or not MODULES.is_dir():
        pytest.skip("needs node and node_modules: python build.py demo")
    program = [Path(__file__).with_name("tfjs_names.mjs"), MODULES]
    done = subprocess.run(["node", *program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_all_their_names_are_there(theirs: set[str]) -> None:
    families = tuple(name.removesuffix("*") for name in OTHERS if name.endswith(".*"))
    chained = {f"Tensor.{name}" for name in OPS}
    rest = theirs - OPS.keys() - OTHERS.keys() - chained
    assert {name for name in rest if not name.startswith(families)} == set()


def test_no_others_are_there(theirs: set[str]) -> None:
    assert {name for name in OPS | OTHERS if not name.endswith(".*")} - theirs == set()
    for family in (name.removesuffix("*") for name in OTHERS if name.endswith(".*")):
        assert any(name.startswith(family) for name in theirs), family


@pytest.mark.parametrize("library", [tfpy, keras], ids=["tfpy", "keras"])
def test_ours_exist(library: object) -> None:
    prefix = "tf.keras." if library is keras else "tf."
    ours = {
        name
        for name in (OPS | OTHERS).values()
        if name.startswith("tf.keras.") is (library is keras)
    }
    paths = [name.removeprefix(prefix) for name in sorted(ours) if name and name != "tf.keras"]
    assert len(paths) > 90
    assert [path for path in paths if found(library, path) is None] == []
