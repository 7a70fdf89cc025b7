"""Reductions of reductions."""

from __future__ import annotations

import numpy as np
import pytest
from passes.sketch import Sketch, lines

from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.passes.reductions import merge_reductions


def merged(graph: Graph) -> list[str]:
    """Return the Graph's lines after the pass, which must keep the values."""
    result = merge_reductions(graph)
    verify(result)
    rng = np.random.default_rng(2)
    given = [rng.normal(size=graph.avals[i].shape).astype(np.float32) for i in graph.inputs]
    expected, found = evaluate(graph, given), evaluate(result, given)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5, atol=1e-6)
    return lines(result)


@pytest.mark.parametrize(
    ("inner", "outer", "axes"),
    [
        ((1, 2), (0, 1), (0, 2)),
        ((1, 2), (1, 2), (1, 3)),
        ((1, 2), (0, 2), (0, 3)),
        ((0, 2), (0, 1), (0, 3)),
        ((2, 4), (1, 2), (1, 4)),
    ],
)
@pytest.mark.parametrize("op", ["reduce_sum", "reduce_max", "reduce_prod"])
def test_neighboring_axes(
    op: str, inner: tuple[int, int], outer: tuple[int, int], axes: tuple[int, int]
) -> None:
    s = Sketch((2, 3, 4, 5))
    graph = s.returns(s(op, s(op, 0, axes=inner), axes=outer))
    assert len(merged(graph)) == 2
    assert f"{op}(%0) axes={axes}" in merged(graph)[0]


def test_the_sign_of_a_sum() -> None:
    s = Sketch((8, 4))
    rows = s("negative", s("reduce_sum", 0, axes=(1, 2)))
    once = merge_reductions(s.returns(s("reduce_sum", rows, axes=(0, 1))))
    assert merged(once) == [
        "%1:float32[] = reduce_sum(%0) axes=(0, 2)",
        "%2:float32[] = negative(%1)",
        "return %2",
    ]


def test_the_sign_of_a_sum_without_negative_zeros() -> None:
    s = Sketch((8, 4))
    rows = s("subtract", 0.0, s("reduce_sum", 0, axes=(1, 2)))
    once = merge_reductions(s.returns(s("reduce_sum", rows, axes=(0, 1))))
    assert merged(once) == [
        "%2:float32[] = reduce_sum(%0) axes=(0, 2)",
        "%3:float32[] = subtract(%1, %2)",
        "return %3",
    ]


def test_kept_apart() -> None:
    for zero in (1.0, np.zeros((2,), np.float32)):
        s = Sketch((2, 3))
        rows = s("subtract", zero, s("reduce_sum", 0, axes=(1, 2)))
        assert len(merged(s.returns(s("reduce_sum", rows, axes=(0, 1))))) == 4
    s = Sketch((2, 3, 4))
    far = s("reduce_sum", s("reduce_sum", 0, axes=(2, 3)), axes=(0, 1))
    assert len(merged(s.returns(far))) == 3
    s = Sketch((2, 3))
    other = s("reduce_sum", s("reduce_max", 0, axes=(1, 2)), axes=(0, 1))
    assert len(merged(s.returns(other))) == 3
    s = Sketch((2, 3))
    rows = s("reduce_sum", 0, axes=(1, 2))
    assert len(merged(s.returns(s("reduce_sum", rows, axes=(0, 1)), rows))) == 3
