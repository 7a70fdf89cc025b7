"""Fixtures of the tests that run on plain CPython, with TensorFlow as the oracle."""

from __future__ import annotations

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TFPY_FLAGS", "TFPY_VERIFY_PASSES:true")

import gc
from collections.abc import Iterator
from pathlib import Path

import building
import hypothesis
import leftovers
import numpy as np
import promises
import pytest

import tfpy
from buildsys import console
from tfpy._src.core import scalar_cache

# Processes that tests start import the same tfpy.
SOURCES = str(Path(__file__).resolve().parents[1] / "src")
os.environ["PYTHONPATH"] = os.pathsep.join(
    [SOURCES, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
)

hypothesis.settings.register_profile("tfpy", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("tfpy")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--backend", choices=["jax"], help="all cases of this backend, not a share")
    parser.addoption(
        "--build",
        action="store_true",
        help="build what tests need; without it, tests that need something that is not built are"
        " skipped",
    )


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("build"):
        console.before_building.append(building.skip)


def pytest_unconfigure() -> None:
    console.before_building.clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    promises.mark(items)


def pytest_collection_finish() -> None:
    """Freeze existing objects, because collecting them as garbage would take as long as a test."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_changed() -> Iterator[None]:
    """Fail a test that leaves the state of the process different for the tests after it."""
    before = leftovers.state()
    yield
    leftovers.restore()
    if (after := leftovers.state()) != before:
        changes = leftovers.changes(before, after)
        assert not changes, " ".join(changes)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Fail a test that leaves tensors or slots behind."""
    before = _in_use()
    yield
    assert _in_use() == before


def _in_use() -> tuple[int, int, int]:
    gc.collect()
    scalar_cache.clear_scalars()
    memory = tfpy.memory()
    return memory["numTensors"], memory["numDataBuffers"], memory["numBytes"]
