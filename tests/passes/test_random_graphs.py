"""Passes that promise the same bits, on random Graphs, alone and one after another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfpy.passes.algebra import simplify_algebra
from tfpy.passes.common_subexpressions import merge_common_subexpressions
from tfpy.passes.constants import fold_constants
from tfpy.passes.dead_code import eliminate_dead_code
from tfpy.passes.movement import simplify_movement
from tfpy.passes.padding import absorb_padding
from tfpy.passes.transposes import absorb_transposes, sink_transposes

from .sketch import Pass, check, random_graph

EXACT = (
    eliminate_dead_code,
    fold_constants,
    simplify_algebra,
    simplify_movement,
    merge_common_subexpressions,
    absorb_padding,
    absorb_transposes,
    sink_transposes,
)


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("function", EXACT, ids=lambda f: f.__name__)
@settings(max_examples=150)
@given(seed=SEEDS)
def test_alone(seed: int, function: Pass) -> None:
    check(random_graph(seed), function)


@settings(max_examples=300)
@given(seed=SEEDS)
def test_one_after_another(seed: int) -> None:
    graph = random_graph(seed)
    result = check(graph, *EXACT, *EXACT)
    assert len(result.eqns) <= len(graph.eqns)
