"""Passes that keep all bits, on random Graphs, alone and in sequence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from passes.sketch import Pass, check, random_graph

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.passes.algebra import simplify_algebra
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.constants import fold_constants
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.movement import simplify_movement
from tfpy._src.compiler.passes.padding import absorb_padding
from tfpy._src.compiler.passes.pipeline import simplify
from tfpy._src.compiler.passes.reshapes import sink_reshapes
from tfpy._src.compiler.passes.transposes import absorb_transposes, sink_transposes

EXACT = (
    without_dead_code,
    fold_constants,
    simplify_algebra,
    simplify_movement,
    merge_common_subexpressions,
    absorb_padding,
    absorb_transposes,
    sink_transposes,
    sink_reshapes,
)


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("function", EXACT, ids=lambda f: f.__name__)
@settings(max_examples=60)
@given(seed=SEEDS)
def test_alone(seed: int, function: Pass) -> None:
    check(random_graph(seed), function)


@settings(max_examples=120)
@given(seed=SEEDS)
def test_to_the_fixed_point(seed: int) -> None:
    graph = random_graph(seed)
    result = check(graph, simplify)
    assert _work(result) <= _work(graph)
    assert simplify(result).eqns == result.eqns


def _work(graph: Graph) -> int:
    """Return the number of equations that take time on a device."""
    return sum(not eqn.op.is_alias for eqn in graph.eqns)
