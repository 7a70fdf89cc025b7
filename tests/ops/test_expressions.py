"""The scalar expression of every op is equivalent to its NumPy reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops import complex_edges
from ops.scalar_numpy import evaluate
from ops.test_reference import EDGE_CASES, attributes, edge_inputs, run

from tfpy import dtypes
from tfpy._src.compiler.ir.complex_expr import components, operands
from tfpy._src.compiler.ops import OPS, Op

WITH_EXPRESSION = [op for op in OPS.values() if op.expr is not None]


def compute(op: Op, arrays: Any, attrs: dict[str, Any], shape: tuple[int, ...]) -> Any:
    assert op.expr is not None
    root = op.expr(*operands([dtypes.as_dtype(a.dtype) for a in arrays]), **attrs)
    planes = [p for a in arrays for p in ((a.real, a.imag) if a.dtype.kind == "c" else (a,))]
    with np.errstate(all="ignore"):
        found = [evaluate(part, planes, shape) for part in components(root)]
    return found[0] if len(found) == 1 else OPS["complex"].ref(*found)


def agree(op: Op, arrays: Any, attrs: dict[str, Any]) -> None:
    wanted = run(op, arrays, attrs)
    result = compute(op, arrays, attrs, wanted.shape)
    assert result.dtype == wanted.dtype
    with_complex = any(np.asarray(a).dtype.kind == "c" for a in (wanted, *arrays))
    relative, absolute = (1e-4, 2e-5) if with_complex else (2e-5, 1e-6)  # longer formulas
    np.testing.assert_allclose(result, wanted, rtol=relative, atol=absolute)


@pytest.mark.parametrize("op", WITH_EXPRESSION, ids=lambda op: op.name)
def test_samples(op: Op, rng: np.random.Generator) -> None:
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        agree(op, arrays, attrs)


@pytest.mark.parametrize(("op", "dtype"), EDGE_CASES)
def test_edges(op: Op, dtype: str) -> None:
    agree(op, edge_inputs(op, dtype), attributes(op))


@pytest.mark.parametrize("case", list(complex_edges.cases()), ids=str)
def test_complex_edges(case: complex_edges.Case) -> None:
    got = compute(case.op, case.arrays, {}, case.arrays[0].shape)
    text = case.differences(got)
    assert not text, text
