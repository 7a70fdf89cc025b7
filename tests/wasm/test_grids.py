"""Every elementwise op of the wasm runtime at special values, compared with TensorFlow."""

from __future__ import annotations

import pytest
from ops.grids import Case, cases, differences
from ops.tensorflow_grids import wanted

from .node_runtime import NodeRuntime


@pytest.mark.parametrize("case", cases(), ids=str)
def test_special_values(case: Case, runtime: NodeRuntime) -> None:
    (got,) = runtime.run_graph(case.graph, case.arrays)
    text = differences(case, got, *wanted(case))
    assert not text, text
