"""Order and scatter kernels beyond the table's samples: NaN, large inputs, rejected steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ir.graph import single_equation
from tfpy._src.compiler.ir.op import OPS

from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime, aval_of

NAN, INF = np.nan, np.inf


def check(runtime: NodeRuntime, name: str, arrays: list[Array], **attrs: Any) -> None:
    op = OPS[name]
    graph = single_equation(op, [aval_of(a) for a in arrays], tuple(attrs.items()))
    (got,) = runtime.run_graph(graph, arrays)
    np.testing.assert_array_equal(got, op.ref(*arrays, **attrs))


@pytest.mark.parametrize("descending", [False, True])
def test_nan_is_above_all_numbers(runtime: NodeRuntime, descending: bool) -> None:
    x = np.array([[3, NAN, 1, -INF, INF, NAN, 0, 1, 3], [NAN] * 9], np.float32)
    for k in (9, 1):
        check(runtime, "argsort", [x], k=k, descending=descending)


@pytest.mark.parametrize("descending", [False, True])
def test_zeros_are_equal(runtime: NodeRuntime, descending: bool) -> None:
    x = np.array([0.0, -0.0, 1e-40, -1e-40, -0.0, 0.0, -1.0, 1.0, 2.0**-149], np.float32)
    check(runtime, "argsort", [x], k=9, descending=descending)
    ints = np.array([0, -1, 2**31 - 1, -(2**31), 1, -1], np.int32)
    check(runtime, "argsort", [ints], k=6, descending=descending)


def test_largest_numbers_in_a_heap(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for k, n in ((1, 9), (2, 9), (5, 40), (8, 9), (9, 9), (30, 2000)):
        x = rng.integers(0, n // 2, (3, n)).astype(np.float32)
        check(runtime, "largest", [x.astype(np.int32)], k=k)
        x[1, 2], x[2] = NAN, rng.normal(size=n)
        check(runtime, "largest", [x], k=k)


@pytest.mark.parametrize("rows", [1, 3, 4, 11])
def test_scans_of_rows(runtime: NodeRuntime, rng: np.random.Generator, rows: int) -> None:
    x = rng.integers(-9, 9, (rows, 37)).astype(np.int32)
    for name in ("cumsum", "cumprod"):
        for exclusive in (False, True):
            for reverse in (False, True):
                check(runtime, name, [x], axis=1, exclusive=exclusive, reverse=reverse)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_nan_is_passed_over(runtime: NodeRuntime, name: str) -> None:
    rows = [[1, NAN, 3], [NAN, 1, 3], [NAN, NAN], [NAN] * 5 + [2, NAN, 1], [NAN] * 70 + [1, NAN]]
    for row in rows:
        x = np.array(row, np.float32)
        check(runtime, name, [x], axis=0)
        check(runtime, name, [np.stack([x, x[::-1]], 1)], axis=0)


def test_large(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    keys = rng.integers(0, 500, (3, 20_000)).astype(np.int32)
    check(runtime, "argsort", [keys], k=20_000, descending=True)
    check(runtime, "argsort", [keys.astype(np.float32)], k=100, descending=False)
    ids = rng.integers(-5, 1000, 30_000).astype(np.int32)
    x, updates = (rng.integers(-99, 99, (n, 7)).astype(np.float32) for n in (1000, 30_000))
    for name in ("scatter_update", "scatter_max", "scatter_min"):
        check(runtime, name, [x, ids, updates])


@pytest.mark.parametrize("name", ["scatter_update", "scatter_prod", "scatter_max", "scatter_min"])
def test_negative_ids_are_dropped_and_large_ones_refused(runtime: NodeRuntime, name: str) -> None:
    x, updates = np.array([2, 3], np.int32), np.array([5, -7, 9, 4], np.int32)
    ids = np.array([-(2**31), 1, -1, 1], np.int32)
    graph = single_equation(OPS[name], [aval_of(a) for a in (x, ids, updates)], ())
    (got,) = runtime.run_graph(graph, [x, ids, updates])
    np.testing.assert_array_equal(got, OPS[name].ref(x, ids, updates))
    for large in (2, 2**31 - 1):
        ids[1] = large
        with pytest.raises(RuntimeFailed, match=rf"({name}|scatter): indices\[1\] = {large}"):
            runtime.run_graph(graph, [x, ids, updates])
