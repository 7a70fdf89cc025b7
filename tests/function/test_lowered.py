"""Text of Graphs and Programs."""

from __future__ import annotations

import numpy as np
from passes.sketch import Sketch

import tfpy as tf
from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.passes.pipeline import optimize
from tfpy._src.functions.tf_function.text import as_text


def test_graph_and_program() -> None:
    s = Sketch((4, 3), (3, 2), (2,))
    product = s("matmul", 0, 1, transpose_a=False, transpose_b=False)
    graph = s.returns(s("reshape", s("relu", s("add", product, 2)), shape=(8,)))
    optimized = optimize(graph, WasmTarget())
    program = wasm.lower(optimized)
    assert as_text(graph, optimized, program).splitlines() == [
        "# 4 equations: 1 matmul, 1 add, 1 relu, 1 reshape",
        *str(graph).splitlines(),
        "",
        "# 2 equations: 1 epilogue(matmul add relu), 1 reshape",
        "graph(%0:float32[4,3], %1:float32[3,2], %2:float32[2])",
        "  %3:float32[4,2] = fusion(%0, %1, %2) kind=epilogue",
        "    body graph(%0:float32[4,3], %1:float32[3,2], %3:float32[2])",
        "      %2:float32[4,2] = matmul(%0, %1) transpose_a=False transpose_b=False",
        "      %4:float32[4,2] = add(%2, %3)",
        "      %5:float32[4,2] = relu(%4)",
        "      return %5",
        "  %4:float32[8] = reshape(%3) shape=(8,)",
        "  return %4",
        "",
        "# 1 step: 1 matmul; constants of 0 bytes",
        *str(program).splitlines(),
    ]


def test_constants_and_many_inputs() -> None:
    s = Sketch(*[(100, 100)] * 6)
    graph = s.returns(s("add", s("add", 0, 0.5), np.ones(100, np.float32)))
    assert as_text(graph).splitlines() == [
        "# 2 equations: 2 add",
        "graph(",
        *(f"    %{i}:float32[100,100]," for i in range(5)),
        "    %5:float32[100,100])",
        "  %6:float32[] = constant 0.5",
        "  %8:float32[100] = constant",
        "  %7:float32[100,100] = add(%0, %6)",
        "  %9:float32[100,100] = add(%7, %8)",
        "  return %9",
    ]


def test_graphs_within_equations() -> None:
    def halved_or_doubled(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x > 0.0, lambda: x * 0.5, lambda: x * 2.0)

    graph = tf.function(halved_or_doubled).get_concrete_function(tf.constant(1.0)).traced.graph
    text = [line.rstrip() for line in as_text(graph).splitlines()]
    assert text[0] == "# 2 equations: 1 greater, 1 cond"
    assert "    branches[0] graph(%0:float32[])" in text
    assert "      %2:float32[] = multiply(%0, %1)" in text
    assert "    branches[1] graph(%0:float32[])" in text
