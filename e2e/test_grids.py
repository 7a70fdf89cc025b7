"""Every elementwise op of the runtimes on GPUs at special values: the shaders, on a page each.

The numbers are those of NumPy's meaning, which ``tests/ops/test_grids.py`` holds against
TensorFlow's on the same grids and with the same bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.grids import cases, differences

from e2e.module_page import Evaluate, module_page
from e2e.webgl_page import CLEAN, call_of
from tfpy._src.ir.evaluate import evaluate as on_host
from tfpy._src.lower import webgl, webgpu


def test_webgl(evaluate: Evaluate) -> None:
    found = evaluate("results", {}, [call_of(webgl.lower(c.graph), list(c.arrays)) for c in GRIDS])
    assert found["left"] == CLEAN
    check(found["values"])


def test_webgpu() -> None:
    with module_page("webgpu_runtime.mjs") as evaluate:
        check(evaluate("results", [call_of(webgpu.lower(c.graph), list(c.arrays)) for c in GRIDS]))


GRIDS = list(cases())


def check(found: list[Any]) -> None:
    problems = []
    for case, values in zip(GRIDS, found, strict=True):
        (wanted,) = on_host(case.graph, case.arrays)
        got = np.array([float(v) for v in values]).astype(wanted.dtype)
        problems.append(differences(case, got, wanted))
    assert not any(problems), "\n".join(filter(None, problems))
