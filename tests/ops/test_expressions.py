"""The scalar expression of every op means the same as its NumPy reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.scalar_numpy import evaluate
from ops.test_reference import EDGE_CASES, attributes, edge_inputs, run

from tfpy import dtypes
from tfpy.ir.expr import input_
from tfpy.ops import OPS, Op

WITH_EXPRESSION = [op for op in OPS.values() if op.expr is not None]


def compute(op: Op, arrays: Any, attrs: dict[str, Any], shape: tuple[int, ...]) -> Any:
    assert op.expr is not None
    operands = [input_(i, dtypes.as_dtype(a.dtype)) for i, a in enumerate(arrays)]
    with np.errstate(all="ignore"):
        return evaluate(op.expr(*operands, **attrs), arrays, shape)


def agree(op: Op, arrays: Any, attrs: dict[str, Any]) -> None:
    wanted = run(op, arrays, attrs)
    result = compute(op, arrays, attrs, wanted.shape)
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(result, wanted, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("op", WITH_EXPRESSION, ids=lambda op: op.name)
def test_samples(op: Op, rng: np.random.Generator) -> None:
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        agree(op, arrays, attrs)


@pytest.mark.parametrize(("op", "dtype"), EDGE_CASES)
def test_edges(op: Op, dtype: str) -> None:
    agree(op, edge_inputs(op, dtype), attributes(op))
