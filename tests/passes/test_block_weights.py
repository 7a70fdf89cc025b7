"""Products with weights in block formats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from blocks import random_weights
from passes.sketch import Sketch, lines

from tfpy._src.base.dtypes import float32, int8, int32
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.ops.block_formats import ON_DEVICES, by_blocks, by_fields
from tfpy._src.compiler.passes.block_weights import multiply_block_weights
from tfpy._src.compiler.passes.pipeline import optimize_with_weights

N, K = 6, 64
FORM = {"form": "Q4_1", "shape": (N, K)}
BYTES, VALUES = random_weights("Q4_1", N, K)
TURN = {"perm": (1, 0)}
PLAIN = {"transpose_a": False, "transpose_b": False}


def sketch(*inputs: Any) -> tuple[Sketch, int]:
    """Return a Sketch with inputs, and the values of weights, the last input."""
    s = Sketch(*inputs, (BYTES.shape, int8))
    return s, s("dequantize_blocks", len(inputs), **FORM)


def rewritten(graph: Graph, rtol: float = 1e-5) -> Graph:
    """Return the Graph after the pass, and check that its results are the same."""
    result = multiply_block_weights(graph, WasmTarget())
    verify(result)
    rng = np.random.default_rng(1)
    given = [
        BYTES
        if graph.avals[v].dtype == int8
        else rng.integers(0, N, graph.avals[v].shape).astype(np.int32)
        if graph.avals[v].dtype == int32
        else rng.normal(size=graph.avals[v].shape).astype(np.float32)
        for v in graph.inputs
    ]
    for before, after in zip(evaluate(graph, given), evaluate(result, given), strict=True):
        np.testing.assert_allclose(after, before, rtol=rtol, atol=1e-4)
    return result


def names(graph: Graph) -> list[str]:
    return [eqn.op.name for eqn in graph.eqns]


def test_example() -> None:
    s, w = sketch((8, K))
    graph = s.returns(s("matmul", 0, s("transpose", w, **TURN), **PLAIN))
    assert lines(rewritten(graph)) == [
        "%2:float32[8,6] = multiply_blocks(%0, %1) form=Q4_1 shape=(6, 64) transpose_b=True",
        "return %2",
    ]
    assert multiply_block_weights(graph, NumpyTarget()) is graph


@pytest.mark.parametrize("transpose_b", [False, True])
def test_orders(transpose_b: bool) -> None:
    """Test weights that are moved as in the kernels of layers."""
    s, w = sketch((5, K), (5, N))
    heads = s("reshape", w, shape=(2, 3, K))
    rows = [  # kernels [k, n]
        s("transpose", w, **TURN),
        s("reshape", s("transpose", heads, perm=(2, 0, 1)), shape=(K, N)),
        s("transpose", s("reshape", heads, shape=(N, K)), **TURN),
        s("reshape", s("reshape", s("transpose", w, **TURN), shape=(K, 3, 2)), shape=(K, N)),
    ]
    columns = [w, s("reshape", s("transpose", heads, perm=(0, 1, 2)), shape=(N, K))]
    outputs = []
    for x, kernels in ((0, rows), (1, columns)):
        for kernel in kernels:
            turned = s("transpose", kernel, **TURN) if transpose_b else kernel
            outputs.append(s("matmul", x, turned, transpose_a=False, transpose_b=transpose_b))
    assert names(rewritten(s.returns(*outputs))) == ["multiply_blocks"] * 6


def test_other_orders_stay() -> None:
    s, w = sketch((5, K))
    mixed = s(
        "reshape",
        s("transpose", s("reshape", w, shape=(N, 2, 32)), perm=(1, 0, 2)),
        shape=(2 * N, 32),
    )
    outputs = [
        s("matmul", s("reshape", 0, shape=(10, 32)), s("transpose", mixed, **TURN), **PLAIN),
        s("matmul", 0, s("reshape", w, shape=(K, N)), **PLAIN),
    ]
    found = names(rewritten(s.returns(*outputs)))
    assert found.count("matmul") == 2
    assert "multiply_blocks" not in found


def test_sums() -> None:
    s, w = sketch((5, K), (K, 2), (2, N))
    low = s("matmul", 1, 2, **PLAIN)
    kernel = s("add", s("transpose", w, **TURN), low)
    outputs = [s("matmul", 0, kernel, **PLAIN)]
    outputs.append(s("matmul", outputs[0], s("transpose", kernel, **TURN), **PLAIN))
    found = names(rewritten(s.returns(*outputs), 1e-3))
    assert found.count("multiply_blocks") == 2
    assert "dequantize_blocks" not in found


def test_columns_in_another_order() -> None:
    """Test weights with reordered columns, as of GPTQ with `desc_act`."""
    s = Sketch((5, K), (5, N), (K, 2), (2, N), ((K,), int32), (BYTES.shape, int8))
    places = s("argsort", 4, k=K, descending=False)
    w = s("gather", s("dequantize_blocks", 5, **FORM), places, axis=1, batch_dims=0)
    kernel = s("transpose", w, **TURN)
    lora = s("add", kernel, s("matmul", 2, 3, **PLAIN))
    outputs = [
        s("matmul", 0, kernel, **PLAIN),
        s("matmul", 1, w, **PLAIN),
        s("matmul", 0, lora, **PLAIN),
    ]
    graph = s.returns(*outputs)
    result = multiply_block_weights(graph, WasmTarget())
    verify(result)
    assert names(result).count("multiply_blocks") == 3
    assert "dequantize_blocks" not in names(result)
    rng = np.random.default_rng(1)
    given: list[Any] = [
        rng.normal(size=graph.avals[v].shape).astype(np.float32) for v in graph.inputs[:4]
    ]
    given += [rng.permutation(K).astype(np.int32), BYTES]
    for before, after in zip(evaluate(graph, given), evaluate(result, given), strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("descends", [None, True])
def test_other_columns_stay(descends: bool | None) -> None:
    """Test columns that are not reordered by the inverse of an order."""
    s = Sketch((5, K), ((K,), int32), (BYTES.shape, int8))
    places = 1 if descends is None else s("argsort", 1, k=K, descending=descends)
    w = s("gather", s("dequantize_blocks", 2, **FORM), places, axis=1, batch_dims=0)
    graph = s.returns(s("matmul", 0, s("transpose", w, **TURN), **PLAIN))
    assert "multiply_blocks" not in names(multiply_block_weights(graph, WasmTarget()))


def test_rows() -> None:
    s, w = sketch(((2, 3), int32))
    graph = s.returns(s("gather", w, 0, axis=0, batch_dims=0))
    assert names(rewritten(graph)) == ["gather_blocks"]


def test_values_are_not_kept() -> None:
    """Test that the prelude does not compute the values of weights."""
    s, w = sketch((5, K))
    product = s("matmul", 0, s("transpose", s("exp", w), **TURN), **PLAIN)
    prelude, main = optimize_with_weights(s.returns(product), WasmTarget(), [1])
    assert not prelude.outputs
    assert "dequantize_blocks" in names(main)


@pytest.mark.parametrize("form", ON_DEVICES)
def test_order_of_fields(form: str) -> None:
    how = ON_DEVICES[form]
    data, values = random_weights(form, 4, 256)
    blocks = by_blocks(how, data, 1024 // how.size)
    np.testing.assert_array_equal(by_fields(how, blocks), data)
    assert how.decode is not None
    np.testing.assert_array_equal(how.decode(blocks).reshape(4, 256), values)
    assert values.dtype == float32.as_numpy_dtype
