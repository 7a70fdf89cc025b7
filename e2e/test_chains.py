"""Random chains of calls: compiled results on a device equal NumPy's."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

SEEDS = range(200, 216)
TOLERANCE = 1e-3
WORDS = ""

if sys.platform != "emscripten":  # the browser receives the source from the host
    from function import chains

    WORDS = Path(chains.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [WORDS], ids=["chains"])
@run_in_browser(backends=("wasm", "webgl", "webgpu"), timeout=400)
def test_chains(tf: Any, backend: str, words: str) -> None:
    made: Any = types.ModuleType("chains")
    sys.modules["chains"] = made  # NamedTuple resolves annotations there
    exec(words, made.__dict__)
    problems = []
    for seed in SEEDS:
        tf.set_backend("cpu")
        program = made.chain(seed)
        wanted = made.results(program, tf, lambda f: f)
        tf.set_backend(backend)
        found = made.results(program, tf, tf.function)
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            bound = TOLERANCE * (1 + float(np.abs(b).max(initial=0)))
            if a.shape != b.shape or not np.allclose(a, b, TOLERANCE, bound):
                problems.append(f"{i}, by {np.abs(a - b).max()}:\n{program.text}")
    assert not problems, "\n".join(problems)
