"""The other named kernels, compared with NumPy: odd sizes, all dtypes, empty arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.strides import pad_front

from .expressions import inputs_of, run_expression
from .node_process import RuntimeFailed
from .node_runtime import Array, NodeRuntime

DTYPES = [np.float32, np.int32, np.bool_]


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    return rng.integers(-50, 50, shape).astype(np.int32).astype(dtype)


def run(
    runtime: NodeRuntime, name: str, params: dict[str, Any], out: Array, *arrays: Array
) -> Array:
    """Run a kernel with an output of the shape and dtype of ``out``."""
    call = KernelCall(name, tuple(f"x{i}" for i in range(len(arrays))), params)
    return runtime.run_kernel(call, arrays, Aval(out.shape, as_dtype(out.dtype)))


def check_exact(
    runtime: NodeRuntime, name: str, params: dict[str, Any], wanted: Array, *arrays: Array
) -> None:
    np.testing.assert_array_equal(run(runtime, name, params, wanted, *arrays), wanted)


def strided_params(view: Array, base: Array) -> dict[str, Any]:
    """Return the parameters with which ``strided`` makes a view of an array."""
    size = base.itemsize
    start = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return {
        "dims": pad_front(view.shape, 1),
        "strides": pad_front([s // size for s in view.strides], 0),
        "offset": start // size if view.size else 0,
    }


@pytest.mark.parametrize("dtype", DTYPES)
def test_strided(dtype: Any, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = values(rng, (3, 5, 7, 6), dtype)
    big = values(rng, (70, 131), dtype)
    views = [
        (x, x),
        (x, x.transpose(0, 3, 1, 2)),
        (x, x.transpose(3, 2, 1, 0)),
        (x, x.transpose(2, 0, 3, 1)[::-1]),
        (x, x[1:, ::2, 1:6:3, ::-1]),
        (x, x[:, :, 0]),
        (x, np.broadcast_to(x[:, :1, :, :, None], (3, 4, 7, 6, 2))),
        (x, x[:0]),
        (big, big.T),
        (big, big.T[5:]),
        (big, big[::-1, ::-1]),
        (big, np.broadcast_to(big[:, None, :1], (70, 3, 131))),
        (big, big[:, 3]),
        (big, np.broadcast_to(big[3], (50, 131))),
        (big, np.broadcast_to(big[:, None, :5], (70, 9, 5))),
        (x, x.reshape(15, 7, 6).transpose(1, 0, 2)[:, :, :2]),
    ]
    for base, view in views:
        check_exact(runtime, "strided", strided_params(view, base), view.copy(), base)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad(dtype: Any, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = values(rng, (3, 4, 9), dtype)
    fill = np.array(True if dtype is np.bool_ else 7, dtype)
    bits = int(fill.view(np.int32)) if fill.itemsize == 4 else int(fill)
    for config in (
        [(1, 2, 0), (0, 0, 0), (2, 1, 0)],
        [(0, 0, 0), (-1, 2, 0), (-2, -3, 0)],
        [(1, 0, 2), (0, 1, 1), (3, -1, 2)],
        [(-3, 0, 0), (0, 0, 0), (0, 0, 0)],
        [(0, 0, 0), (9, 0, 0), (-9, 5, 0)],
        [(1, 2, 0), (2, -1, 0), (0, 0, 0)],
        [(2, 1, 0), (0, 0, 0), (0, 0, 0)],
        [(0, 1, 1), (0, 0, 0), (0, 0, 0)],
        [(1, 0, 0), (1, 1, 1), (0, 0, 0)],
    ):
        wanted = x
        for axis, (low, high, interior) in enumerate(config):
            wanted = pad_axis(wanted, axis, low, high, interior, fill)
        params = {
            "in_dims": pad_front(x.shape, 1),
            "out_dims": pad_front(wanted.shape, 1),
            "lo": pad_front([c[0] for c in config], 0),
            "interior": pad_front([c[2] for c in config], 0),
            "value_bits": bits,
        }
        check_exact(runtime, "pad", params, wanted, x)


def pad_axis(x: Array, axis: int, low: int, high: int, interior: int, fill: Array) -> Array:
    n = x.shape[axis]
    spread_n = n + max(n - 1, 0) * interior
    shape = list(x.shape)
    shape[axis] = max(low, 0) + spread_n + max(high, 0)
    out = np.full(shape, fill, x.dtype)
    place: list[Any] = [slice(None)] * x.ndim
    start = max(low, 0)
    place[axis] = slice(start, start + spread_n, interior + 1)
    out[tuple(place)] = x
    place[axis] = slice(max(-low, 0), shape[axis] - max(-high, 0))
    return out[tuple(place)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_concat(dtype: Any, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for outer, inner, sizes in ((1, 1, [5]), (4, 3, [2, 0, 7]), (3, 1, [1] * 40), (0, 4, [2, 3])):
        parts = [values(rng, (outer, n, inner), dtype) for n in sizes]
        params = {"outer": outer, "inner": inner, "sizes": sizes}
        check_exact(runtime, "concat", params, np.concatenate(parts, 1), *parts)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather(dtype: Any, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for batch, outer, n, inner, m in (
        (1, 1, 9, 5, 20),
        (3, 2, 4, 1, 7),
        (2, 1, 0, 3, 0),
        (1, 2, 40, 21, 9),
    ):
        x = values(rng, (batch, outer, n, inner), dtype)
        indices = rng.integers(0, max(n, 1), (batch, m)).astype(np.int32)
        wanted = np.zeros((batch, outer, m, inner), dtype)
        for b, j in np.ndindex(batch, m):
            wanted[b, :, j] = x[b, :, indices[b, j]]
        params = {"batch": batch, "outer": outer, "n": n, "inner": inner, "m": m}
        check_exact(runtime, "gather", params, wanted, x, indices)
        for outside in (-1, n) if m else ():
            indices[-1, 3] = outside
            at = indices.size - m + 3
            with pytest.raises(RuntimeFailed, match=rf"gather: indices\[{at}\] = {outside} "):
                check_exact(runtime, "gather", params, wanted, x, indices)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_segment_sum(dtype: Any, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for n, inner, segments in ((50, 3, 8), (7, 9, 20), (0, 4, 3)):
        data = values(rng, (n, inner), dtype)
        ids = rng.integers(-2, segments, n).astype(np.int32)
        ids[: n // 10] = -(2**31)
        keep = ids >= 0
        wanted = np.zeros((segments, inner), dtype)
        np.add.at(wanted, ids[keep], data[keep])
        params = {"n": n, "inner": inner, "segments": segments}
        check_exact(runtime, "segment_sum", params, wanted, data, ids)
        if n:
            ids[2] = segments
            with pytest.raises(RuntimeFailed, match=r"segment_sum: segment_ids\[2\] = "):
                check_exact(runtime, "segment_sum", params, wanted, data, ids)


SHAPES = [
    (1, 1, 1),
    (3, 5, 1),
    (2, 31, 1),
    (5, 100, 1),
    (2, 37, 3),
    (1, 600, 18),
    (3, 1, 64),
    (4, 2, 5),
]
KINDS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


@pytest.mark.parametrize("kind", KINDS)
def test_reduce(kind: str, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for outer, n, inner in SHAPES:
        params = {"kind": kind, "outer": outer, "n": n, "inner": inner}
        ints = values(rng, (outer, n, inner), np.int32)
        with np.errstate(over="ignore"):
            wanted = np.asarray(
                KINDS[kind](ints, axis=1, dtype=np.int32)
                if kind in ("sum", "prod")
                else KINDS[kind](ints, axis=1)
            )
        check_exact(runtime, "reduce", params, wanted, ints)
        floats = rng.uniform(0.9, 1.1, (outer, n, inner)).astype(np.float32)
        wanted = KINDS[kind](floats.astype(np.float64), axis=1).astype(np.float32)
        np.testing.assert_allclose(run(runtime, "reduce", params, wanted, floats), wanted, 1e-5)


def test_narrow_reductions(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    """Test rows of few columns, with every number of rows after the last four."""
    for inner in (2, 3, 7, 15):
        for n in (31, 32, 33, 34, 35, 1001):
            for kind in ("sum", "max", "min"):
                x = values(rng, (2, n, inner), np.int32)
                params = {"kind": kind, "outer": 2, "n": n, "inner": inner}
                wanted = np.asarray(KINDS[kind](x, axis=1), np.int32)
                check_exact(runtime, "reduce", params, wanted, x)
                floats = x.astype(np.float32)
                check_exact(runtime, "reduce", params, wanted.astype(np.float32), floats)


def test_reduce_bool(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for outer, n, inner in [*SHAPES, (2, 0, 3)]:
        x = rng.random((outer, n, inner)) < 0.5
        params = {"outer": outer, "n": n, "inner": inner}
        check_exact(runtime, "reduce", {**params, "kind": "any"}, x.any(1), x)
        check_exact(runtime, "reduce", {**params, "kind": "all"}, x.all(1), x)


def test_reduce_nothing_and_nan(runtime: NodeRuntime) -> None:
    lowest, highest = -(2**31), 2**31 - 1
    for kind, number, integer in (
        ("sum", 0, 0),
        ("prod", 1, 1),
        ("max", -np.inf, lowest),
        ("min", np.inf, highest),
    ):
        params = {"kind": kind, "outer": 2, "n": 0, "inner": 3}
        for dtype, value in ((np.float32, number), (np.int32, integer)):
            wanted = np.full((2, 3), value, dtype)
            check_exact(runtime, "reduce", params, wanted, np.zeros((2, 0, 3), dtype))
        for n, inner in ((5, 1), (77, 1), (9, 4), (40, 17)):
            x = np.ones((1, n, inner), np.float32)
            x[0, n // 2, inner // 2] = np.nan
            wanted = np.ones((1, inner), np.float32)
            wanted[0, inner // 2] = np.nan
            params = {"kind": kind, "outer": 1, "n": n, "inner": inner}
            got = run(runtime, "reduce", params, wanted, x)
            np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))


@pytest.mark.parametrize("inner", [1, 3, 4])
def test_long_sums_are_accurate(inner: int, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    x = rng.uniform(0, 1, (1, 1_000_003, inner)).astype(np.float32)
    wanted = x.astype(np.float64).sum(1)
    params = {"kind": "sum", "outer": 1, "n": x.shape[1], "inner": inner}
    got = run(runtime, "reduce", params, wanted.astype(np.float32), x)
    np.testing.assert_allclose(got, wanted, 1e-6)


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_arg_reduce(kind: str, dtype: Any, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for outer, n, inner in [*SHAPES, (2, 1003, 1), (1, 50, 130)]:
        x = rng.integers(-5, 5, (outer, n, inner)).astype(dtype)
        wanted = (x.argmax(1) if kind == "max" else x.argmin(1)).astype(np.int32)
        params = {"kind": kind, "outer": outer, "n": n, "inner": inner}
        check_exact(runtime, "arg_reduce", params, wanted, x)


MATRICES = [(1, 1, 1), (1, 7, 5), (1, 300, 65), (4, 9, 33), (5, 3, 2), (7, 1030, 17), (8, 2, 9)]
MATRICES += [
    (9, 8, 8),
    (65, 513, 13),
    (33, 5, 1),
    (70, 1100, 1034),
    (3, 0, 4),
    (1, 9, 1),
    (12, 64, 3),
]


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_matmul(
    transpose_a: bool, transpose_b: bool, dtype: Any, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    for m, k, n in MATRICES:
        for batch, shared in ((1, False), (3, False), (3, True)):
            a = values(rng, (batch, k, m) if transpose_a else (batch, m, k), dtype)
            b = values(rng, (batch, n, k) if transpose_b else (batch, k, n), dtype)[
                : 1 if shared else batch
            ]
            # Exact in float64, in which NumPy's products are fast.
            left = (a.swapaxes(1, 2) if transpose_a else a).astype(np.float64)
            right = (b.swapaxes(1, 2) if transpose_b else b).astype(np.float64)
            params = {
                **{"batch": batch, "m": m, "n": n, "k": k},
                **{"a_batch_stride": m * k, "b_batch_stride": 0 if shared else n * k},
                "transpose_a": str(transpose_a).lower(),
                "transpose_b": str(transpose_b).lower(),
            }
            check_exact(runtime, "matmul", params, (left @ right).astype(dtype), a, b)


BROADCASTS: list[tuple[tuple[int, ...], ...]] = [
    ((1000,), (1000,)),
    ((7, 3), (3,)),
    ((100, 127), (127,)),
    ((100, 129), (129,)),
    ((3, 1001), (3, 1)),
    ((40, 10), (40, 1)),
    ((5, 6, 7), (6, 1)),
    ((4, 5, 6, 7), (5, 1, 7)),
    ((2, 300, 3), (2, 1, 3)),
    ((9, 1), (1, 700)),
    ((6,), ()),
    ((2, 1, 3, 1, 2, 1, 2), (1, 4, 1, 5, 1, 3, 1)),
    ((0, 4), (4,)),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", BROADCASTS, ids=str)
def test_broadcast(
    shapes: tuple[tuple[int, ...], ...], dtype: Any, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    for pair in (shapes, shapes[::-1]):
        a, b = (values(rng, s, dtype) for s in pair)
        x, y = inputs_of([a, b])
        if dtype is np.bool_:
            np.testing.assert_array_equal(run_expression(runtime, x ^ y, a, b), a ^ b)
        else:
            np.testing.assert_array_equal(run_expression(runtime, x - y, a, b), a - b)
        np.testing.assert_array_equal(run_expression(runtime, x < y, a, b), a < b)


def test_index_and_many_registers(runtime: NodeRuntime) -> None:
    x = np.ones((3, 700), np.float32)
    value = ex.input_(0, ex.F)
    flat = np.arange(x.size, dtype=np.int32).reshape(x.shape)
    np.testing.assert_array_equal(run_expression(runtime, ex.index(), x), flat)
    terms = [ex.unary("sin", value * float(i)) for i in range(60)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    total = total * terms[0] + terms[59]
    sines = [math.sin(i) for i in range(60)]
    wanted = sum(sines) * sines[0] + sines[59]
    np.testing.assert_allclose(run_expression(runtime, total, x), wanted, 1e-5)
