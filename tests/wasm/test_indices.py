"""Labels and indices out of range on wasm, as in browsers and in exported programs."""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from e2e import test_indices as browser

from .conftest import require_assets
from .node_backend import NAME, active
from .node_process import RuntimeFailed
from .program_runner import ProgramRunner

TESTS = [
    browser.test_indices_out_of_range,
    browser.test_labels_out_of_range,
    browser.test_debug_mode_refuses_indices,
    browser.test_what_ignores_indices_out_of_range,
]


def _slots() -> int:
    gc.collect()
    tf.memory()  # collects garbage
    return int(tf.memory()["backend"]["slots"])


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.__name__)
@pytest.mark.parametrize("variant", ["simd", "relaxed"])
def test_as_in_browsers(test: Callable[..., Any], variant: str) -> None:
    require_assets(variant)
    case = inspect.unwrap(test)
    held = []
    with active(variant, "auto"):
        for _ in range(2):  # the first call leaves cached constants
            given = {"tf": tf, "backend": NAME}
            wanted = inspect.signature(case).parameters
            done = case(**{key: value for key, value in given.items() if key in wanted})
            if inspect.isawaitable(done):
                asyncio.run(done)  # type: ignore[arg-type]
            held.append(_slots())
    assert held[0] == held[1]


def test_an_exported_program_names_the_index(tmp_path: Path) -> None:
    """Check that the program can run again after the error."""
    require_assets("relaxed")
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(6, 2))
    spec = {"rows": tf.TensorSpec([3], tf.int32)}
    tf.export(lambda rows: {"y": tf.gather(table, rows)}, tmp_path / "a.tfpy", spec)
    runner = ProgramRunner()
    try:
        runner.load(tmp_path / "a.tfpy")
        for _ in range(2):
            assert runner.run({"rows": [0, 5, 1]})["y"].tolist() == [[0, 1], [10, 11], [2, 3]]
            with pytest.raises(RuntimeFailed) as caught:
                runner.run({"rows": [0, 6, 1]})
            text = "InvalidArgumentError: gather: indices[1] = 6 is not in [0, 6)"
            assert str(caught.value) == text
    finally:
        runner.close()
