"""Complex numbers on the wasm runtime as pairs of arrays, compared with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from ops import complex_edges

from tfpy import dtypes
from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.compiler.lower import wasm

from .node_runtime import Array, NodeRuntime, aval_of


def run(runtime: NodeRuntime, op: Op, arrays: Sequence[Array], attrs: dict[str, Any]) -> Array:
    graph = single_equation(op, [aval_of(a) for a in arrays], tuple(attrs.items()))
    planes = [
        np.ascontiguousarray(part)
        for a in arrays
        for part in ((a.real, a.imag) if a.dtype.kind == "c" else (a,))
    ]
    found = runtime.run_program(wasm.lower(graph), planes)
    result = found[0] if len(found) == 1 else OPS["complex"].ref(*found)
    return result.reshape(graph.avals[graph.outputs[0]].shape)  # an alias keeps its buffer's shape


def check(runtime: NodeRuntime, op: Op, arrays: Sequence[Array], attrs: dict[str, Any]) -> None:
    got = run(runtime, op, arrays, attrs)
    wanted = np.asarray(op.ref(*arrays, **attrs))
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, 1e-4, 1e-4, err_msg=f"{op.name} {attrs}")


ELEMENTWISE = [op for op in OPS.values() if op.expr is not None and op.params]


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_elementwise(op: Op, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        made = np.asarray(op.ref(*arrays, **attrs)).dtype.kind == "c"
        if made or any(a.dtype.kind == "c" for a in arrays):
            check(runtime, op, arrays, attrs)


def z(rng: np.random.Generator, *shape: int) -> Array:
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)


IDS = np.array([1, 0, 1], np.int32)
OTHERS: list[tuple[str, Any, dict[str, Any]]] = [
    ("matmul", lambda r: (z(r, 3, 4), z(r, 4, 2)), {"transpose_a": False, "transpose_b": False}),
    ("matmul", lambda r: (z(r, 2, 4, 3), z(r, 5, 4)), {"transpose_a": True, "transpose_b": True}),
    ("transpose", lambda r: (z(r, 3, 4),), {"perm": (1, 0)}),
    ("broadcast_to", lambda r: (z(r, 3, 1),), {"shape": (2, 3, 5)}),
    ("strided_slice", lambda r: (z(r, 9),), {"begin": (8,), "size": (4,), "strides": (-2,)}),
    ("pad", lambda r: (z(r, 3),), {"padding": ((1, 2),), "interior": (1,), "value": 2 - 1j}),
    ("concat", lambda r: (z(r, 2, 3), z(r, 2, 1)), {"axis": 1}),
    ("gather", lambda r: (z(r, 4, 3), IDS), {"axis": 0, "batch_dims": 0}),
    ("segment_sum", lambda r: (z(r, 3, 2), IDS), {"segments": 2}),
    ("reduce_sum", lambda r: (z(r, 3, 40),), {"axes": (1, 2)}),
    ("reduce_prod", lambda r: (z(r, 3, 7, 2),), {"axes": (1, 2)}),
    ("reduce_prod", lambda r: (z(r, 4, 16),), {"axes": (0, 2)}),
    ("reduce_prod", lambda r: (z(r, 3, 1),), {"axes": (1, 2)}),
    ("reduce_prod", lambda r: (z(r, 2, 0, 3),), {"axes": (1, 2)}),
    ("reshape", lambda r: (z(r, 3, 4),), {"shape": (2, 6)}),
    ("cast", lambda r: (z(r, 5).real.copy(),), {"dtype": dtypes.complex64}),
    ("cast", lambda r: (z(r, 5) * 9,), {"dtype": dtypes.int32}),
]


@pytest.mark.parametrize(("name", "make", "attrs"), OTHERS, ids=[o[0] for o in OTHERS])
def test_others(name: str, make: Any, attrs: Any, runtime: NodeRuntime, rng: Any) -> None:
    check(runtime, OPS[name], make(rng), attrs)


@pytest.mark.parametrize("case", list(complex_edges.cases()), ids=str)
def test_edges(case: complex_edges.Case, runtime: NodeRuntime) -> None:
    text = case.differences(run(runtime, case.op, case.arrays, {}))
    assert not text, text
