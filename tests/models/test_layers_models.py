"""Layers-models exchanged between Keras on tfpy, Keras on TensorFlow, and TensorFlow.js."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from models.crossing import arrays, assert_near, need_node, tfjs, worker

QUANTIZED = {"float16": 2e-3, "uint16": 1e-3, "uint8": 0.2}
"""Kinds of quantization, with the tolerance relative to the exact weights' prediction."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return models made by Keras on tfpy and by TensorFlow.js, each loaded by the other."""
    need_node()
    found = tmp_path_factory.mktemp("models")
    tfjs("make", found / "theirs")
    worker("make", found)
    tfjs("predict", *(found / "made").iterdir())
    worker("tensorflow", *(path.parent for path in found.glob("made/*/model.keras")))
    return found


def test_keras_models_cross(folder: Path) -> None:
    """Check that TensorFlow.js, TensorFlow and the reloaded model predict the same as tfpy."""
    made = {path.name for path in (folder / "made").iterdir()} - {*QUANTIZED}
    assert len(made) >= 9
    for name in made:
        where = folder / "made" / name
        wanted = arrays(where / "io.json", "outputs")
        for library in ("tfpy", "tfjs", "tensorflow"):
            assert_near(where / f"{library}.json", wanted)


def test_quantized_models_cross(folder: Path) -> None:
    sizes = {}
    for kind, tolerance in QUANTIZED.items():
        where = folder / "made" / kind
        assert_near(where / "tfpy.json", arrays(where / "tfjs.json"))
        assert_near(where / "tfpy.json", arrays(where / "io.json", "outputs"), tolerance)
        sizes[kind] = sum(path.stat().st_size for path in where.glob("*.bin"))
    assert sizes["float16"] == sizes["uint16"] == 2 * sizes["uint8"]


def test_files_have_the_size_that_is_asked_for(folder: Path) -> None:
    files = {path.name: path.stat().st_size for path in (folder / "made/sequences").glob("*.bin")}
    assert len(files) > 3
    last = files.pop(f"group1-shard{len(files)}of{len(files)}.bin")
    assert {*files.values()} == {300}
    assert 0 < last <= 300


def test_models_of_tensorflow_js(folder: Path) -> None:
    made = list((folder / "theirs").iterdir())
    assert len(made) == 4
    for where in made:
        assert_near(where / "tfpy.json", arrays(where / "io.json", "outputs"))


def test_files_of_older_kerases(folder: Path) -> None:
    answers = json.loads((folder / "legacy.json").read_text())
    assert len(answers) == 4
    for name, found, wanted in answers:
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_allclose(x, y, 1e-5, 1e-5, err_msg=name)


def test_what_is_refused(folder: Path) -> None:
    answers = json.loads((folder / "refused.json").read_text())
    assert len(answers) > 25
    for name, text, error in answers:
        assert text in error, name
        assert len(error) < 600, name


def test_broken_configurations_give_value_errors(folder: Path) -> None:
    assert json.loads((folder / "surprises.json").read_text()) == []
