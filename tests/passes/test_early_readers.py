"""Equations that free memory, directly after their operands."""

from __future__ import annotations

from passes.sketch import Sketch, becomes, check

from tfpy._src.compiler.lower import wasm
from tfpy._src.compiler.passes.early_readers import read_early

PLAIN = {"transpose_a": False, "transpose_b": False}


def test_example() -> None:
    s = Sketch((4, 9), (9, 64), (64, 4))
    first = s("matmul", 0, 1, **PLAIN)
    second = s("sin", s("matmul", 0, 1, **PLAIN))
    graph = s.returns(s("matmul", first, 2, **PLAIN), s("matmul", second, 2, **PLAIN))
    becomes(
        graph,
        read_early,
        "%3:float32[4,64] = matmul(%0, %1) transpose_a=False transpose_b=False",
        "%6:float32[4,4] = matmul(%3, %2) transpose_a=False transpose_b=False",
        "%4:float32[4,64] = matmul(%0, %1) transpose_a=False transpose_b=False",
        "%5:float32[4,64] = sin(%4)",
        "%7:float32[4,4] = matmul(%5, %2) transpose_a=False transpose_b=False",
        "return %6, %7",
    )


def test_chains_of_readers_need_less_memory() -> None:
    s = Sketch((64, 64))
    values = [s("matmul", 0, 0, **PLAIN) for _ in range(8)]
    sums = [s("negative", s("reduce_sum", value, axes=(1, 2))) for value in values]
    graph = s.returns(*(s("reduce_max", one, axes=(0, 1)) for one in sums))
    after = check(graph, read_early)
    before, less = wasm.lower(graph).arena, wasm.lower(after).arena
    assert before is not None
    assert less is not None
    assert 4 * less.nbytes < before.nbytes


def test_values_that_others_read_later() -> None:
    """Check that an equation stays if its operand is read later, also in another shape."""
    s = Sketch((4, 9), (9, 64), (64, 4))
    first = s("matmul", 0, 1, **PLAIN)
    flat = s("reshape", first, shape=(256,))
    second = s("matmul", 0, 1, **PLAIN)
    product = s("matmul", first, 2, **PLAIN)
    graph = s.returns(product, s("sin", flat), second)
    assert read_early(graph) is graph


def test_results_that_are_larger() -> None:
    s = Sketch((4, 9), (4, 64))
    first = s("sin", 0)
    second = s("sin", 1)
    graph = s.returns(s("matmul", first, 0, transpose_a=True, transpose_b=False), second)
    assert read_early(graph) is graph


def test_inputs_are_not_freed() -> None:
    s = Sketch((4, 64), (4, 64))
    made = s("sin", 1)
    graph = s.returns(s("reduce_sum", 0, axes=(0, 1)), made)
    assert read_early(graph) is graph
