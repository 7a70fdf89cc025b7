"""The order of the passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tfpy.ir.graph import Graph
from tfpy.ir.verify import verify
from tfpy.passes.algebra import simplify_algebra
from tfpy.passes.common_subexpressions import merge_common_subexpressions
from tfpy.passes.constants import fold_constants
from tfpy.passes.dead_code import eliminate_dead_code
from tfpy.passes.movement import simplify_movement
from tfpy.passes.padding import absorb_padding
from tfpy.passes.target import Target
from tfpy.passes.transposes import absorb_transposes, sink_transposes

Pass = Callable[[Graph], Graph]

_VERIFY = "TFPY_VERIFY_PASSES"
"""Environment variable: where it is set (tests do), the Graph is verified after each pass."""

_SIMPLIFY: tuple[Pass, ...] = (
    fold_constants,
    simplify_algebra,
    simplify_movement,
    absorb_transposes,
    sink_transposes,
    absorb_padding,
    merge_common_subexpressions,
)
_MAX_ROUNDS = 8


def optimize(graph: Graph, target: Target) -> Graph:
    """A Graph with the same inputs and outputs that ``target`` runs with less work.

    Raises:
        ValueError: where the variable TFPY_VERIFY_PASSES is set and a pass breaks the Graph; the
            error names the pass.
    """
    return simplify(graph)


def simplify(graph: Graph) -> Graph:
    """The passes that know no target, again and again until they find nothing more to do."""
    graph = _run(graph, [eliminate_dead_code])
    for _ in range(_MAX_ROUNDS):
        before = graph
        graph = _run(graph, _SIMPLIFY)
        if graph.eqns == before.eqns:
            break
    return graph


def _run(graph: Graph, passes: Sequence[Pass]) -> Graph:
    for function in passes:
        graph = function(graph)
        if os.environ.get(_VERIFY):
            _check(graph, function)
    return graph


def _check(graph: Graph, function: Pass) -> None:
    try:
        verify(graph)
    except ValueError as error:
        raise ValueError(f"after {getattr(function, '__name__', function)}: {error}") from error
