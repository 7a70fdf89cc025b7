"""Models from npm and PyPI packages predict the same as in TensorFlow.js and TensorFlow.

Small models run by default, and larger ones if TFPY_ALL_MODELS=1 is in the environment.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models.crossing import arrays, assert_near, need_node, tfjs, worker

from buildsys import model_files

LAYERS_MODELS = {
    "mobilenet_v2": ("nsfwjs", (1, 224, 224, 3)),
    "x2": ("@upscalerjs/esrgan-slim", (1, 24, 20, 3)),
}
LARGER = {
    "inception_v3": ("nsfwjs", (1, 299, 299, 3)),
    "x3": ("@upscalerjs/esrgan-slim", (1, 24, 20, 3)),
    "x4": ("@upscalerjs/esrgan-slim", (1, 24, 20, 3)),
    "x8": ("@upscalerjs/esrgan-slim", (1, 24, 20, 3)),
}
TOLERANCE = 2e-5


def copied(package: str, name: str, shape: tuple[int, ...], into: Path) -> Path:
    """Return a folder with a model and its input numbers."""
    where = into / name
    shutil.copytree(model_files.ensure(package) / name, where)
    x = (np.arange(np.prod(shape)) * 7919 % 1009 / 1009).astype("float32")
    entry: dict[str, Any] = {"shape": shape, "dtype": "float32", "values": x.tolist()}
    (where / "io.json").write_text(json.dumps({"inputs": [entry]}))
    return where


def crossed(names: dict[str, tuple[str, tuple[int, ...]]], into: Path) -> None:
    folders = [copied(package, name, shape, into) for name, (package, shape) in names.items()]
    tfjs("predict", *folders)
    worker("tfpy", *folders)
    for where in folders:
        wanted = arrays(where / "tfjs.json")
        assert wanted[0].std() > 1e-3
        assert_near(where / "tfpy.json", wanted, TOLERANCE)


def test_layers_models(tmp_path: Path) -> None:
    need_node()
    crossed(LAYERS_MODELS, tmp_path)


@pytest.mark.skipif("TFPY_ALL_MODELS" not in os.environ, reason="asked for by TFPY_ALL_MODELS=1")
def test_larger_layers_models(tmp_path: Path) -> None:
    need_node()
    crossed(LARGER, tmp_path)


def test_hdf5_of_keras_2(tmp_path: Path) -> None:
    where = copied("fer", "emotion", (2, 64, 64, 1), tmp_path)
    for library in ("tensorflow", "tfpy"):
        worker(library, where)
    assert_near(where / "tfpy.json", arrays(where / "tensorflow.json"))
