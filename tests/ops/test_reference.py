"""The NumPy reference of every primitive, compared with TensorFlow."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from ops import oracle

from tfpy import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ops import OPS, Op


def run(op: Op, arrays: Any, attrs: dict[str, Any]) -> Any:
    """Run the reference evaluator on a Graph of one equation."""
    avals = [Aval(a.shape, dtypes.as_dtype(a.dtype)) for a in arrays]
    (result,) = evaluate(single_equation(op, avals, tuple(attrs.items())), arrays)
    return result


@pytest.mark.parametrize(
    "op",
    [op for op in OPS.values() if op.is_primitive and op.family != "linalg"],  # in test_linalg.py
    ids=lambda op: op.name,
)
def test_samples(op: Op, rng: np.random.Generator) -> None:
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        result = run(op, arrays, attrs)
        wanted = oracle.values(oracle.expected(op, arrays, attrs))
        assert result.shape == wanted.shape
        if op.name != "range":  # computed in float64 by the oracle
            assert result.dtype == wanted.dtype
        tolerance = op.tolerance or 1e-5
        if result.dtype.kind in "fc":
            np.testing.assert_allclose(result, wanted, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(result, wanted)


EDGES: dict[str, list[Any]] = {
    "float32": [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -3.0, 1e30, -1e30, np.inf, -np.inf, np.nan],
    "int32": [0, 1, -1, 2, -3, 7, 2**31 - 1, -(2**31)],
    "bool": [False, True],
}


def operand_dtypes(op: Op, dtype: str) -> list[str]:
    return ["bool" if name == "condition" else dtype for name in op.params or ("x",)]


def takes(op: Op, dtype: str) -> bool:
    """Return True if every operand (except a condition) may have the dtype."""
    avals = [Aval((1,), dtypes.as_dtype(k)) for k in operand_dtypes(op, dtype)]
    try:
        op.infer(*avals, **attributes(op))
    except InvalidArgumentError:
        return False
    return True


def attributes(op: Op) -> dict[str, Any]:
    return {"dtype": dtypes.int32} if op.name in ("cast", "bitcast") else dict(op.defaults)


def edge_inputs(op: Op, dtype: str) -> list[Any]:
    """Return every combination of edge values, as columns."""
    kinds = operand_dtypes(op, dtype)
    rows = list(itertools.product(*(EDGES[k] for k in kinds)))
    if dtype == "int32" and op.name in ("floordiv", "floormod", "truncatediv", "truncatemod"):
        rows = [r for r in rows if r[1] not in (0, -1)]
    if dtype == "int32" and op.name == "pow":
        rows = [r for r in rows if 0 <= r[1] < 8]
    if op.name in ("zeta", "polygamma"):  # the intended domain
        rows = [r for r in rows if r[0] in (1.0, 2.5) and r[1] > 0]
    if op.name in ("relu_grad", "relu6_grad"):  # TensorFlow's infinity * 0 is NaN
        rows = [r for r in rows if np.isfinite(r[0])]
    return [np.array(c, k) for c, k in zip(zip(*rows, strict=True), kinds, strict=True)]


EDGE_CASES = [
    pytest.param(op, dtype, id=f"{op.name}-{dtype}")
    for op in OPS.values()
    if op.family == "elementwise"
    for dtype in EDGES
    if takes(op, dtype)
]


@pytest.mark.parametrize(("op", "dtype"), EDGE_CASES)
def test_edges(op: Op, dtype: str) -> None:
    arrays, attrs = edge_inputs(op, dtype), attributes(op)
    result = run(op, arrays, attrs)
    wanted = oracle.expected(op, arrays, attrs).numpy()
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)
