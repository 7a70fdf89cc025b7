"""Transposes: absorbed into matrix products, and moved to where they cancel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from passes.sketch import Sketch, becomes, check, lines

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.passes.movement import simplify_movement
from tfpy._src.compiler.passes.transposes import absorb_transposes, sink_transposes


def finite(graph: Graph, function: Any) -> Graph:
    """Check the pass with small integers, so that sums are exact in any order."""
    rng = np.random.default_rng(1)
    shapes = [graph.avals[i].shape for i in graph.inputs]
    inputs = [rng.integers(-4, 5, n).astype(np.float32) for n in shapes]
    return check(graph, function, inputs=inputs)


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
def test_transposes_become_flags(flags: tuple[bool, bool]) -> None:
    s = Sketch((3, 3), (3, 3))
    a, b = (s("transpose", x, perm=(1, 0)) for x in (0, 1))
    graph = s.returns(s("matmul", a, b, transpose_a=flags[0], transpose_b=flags[1]))
    result = finite(graph, absorb_transposes)
    assert lines(result) == [
        f"%2:float32[3,3] = matmul(%0, %1) transpose_a={not flags[0]} transpose_b={not flags[1]}",
        "return %2",
    ]


def test_transposed_products() -> None:
    s = Sketch((2, 3, 4), (2, 5, 4))
    product = s("matmul", 0, 1, transpose_a=False, transpose_b=True)
    result = finite(s.returns(s("transpose", product, perm=(0, 2, 1))), absorb_transposes)
    assert lines(result) == [
        "%2:float32[2,5,3] = matmul(%1, %0) transpose_a=False transpose_b=True",
        "return %2",
    ]


def test_a_product_that_is_read_twice_is_made_once() -> None:
    s = Sketch((3, 4), (4, 5))
    product = s("matmul", 0, 1, transpose_a=False, transpose_b=False)
    graph = s.returns(s("transpose", product, perm=(1, 0)), product)
    assert lines(absorb_transposes(graph)) == lines(graph)


def test_attention_keys_are_copied_by_rows() -> None:
    s = Sketch((2, 5, 3, 4), (2, 5, 3, 4))
    queries = s("transpose", 0, perm=(0, 2, 1, 3))
    keys = s("transpose", 1, perm=(0, 2, 3, 1))
    graph = s.returns(s("matmul", queries, keys, transpose_a=False, transpose_b=False))
    assert lines(finite(graph, absorb_transposes)) == [
        "%2:float32[2,3,5,4] = transpose(%0) perm=(0, 2, 1, 3)",
        "%3:float32[2,3,5,4] = transpose(%1) perm=(0, 2, 1, 3)",
        "%4:float32[2,3,5,5] = matmul(%2, %3) transpose_a=False transpose_b=True",
        "return %4",
    ]


def test_transposes_sink_through_elementwise_ops() -> None:
    s = Sketch((2, 8, 8, 3), (2, 8, 8, 3), (3, 1, 1))
    x, y = (s("transpose", v, perm=(0, 3, 1, 2)) for v in (0, 1))
    total = s("relu", s("add", s("multiply", s("add", x, y), 2), 0.5))
    becomes(
        s.returns(total),
        sink_transposes,
        "%4:float32[2,8,8,3] = add(%0, %1)",
        "%5:float32[1,1,1,3] = reshape(%2) shape=(1, 1, 1, 3)",
        "%6:float32[2,8,8,3] = multiply(%4, %5)",
        "%7:float32[2,8,8,3] = add(%6, %3)",
        "%8:float32[2,8,8,3] = relu(%7)",
        "%9:float32[2,3,8,8] = transpose(%8) perm=(0, 3, 1, 2)",
        "return %9",
    )


@pytest.mark.parametrize("kind", ["read twice", "other operand", "other perm", "broadcast"])
def test_transposes_that_stay(kind: str) -> None:
    s = Sketch((3, 3), (3, 3), (2, 3, 3))
    x = s("transpose", 0, perm=(1, 0))
    if kind == "read twice":
        graph = s.returns(s("relu", x), x)
    elif kind == "other operand":
        graph = s.returns(s("add", x, 1))
    elif kind == "other perm":
        graph = s.returns(s("add", x, s("transpose", 1, perm=(0, 1))))
    else:
        graph = s.returns(s("add", x, 2))
    assert lines(check(graph, sink_transposes)) == lines(graph)


PERM = (2, 0, 1)


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("pad", {"padding": ((1, 0), (0, 2), (3, 0)), "interior": (0, 1, 0), "value": 1}),
        ("strided_slice", {"begin": (1, 0, 2), "size": (2, 1, 2), "strides": (1, 1, -1)}),
        ("concat", {"axis": 0}),
        ("concat", {"axis": 1}),
        ("concat", {"axis": 2}),
    ],
)
def test_transposes_sink_through_movement(op: str, attrs: dict[str, Any]) -> None:
    s = Sketch((2, 3, 4), (2, 3, 4))
    x = s("transpose", 0, perm=PERM)
    y = s("transpose", 1, perm=PERM)
    operands = (x, y) if op == "concat" else (x,)
    result = check(s.returns(s(op, *operands, **attrs)), sink_transposes)
    assert [eqn.op.name for eqn in result.eqns] == [op, "transpose"]


def test_pieces_transposed_in_different_ways_stay() -> None:
    s = Sketch((2, 2), (2, 2))
    x = s("transpose", 0, perm=(1, 0))
    graph = s.returns(s("concat", x, 1, axis=0))
    assert lines(check(graph, sink_transposes)) == lines(graph)


@pytest.mark.parametrize(
    ("perm", "axes", "left"),
    [
        ((0, 3, 1, 2), (2, 4), ["reduce_max"]),
        ((0, 3, 1, 2), (1, 2), ["reduce_max"]),
        ((3, 0, 1, 2), (2, 3), ["reduce_max", "transpose"]),
        ((0, 3, 2, 1), (2, 4), ["reduce_max"]),
        ((0, 3, 1, 2), (1, 3), ["transpose", "reduce_max"]),
        ((1, 0, 2, 3), (3, 3), ["transpose", "reduce_max"]),
    ],
)
def test_reductions_do_without(perm: Any, axes: Any, left: list[str]) -> None:
    s = Sketch((2, 3, 4, 5))
    graph = s.returns(s("reduce_max", s("transpose", 0, perm=perm), axes=axes))
    result = check(graph, sink_transposes)
    assert [eqn.op.name for eqn in result.eqns] == left


def test_channels_first_images_stay_as_devices_want_them() -> None:
    s = Sketch((1, 8, 8, 3), (3, 3, 3, 4), (3, 3, 4, 4), (4, 1, 1))
    window: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}

    def conv(x: int, filter_: int) -> int:
        channels_last = s("transpose", x, perm=(0, 2, 3, 1))
        return s("transpose", s("conv2d", channels_last, filter_, **window), perm=(0, 3, 1, 2))

    first = s("transpose", 0, perm=(0, 3, 1, 2))
    hidden = s("relu", s("add", conv(first, 1), 3))
    total = s("add", conv(hidden, 2), hidden)
    graph = s.returns(s("reduce_max", total, axes=(2, 4)))
    rounds = (simplify_movement, sink_transposes) * 3
    result = check(
        graph, *rounds, inputs=[np.ones(graph.avals[i].shape, np.float32) for i in range(4)]
    )
    names = [eqn.op.name for eqn in result.eqns]
    assert names == ["conv2d", "reshape", "add", "relu", "conv2d", "add", "reduce_max"]
