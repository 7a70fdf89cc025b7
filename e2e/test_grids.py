"""Every elementwise op of the GPU runtimes at special values, on one page per backend.

The expected values are NumPy's. ``tests/ops/test_grids.py`` compares these with TensorFlow's on the
same grids and with the same bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fuzz import page_device
from ops import complex_edges, edge_gradients
from ops.grids import cases, differences

import tfpy
from e2e.module_page import Evaluate, module_page
from e2e.webgl_page import CLEAN, call_of
from tfpy._src.compiler.ir.evaluate import evaluate as on_host
from tfpy._src.compiler.lower import webgl, webgpu


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


MASKED = ("sqrt", "rsqrt", "reciprocal", "softsign", "elu", "expm1", "asinh", "where of rsqrt")


@pytest.mark.parametrize("backend", page_device.BACKENDS)
def test_complex_and_gradients(backend: str) -> None:
    """Check complex functions at edge operands, and gradients that are 0 where upstream is 0.

    Signs of zeros are not compared, because shading languages do not guarantee them.
    """
    problems = []
    edges = [case for case in edge_gradients.cases() if case.name in MASKED]
    gradients = [(case, upstream) for case in edges for upstream in edge_gradients.UPSTREAM]
    wanted = [case.gradients(tfpy, upstream) for case, upstream in gradients]
    with page_device.active(backend):
        for case in complex_edges.cases():
            got = case.op(*map(tfpy.constant, case.arrays)).numpy()
            problems.append(case.differences(got, signs=False))
        for (edge, upstream), expected in zip(gradients, wanted, strict=True):
            problems.append(edge.differences(edge.gradients(tfpy, upstream), expected))
    assert len(edges) == len(MASKED)
    assert not any(problems), "\n".join(filter(None, problems))
