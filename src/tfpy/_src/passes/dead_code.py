"""Dead code: what no output needs is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tfpy._src.ir.graph import Eqn, Graph, extract


def without_dead_code(graph: Graph) -> Graph:
    """Leaves out equations and constants that neither an output nor a stateful op needs.

    Inputs stay, so that callers pass what they passed before; values are renumbered::

        graph(%0:float32[4])                    graph(%0:float32[4])
          %1:float32[4] = exp(%0)          ->     %1:float32[4] = relu(%0)
          %2:float32[4] = relu(%0)                return %1
          return %2
    """
    eqns, needed = slice_of(graph.eqns, graph.outputs, effects=True)
    constants = [value for value in graph.constants if value in needed]
    return extract(graph, graph.inputs, constants, eqns, graph.outputs)


def slice_of(
    eqns: Sequence[Eqn],
    values: Iterable[int],
    effects: bool = False,
    reduced: Callable[[Eqn, set[int]], Eqn] = lambda eqn, needed: eqn,
) -> tuple[list[Eqn], set[int]]:
    """The equations that values depend on, in order, and all values among them.

    Args:
        effects: takes equations of stateful ops, too, and what these depend on.
        reduced: gives what is left of such an equation, from the values that are needed after it.
    """
    needed = set(values)
    kept: list[Eqn] = []
    for eqn in reversed(eqns):
        if (effects and eqn.op.stateful) or not needed.isdisjoint(eqn.outputs):
            left = reduced(eqn, needed)
            kept.append(left)
            needed.update(left.inputs)
    return kept[::-1], needed
