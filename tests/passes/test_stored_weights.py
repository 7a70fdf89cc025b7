"""Products with int8 and int4 weights that stay as they are stored."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest
from passes.sketch import Array, Sketch, lines

from tfpy._src.base.dtypes import float32, int8, int32
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.program import verify as verify_program
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.passes.halves import find_halves
from tfpy._src.compiler.passes.stored_weights import multiply_stored_weights

PLAIN = {"transpose_a": False, "transpose_b": False}
TURN = {"perm": (1, 0)}
ROWS = {"axis": 0, "batch_dims": 0}


def arrays(graph: Graph) -> list[Array]:
    rng = np.random.default_rng(0)
    dtypes = {int8: np.int8, int32: np.int32, float32: np.float32}
    draws = {int8: (-128, 128), int32: (0, 2), float32: (-5, 6)}
    avals = [graph.avals[v] for v in graph.inputs]
    return [rng.integers(*draws[a.dtype], a.shape).astype(dtypes[a.dtype]) for a in avals]


def stored(graph: Graph, weights: Collection[int] = ()) -> Graph:
    """Return the Graph after the pass, and check that its results are the same."""
    result = multiply_stored_weights(graph, WasmTarget(), weights)
    verify(result)
    given = arrays(graph)
    for before, after in zip(evaluate(graph, given), evaluate(result, given), strict=True):
        assert before.dtype == after.dtype
        np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-6)
    return result


def names(graph: Graph) -> list[str]:
    return [eqn.op.name for eqn in graph.eqns]


def unpacked(s: Sketch, packed: int, length: int, axis: int = 1) -> int:
    """Add the equations with which Keras unpacks numbers of four bits."""
    number = s.graph.avals
    turned = s("transpose", packed, **TURN) if axis else packed
    rows, columns = number[turned].shape
    low = s("bitwise_and", turned, np.int8(15))
    high = s("bitwise_and", s("right_shift", turned, np.int8(4)), np.int8(15))
    halves = []
    for half in (low, high):
        signed = s("subtract", s("bitwise_xor", half, np.int8(8)), np.int8(8))
        halves.append(s("reshape", signed, shape=(rows, 1, columns)))
    found = s("reshape", s("concat", *halves, axis=1), shape=(2 * rows, columns))
    if length < 2 * rows:
        window = {"begin": (0, 0), "size": (length, columns), "strides": (1, 1)}
        found = s("strided_slice", found, **window)
    found = s("reshape", found, shape=(length, columns))
    return s("transpose", found, **TURN) if axis else found


def test_example() -> None:
    s = Sketch(((8, 64), int8), ((64, 96), int8))
    y = s("matmul", s("cast", 0, dtype=int32), s("cast", 1, dtype=int32), **PLAIN)
    assert lines(stored(s.returns(y))) == [
        "%2:int32[8,64] = cast(%0) dtype=<dtype: 'int32'>",
        "%3:int32[8,96] = multiply_stored(%2, %1) shape=(64, 96) transpose_b=False bits=8",
        "return %3",
    ]


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("dtype", [int32, float32])
def test_orders_of_weights(dtype: Any, transpose_b: bool) -> None:
    """Test a matrix, its transpose, a matrix with more dimensions, and other orders."""
    x = ((5, 12), int8 if dtype is int32 else float32)
    s = Sketch(x, ((12, 6), int8), ((6, 12), int8), ((12, 2, 3), int8), ((2, 12, 3), int8))
    rows = s("cast", 0, dtype=int32) if dtype is int32 else 0
    turned = s("transpose", 4, perm=(1, 0, 2))
    outputs = []
    for w in (1, s("transpose", 2, **TURN), 3, turned):
        w = s("cast", s("reshape", w, shape=(12, 6)), dtype=dtype)
        w = s("transpose", w, **TURN) if transpose_b else w
        outputs.append(s("matmul", rows, w, transpose_a=False, transpose_b=transpose_b))
    graph = stored(s.returns(*outputs), (1, 2, 3, 4))
    assert [eqn.op.name for eqn in graph.eqns].count("multiply_stored") == 4
    assert "matmul" not in names(graph)
    assert names(stored(s.returns(outputs[3]))).count("matmul") == 1, "is not computed once"


@pytest.mark.parametrize(("length", "axis"), [(8, 1), (7, 1), (8, 0), (7, 0)])
def test_halves(length: int, axis: int) -> None:
    s = Sketch(((6, 4) if axis else (4, 6), int8))
    graph = s.returns(unpacked(s, 0, length, axis))
    result = find_halves(graph)
    verify(result)
    assert names(result) == ["unpack_halves"]
    given = arrays(graph)
    np.testing.assert_array_equal(evaluate(result, given), evaluate(graph, given))


@pytest.mark.parametrize("number", [15, 4, 8])
def test_other_numbers_are_no_halves(number: int) -> None:
    s = Sketch(((4, 6), int8))
    graph = s.returns(unpacked(s, 0, 8, 0))
    changed = next(v for v, array in graph.constants.items() if array == number)
    graph.constants[changed] = np.array(3, np.int8)
    assert "unpack_halves" not in names(find_halves(graph))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("scaling", ["none", "columns", "groups"])
def test_int4_with_scales(scaling: str, turned: bool) -> None:
    k, n = 12, 7
    packed = ((7, 6) if turned else (12, 4), int8)
    scales = {"none": (), "columns": ((n,),), "groups": ((3, n), ((3, n), int8), ((k,), int32))}
    s = Sketch((5, k), packed, *scales[scaling])
    numbers = unpacked(s, 1, k if turned else n)
    w = s("cast", s("transpose", numbers, **TURN) if turned else numbers, dtype=float32)
    if scaling == "columns":
        w = s("real_div", w, s("add", 2, 20.0))
    elif scaling == "groups":
        zero = s("cast", s("gather", 3, 4, **ROWS), dtype=float32)
        w = s("multiply", s("subtract", w, zero), s("gather", 2, 4, **ROWS))
    w = s("reshape", s("reshape", w, shape=(3, 4, n)), shape=(k, n))
    graph = stored(s.returns(s("matmul", 0, w, **PLAIN)))
    after = {"none": [], "columns": ["add", "real_div"], "groups": []}[scaling]
    assert sorted(names(graph)) == sorted(["multiply_stored", *after])
    for lower in (wasm.lower, webgpu.lower):
        verify_program(lower(graph))


@pytest.mark.parametrize("bits", [8, 4])
def test_rows(bits: int) -> None:
    s = Sketch(((9, 6), int8), ((2, 3), int32))
    x = 0 if bits == 8 else unpacked(s, 0, 11)
    y = s("cast", s("gather", x, 1, **ROWS), dtype=float32)
    assert names(stored(s.returns(y))) == ["gather_stored", "cast", "cast"]


KEPT: dict[str, Any] = {
    "integers that are not bytes": (((5, 12), int32), ((12, 6), int8), int32),
    "weights that are not bytes": ((5, 12), ((12, 6), int32), float32),
    "several matrices": ((2, 5, 12), ((2, 12, 6), int8), float32),
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    x, w, dtype = KEPT[name]
    s = Sketch(x, w)
    graph = s.returns(s("matmul", 0, s("cast", 1, dtype=dtype), **PLAIN))
    assert "multiply_stored" not in names(stored(graph))


@pytest.mark.parametrize("target", [WasmTarget(), webgpu.WebGPUTarget()])
def test_targets_with_the_kernel(target: Any) -> None:
    s = Sketch(((5, 12), int8), ((12, 6), int8), (5, 12))
    whole = s("matmul", s("cast", 0, dtype=int32), s("cast", 1, dtype=int32), **PLAIN)
    floats = s("matmul", 2, s("cast", 1, dtype=float32), **PLAIN)
    graph = s.returns(whole, floats)
    found = names(multiply_stored_weights(graph, target, ()))
    assert sorted(found) == ["cast", "multiply_stored", "multiply_stored"]


@pytest.mark.parametrize("target", [NumpyTarget(), webgl.WebGLTarget()])
def test_targets_without_the_kernel(target: Any) -> None:
    s = Sketch((5, 12), ((12, 6), int8))
    graph = s.returns(s("matmul", 0, s("cast", 1, dtype=float32), **PLAIN))
    assert multiply_stored_weights(graph, target, ()) is graph
