"""A sample of Keras's own tests in a page. ``build.py keras-tests`` runs all of them on CPython."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import tempfile
import types
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tfpy.testing import run_in_browser

FLOWS = ("test_fit_flow", "test_evaluate_flow", "test_predict_flow")
SAMPLE = {
    "layers.attention.attention_test": ("",),
    "layers.normalization.layer_normalization_test": ("",),
    "layers.pooling.max_pooling_test": ("",),
    "layers.regularization.dropout_test": ("",),
    "layers.reshaping.reshape_test": ("",),
    "layers.rnn.lstm_test": ("",),
    "optimizers.adam_test": ("",),
    "optimizers.ftrl_test": ("",),
    "optimizers.lion_test": ("",),
    "optimizers.rmsprop_test": ("",),
    "optimizers.sgd_test": ("",),
    "trainers.compile_utils_test": ("",),
    "trainers.data_adapters.tf_dataset_adapter_test": ("",),
    "trainers.trainer_test": FLOWS,
}
"""Modules below ``keras.src``, with the prefixes of the names of the selected tests."""
HELPERS = ("absl/testing/*.py", "keras/src/testing/*.py")
"""Files that the tests import and the site does not have."""
PASSED = 180
ABSENT = ("jax", "torch")
"""Packages that the modules import, but these tests do not need."""
WHERE = "import importlib.util as u; print(u.find_spec('keras').origin)"


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Return the texts of files by their path in the folder of packages."""
    python = importlib.import_module("buildsys.pyenv").ensure("test")
    found = subprocess.run([python, "-c", WHERE], capture_output=True, text=True, check=True)
    packages = Path(found.stdout.strip()).parents[1]
    paths = [path for pattern in HELPERS for path in packages.glob(pattern)]
    paths += [packages / f"keras/src/{name.replace('.', '/')}.py" for name in SAMPLE]
    return {str(path.relative_to(packages)): path.read_text() for path in paths}


def flattened(suite: Any) -> Iterator[Any]:
    """Yield the tests of nested suites."""
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from flattened(part)
        else:
            yield part


def is_meant(test: Any, starts: tuple[str, ...]) -> bool:
    """Return True if a test is in the sample and not skipped by a mark."""
    name = test.id().rpartition(".")[2]
    marks = getattr(getattr(test, name, None), "pytestmark", [])
    skipped = any(mark.name == "skipif" and mark.args[0] for mark in marks)
    return name.startswith(starts) and not skipped


def stand_in(name: str, **names: Any) -> None:
    """Add a substitute for a module that a page does not have."""
    module = types.ModuleType(name)
    vars(module).update(names)
    sys.modules[name] = module


def show(folder: Path, package: Path) -> None:
    """Make Python find the files that a folder adds to a package or to its nearest parent."""
    while importlib.util.find_spec(".".join(package.parts)) is None:
        package = package.parent
    importlib.import_module(".".join(package.parts)).__path__.append(str(folder / package))


@run_in_browser(
    packages=["keras"], backends=("wasm", "webgl", "webgpu"), timeout=900, check_leaks=False
)
async def test_a_sample_passes(tf: Any, files: dict[str, str]) -> None:
    folder = Path(tempfile.mkdtemp())
    import keras

    assert keras.backend.backend() == "tensorflow"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    importlib.invalidate_caches()
    for path in files:
        show(folder, Path(path).parent)
    for name in ABSENT:
        stand_in(name)
    stand_in("conftest", skip_if_backend=lambda *_: pytest.mark.skipif(True, reason="TensorFlow"))
    result = unittest.TestResult()
    for name, starts in SAMPLE.items():
        suite = unittest.defaultTestLoader.loadTestsFromName(f"keras.src.{name}")
        unittest.TestSuite(t for t in flattened(suite) if is_meant(t, starts)).run(result)
    for test, text in [*result.failures, *result.errors]:
        print(test, text)
    assert not result.failures
    assert not result.errors
    assert result.testsRun - len(result.skipped) > PASSED
