"""Dead code elimination."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Graph, extract
from tfpy._src.compiler.ir.slices import slice_of


def without_dead_code(graph: Graph) -> Graph:
    """Remove equations and constants that neither an output nor a stateful op needs.

    Inputs stay, so that the signature does not change. Values are renumbered::

        graph(%0:float32[4])                    graph(%0:float32[4])
          %1:float32[4] = exp(%0)          ->     %1:float32[4] = relu(%0)
          %2:float32[4] = relu(%0)                return %1
          return %2
    """
    eqns, needed = slice_of(graph.eqns, graph.outputs, effects=True)
    constants = [value for value in graph.constants if value in needed]
    return extract(graph, graph.inputs, constants, eqns, graph.outputs)
