"""Rebuilding of Graphs, and removal of dead code."""

from __future__ import annotations

import dataclasses

import numpy as np

from tfpy import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.rewrite import Builder, count_reads, rewrite

VECTOR = Aval((4,), dtypes.float32)


def lines(graph: Graph) -> list[str]:
    return [line.strip() for line in str(graph).splitlines()]


def test_dead_code() -> None:
    graph = Graph()
    x, _ = graph.add_input(VECTOR), graph.add_input(VECTOR)
    graph.add_constant(np.zeros(4, np.float32), VECTOR)
    unused = graph.add_eqn(OPS["exp"], [x], ())
    graph.add_eqn(OPS["sin"], [unused], ())
    graph.outputs = [graph.add_eqn(OPS["relu"], [x], ())]
    result = without_dead_code(graph)
    verify(result)
    assert lines(result) == [
        "graph(%0:float32[4], %1:float32[4])",
        "%2:float32[4] = relu(%0)",
        "return %2",
    ]


def test_stateful_equations_live() -> None:
    effect = dataclasses.replace(OPS["exp"], name="effect", stateful=True)
    graph = Graph()
    x = graph.add_input(VECTOR)
    doubled = graph.add_eqn(OPS["add"], [x, x], ())
    graph.add_eqn(effect, [doubled], ())
    graph.add_eqn(OPS["relu"], [doubled], ())
    graph.outputs = [x]
    assert rewrite(graph, lambda builder, eqn: 0 if eqn.op is effect else None) is graph
    result = without_dead_code(graph)
    assert lines(result)[1:] == [
        "%1:float32[4] = add(%0, %0)",
        "%2:float32[4] = effect(%1)",
        "return %0",
    ]


def test_a_rule_sees_rewritten_operands() -> None:
    graph = Graph()
    x = graph.add_input(VECTOR)
    e = graph.add_eqn(OPS["exp"], [x], ())
    graph.outputs = [graph.add_eqn(OPS["negative"], [e], ()), e]

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if eqn.op is OPS["exp"]:
            return builder.apply(OPS["sin"], *eqn.inputs)
        assert builder.producer(eqn.inputs[0], OPS["sin"]) is not None
        assert builder.producer(eqn.inputs[0], OPS["exp"]) is None
        assert not builder.read_once(eqn.inputs[0])
        return None

    assert lines(rewrite(graph, rule))[1:] == [
        "%1:float32[4] = sin(%0)",
        "%2:float32[4] = negative(%1)",
        "return %2, %1",
    ]


def test_reads() -> None:
    graph = Graph()
    x = graph.add_input(VECTOR)
    y = graph.add_eqn(OPS["multiply"], [x, x], ())
    graph.outputs = [y, x]
    assert count_reads(graph) == [3, 1]
