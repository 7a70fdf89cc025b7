"""Reshapes move after elementwise equations and reductions."""

from __future__ import annotations

from typing import Any

import pytest
from passes.sketch import Sketch, becomes, check, lines

from tfpy._src.compiler.passes.movement import simplify_movement
from tfpy._src.compiler.passes.reshapes import sink_reshapes


def test_biases_follow_products() -> None:
    s = Sketch((20, 32), (32,), (2, 10, 32))
    x = s("reshape", s("exp", 0), shape=(2, 10, 32))
    graph = s.returns(s("add", 2, s("relu", s("multiply", s("add", x, 1), 0.5))))
    becomes(
        graph,
        sink_reshapes,
        "%4:float32[20,32] = exp(%0)",
        "%5:float32[20,32] = add(%4, %1)",
        "%6:float32[20,32] = multiply(%5, %3)",
        "%7:float32[20,32] = relu(%6)",
        "%8:float32[20,32] = reshape(%2) shape=(20, 32)",
        "%9:float32[20,32] = add(%8, %7)",
        "%10:float32[2,10,32] = reshape(%9) shape=(2, 10, 32)",
        "return %10",
    )


@pytest.mark.parametrize(
    ("source", "shape", "operand", "sinks"),
    [
        ((6, 4), (2, 3, 4), (2, 3, 1), True),
        ((6, 4), (2, 3, 4), (3, 1), False),
        ((6, 4), (2, 3, 4), (1, 1, 1), True),
        ((6, 4), (2, 3, 4), (2, 1, 4), False),
        ((24,), (2, 3, 4), (4,), False),
        ((24,), (2, 3, 4), (), True),
        ((4, 6), (2, 2, 6), (6,), True),
        ((4, 6), (2, 2, 3, 2), (3, 2), True),
        ((4, 6), (2, 2, 3, 2), (2,), False),
        ((6, 4), (6, 1, 4), (4,), True),
        ((6, 4), (6, 1, 4), (6, 1, 1), True),
        ((6,), (6, 1), (6, 1), True),
        ((2, 6), (3, 2, 2), (3, 1, 1), False),
        ((2, 3, 4), (6, 4), (4,), False),
        ((8, 3), (4, 6), (), False),
    ],
)
def test_operands_that_broadcast(source: Any, shape: Any, operand: Any, sinks: bool) -> None:
    s = Sketch(source, operand)
    graph = s.returns(s("subtract", s("reshape", 0, shape=shape), 1))
    result = check(graph, sink_reshapes)
    assert (lines(result) == lines(graph)) == (not sinks)
    assert lines(check(result, sink_reshapes)) == lines(result)


def test_what_makes_the_output_larger_stays() -> None:
    s = Sketch((6, 4), (5, 2, 3, 4))
    graph = s.returns(s("add", s("reshape", 0, shape=(2, 3, 4)), 1))
    assert lines(check(graph, sink_reshapes)) == lines(graph)


@pytest.mark.parametrize(
    ("source", "shape", "axes", "left"),
    [
        ((6, 4), (2, 3, 4), (2, 3), (1, 2)),
        ((6, 4), (2, 3, 4), (0, 2), (0, 1)),
        ((6, 4), (2, 3, 4), (0, 3), (0, 2)),
        ((6, 4), (2, 3, 4), (0, 1), None),
        ((6, 4), (2, 3, 4), (1, 3), None),
        ((6, 4), (6, 1, 4), (1, 3), (1, 2)),
        ((6, 4), (6, 1, 4), (1, 2), None),
        ((24,), (2, 3, 4), (2, 3), None),
    ],
)
def test_reductions(source: Any, shape: Any, axes: Any, left: Any) -> None:
    s = Sketch(source)
    graph = s.returns(s("reduce_max", s("reshape", 0, shape=shape), axes=axes))
    result = check(graph, sink_reshapes)
    if left is None:
        assert lines(result) == lines(graph)
    else:
        assert dict(result.eqns[0].attrs) == {"axes": left}


def test_rows_are_normalized_without_reshapes() -> None:
    s = Sketch((6, 4))
    x = s("reshape", 0, shape=(2, 3, 4))
    largest = s("reshape", s("reduce_max", x, axes=(2, 3)), shape=(2, 3, 1))
    graph = s.returns(s("exp", s("subtract", x, largest)))
    becomes(
        graph,
        lambda g: simplify_movement(sink_reshapes(g)),
        "%1:float32[6] = reduce_max(%0) axes=(1, 2)",
        "%2:float32[6,1] = reshape(%1) shape=(6, 1)",
        "%3:float32[6,4] = subtract(%0, %2)",
        "%4:float32[6,4] = exp(%3)",
        "%5:float32[2,3,4] = reshape(%4) shape=(2, 3, 4)",
        "return %5",
    )
