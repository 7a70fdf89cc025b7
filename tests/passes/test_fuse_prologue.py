"""Reductions that compute the elements of their operand while reading them."""

from __future__ import annotations

from passes.fusing import Builder, check_same, fused_body, kinds

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.lower.webgl import WebGLTarget, lower
from tfpy._src.compiler.passes.fuse.epilogue import fuse_epilogue
from tfpy._src.compiler.passes.fuse.prologue import fuse_prologue


def run(graph: Graph) -> Graph:
    after = fuse_prologue(graph, WebGLTarget())
    check_same(graph, after, [lower])
    return after


def test_a_sum_of_squares() -> None:
    b = Builder()
    x, mean = b.input(6, 24), b.input(6, 1)
    after = run(b.returns(b.op("reduce_sum", b.op("squared_difference", x, mean), axes=(1, 2))))
    assert kinds(after) == ["prologue(squared_difference reduce_sum)"]
    assert fused_body(after) == [
        "graph(%0:float32[6,24], %1:float32[6,1])",
        "%2:float32[6,24] = squared_difference(%0, %1)",
        "%3:float32[6] = reduce_sum(%2) axes=(1, 2)",
        "return %3",
    ]
    (step,) = lower(after).steps
    assert step.params["p1_strides"] == [1, 0]


def test_with_an_epilogue() -> None:
    b = Builder()
    total = b.op("reduce_sum", b.op("square", b.input(6, 24)), axes=(1, 2))
    graph = b.returns(b.op("sqrt", b.op("multiply", total, 1 / 24)))
    after = run(fuse_epilogue(graph, WebGLTarget()))
    assert kinds(after) == ["prologue(square epilogue(reduce_sum multiply sqrt))"]
    assert len(lower(after).steps) == 1


def test_long_sums_finish_in_their_last_step() -> None:
    b = Builder()
    total = b.op("reduce_sum", b.op("square", b.input(100000)), axes=(0, 1))
    after = run(fuse_epilogue(b.returns(b.op("sqrt", total)), WebGLTarget()))
    program = lower(after)
    sources = [program.kernels[step.kernel].source for step in program.steps]
    assert len(sources) > 1
    assert ["p_compute" in source for source in sources] == [True, *[False] * (len(sources) - 1)]
    assert ["finish(" in source for source in sources] == [*[False] * (len(sources) - 1), True]


def test_concat_reads_a_slice_where_it_lies() -> None:
    b = Builder()
    x = b.op("strided_slice", b.input(5, 3, 8), begin=(2, 0, 0), size=(1, 3, 8), strides=(1, 1, 1))
    x = b.op("reshape", x, shape=(3, 8))
    after = run(b.returns(b.op("concat", x, b.input(3, 4), axis=1)))
    assert kinds(after) == ["prologue(strided_slice reshape concat)"]
    (step,) = lower(after).steps
    assert step.params["p0_first"] == 48


def test_a_reshape_alone_needs_no_kernel() -> None:
    b = Builder()
    x = b.op("reshape", b.input(24), shape=(3, 8))
    graph = b.returns(b.op("concat", x, b.input(3, 4), axis=1))
    assert kinds(run(graph)) == ["reshape", "concat"]


def test_an_operand_that_others_read_stays() -> None:
    b = Builder()
    e = b.op("exp", b.input(6, 24))
    assert kinds(run(b.returns(b.op("reduce_sum", e, axes=(1, 2)), e))) == ["exp", "reduce_sum"]


def test_products_read_their_operands_too_often() -> None:
    b = Builder()
    e = b.op("exp", b.input(6, 4))
    graph = b.returns(b.op("matmul", e, b.input(4, 5), transpose_a=False, transpose_b=False))
    assert kinds(run(graph)) == ["exp", "matmul"]


def test_wasm_has_no_prologues() -> None:
    b = Builder()
    graph = b.returns(b.op("reduce_sum", b.op("exp", b.input(6, 4)), axes=(1, 2)))
    after = fuse_prologue(graph, WasmTarget())
    check_same(graph, after)
    assert kinds(after) == ["exp", "reduce_sum"]
