"""Every elementwise op of the WebGL2 runtime at special values: the shaders, on one page.

The numbers are those of NumPy's meaning, which ``tests/ops/test_grids.py`` holds against
TensorFlow's on the same grids and with the same bounds.
"""

from __future__ import annotations

import numpy as np
from ops.grids import cases, differences

from e2e.module_page import Evaluate
from e2e.webgl_page import CLEAN, call_of
from tfpy._src.ir.evaluate import evaluate as on_host
from tfpy._src.lower.webgl import lower


def test_special_values(evaluate: Evaluate) -> None:
    grids = list(cases())
    found = evaluate("results", {}, [call_of(lower(c.graph), list(c.arrays)) for c in grids])
    assert found["left"] == CLEAN
    problems = []
    for case, values in zip(grids, found["values"], strict=True):
        (wanted,) = on_host(case.graph, case.arrays)
        got = np.array([float(v) for v in values]).astype(wanted.dtype)
        problems.append(differences(case, got, wanted))
    assert not any(problems), "\n".join(filter(None, problems))
