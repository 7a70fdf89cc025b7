"""Every op of the table on the samples of its record, compared with its reference."""

from __future__ import annotations

import numpy as np
import pytest

import tfpy  # noqa: F401  (fills the table)
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ir.op import OPS, UNSUPPORTED, Op

from .node_runtime import NodeRuntime, aval_of

DEVICE = {"float32", "int32", "bool"}


def _computed() -> list[Op]:
    complex_only = {"complex", "real", "imag", "conj", "angle"}  # test_complex.py has them
    others = complex_only | UNSUPPORTED["wasm"].keys()
    return [op for op in OPS.values() if op.is_primitive and op.name not in others]


@pytest.mark.parametrize("op", _computed(), ids=lambda op: op.name)
def test_samples(op: Op, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    assert op.samples is not None
    ran = 0
    for arrays, attrs in op.samples(rng):
        arrays = [np.asarray(a) for a in arrays]
        if any(a.dtype.name not in DEVICE for a in arrays):
            continue
        graph = single_equation(op, [aval_of(a) for a in arrays], tuple(attrs.items()))
        if graph.avals[-1].dtype.name not in DEVICE:
            continue
        (got,) = runtime.run_graph(graph, arrays)
        wanted = np.asarray(op.ref(*arrays, **attrs))
        tolerance = 2e-5 if op.tolerance is None else op.tolerance
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, tolerance, tolerance, err_msg=f"{op.name} {attrs}")
        ran += 1
    assert ran or not op.samples(rng) or op.family in ("host",), "no sample ran"
