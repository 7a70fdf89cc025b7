"""The evaluator releases and reuses memory, which does not affect its results."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from passes.sketch import Sketch, assert_same_bits, draw_inputs, random_graph

from tfpy._src.compiler.ir.evaluate import Evaluator, evaluate
from tfpy._src.compiler.ir.graph import Graph

COUNT = 1 << 18


def peak_bytes(graph: Graph, *inputs: Any) -> int:
    """Return the memory that evaluation needs in addition to the inputs."""
    run = Evaluator(graph)
    tracemalloc.start()
    try:
        run(inputs)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("ops", "arrays"), [(("sin", "sqrt"), 1), (("relu", "sigmoid"), 4)])
def test_a_chain_needs_few_arrays(ops: tuple[str, str], arrays: int) -> None:
    s = Sketch((COUNT,))
    x = 0
    for _ in range(20):
        x = s(ops[1], s(ops[0], x))
    used = peak_bytes(s.returns(x), np.ones(COUNT, np.float32))
    assert used < (arrays + 0.5) * COUNT * 4


def test_inputs_constants_and_outputs_are_not_overwritten() -> None:
    s = Sketch((3,))
    number = s.constant(np.ones(3, np.float32))
    doubled = s("add", 0, 0)
    y = s("add", doubled, number)
    z = s("multiply", y, y)
    graph = s.returns(y, s("negative", z), s("add", number, 0))
    run = Evaluator(graph)
    x = np.arange(3, dtype=np.float32)
    for _ in range(2):
        first, second, third = run([x])
        assert first.tolist() == [1, 3, 5]
        assert second.tolist() == [-1, -9, -25]
        assert third.tolist() == [1, 2, 3]
    assert x.tolist() == [0, 1, 2]


def test_what_another_value_is_a_view_of_is_not_overwritten() -> None:
    s = Sketch((4,))
    e = s("negative", 0)
    square = s("reshape", e, shape=(2, 2))
    s("sin", e)
    total = s("add", s("reshape", s("abs", e), shape=(2, 2)), square)
    assert evaluate(s.returns(total), [np.array([1, -2, 3, -4], np.float32)])[0].tolist() == [
        [0, 4],
        [0, 8],
    ]


def test_random_graphs() -> None:
    for seed in range(60):
        graph = random_graph(seed)
        inputs = draw_inputs(graph, np.random.default_rng(seed))
        for expected, found in zip(one_by_one(graph, inputs), evaluate(graph, inputs), strict=True):
            assert_same_bits(expected, found)


def one_by_one(graph: Graph, inputs: list[Any]) -> list[Any]:
    """Return the outputs of an evaluation that keeps every value."""
    values = dict(graph.constants) | dict(zip(graph.inputs, inputs, strict=True))
    for eqn in graph.eqns:
        part = Graph(graph.avals, list(dict.fromkeys(eqn.inputs)), {}, [eqn], list(eqn.outputs))
        (values[eqn.outputs[0]],) = evaluate(part, [values[v].copy() for v in part.inputs])
    return [values[v] for v in graph.outputs]
