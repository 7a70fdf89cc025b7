"""The order of the passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tfpy.ir.graph import Graph
from tfpy.ir.verify import verify
from tfpy.passes.dead_code import eliminate_dead_code
from tfpy.passes.target import Target

Pass = Callable[[Graph], Graph]

_VERIFY = "TFPY_VERIFY_PASSES"
"""Environment variable: where it is set (tests do), the Graph is verified after each pass."""


def optimize(graph: Graph, target: Target) -> Graph:
    """A Graph with the same outputs that ``target`` runs with less work.

    Raises:
        ValueError: where the variable TFPY_VERIFY_PASSES is set and a pass breaks the Graph; the
            error names the pass.
    """
    return _run(graph, [eliminate_dead_code])


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
