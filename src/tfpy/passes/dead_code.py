"""Dead code: what no output needs is left out."""

from __future__ import annotations

from tfpy.ir.graph import Graph
from tfpy.passes.rewrite import without_dead_code


def eliminate_dead_code(graph: Graph) -> Graph:
    """Leaves out equations and constants that neither an output nor a stateful op needs.

    Inputs stay, so that callers pass what they passed before::

        graph(%0:float32[4])                    graph(%0:float32[4])
          %1:float32[4] = exp(%0)          ->     %1:float32[4] = relu(%0)
          %2:float32[4] = relu(%0)                return %1
          return %2
    """
    return without_dead_code(graph)
