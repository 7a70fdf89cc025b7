"""Layers-models that are trained further in another library."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from models.crossing import need_node, tfjs, worker


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return models saved by Keras on tfpy and by TensorFlow.js, each trained by the other."""
    need_node()
    found = tmp_path_factory.mktemp("learning")
    tfjs("learn", found / "theirs")
    worker("learn", found)
    tfjs("train", *(found / "mine").iterdir())
    worker("train", *found.glob("*/*/"))
    return found


def assert_goes_on(path: Path, library: str) -> None:
    """Check that the losses after loading a file equal the losses of the saving library."""
    wanted = np.array(json.loads((path / "io.json").read_text())["losses"])
    found = np.array(json.loads((path / f"{library}.json").read_text()))
    assert wanted[0, 0] != wanted[-1, 0]
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-5, err_msg=f"{path.name} {library}")


def test_tensorflow_js_saved(folder: Path) -> None:
    made = list((folder / "theirs").iterdir())
    assert len(made) == 8
    for path in made:
        assert_goes_on(path, "tfpy")


def test_keras_saved(folder: Path) -> None:
    made = list((folder / "mine").iterdir())
    assert len(made) == 7
    for path in made:
        for library in ("tfjs", "tfpy"):
            assert_goes_on(path, library)


def test_what_cannot_be_written(folder: Path) -> None:
    answers = json.loads((folder / "unwritten.json").read_text())
    assert len(answers) == 13
    for name, text, error in answers:
        assert text in error, name
        assert len(error) < 600, name
    assert not (folder / "unwritten").exists()


def test_what_is_refused(folder: Path) -> None:
    answers = json.loads((folder / "hostile.json").read_text())
    assert len(answers) == 12
    for name, text, error in answers:
        assert text in error, name
        assert len(error) < 600, name


def test_broken_files_give_value_errors(folder: Path) -> None:
    assert json.loads((folder / "surprises.json").read_text()) == []
