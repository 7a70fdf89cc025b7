"""Equations that were copied from a Graph into a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core.tensor import Tensor

if TYPE_CHECKING:
    from tfpy._src.functions.trace.trace import Trace


class Inlined:
    """The equations of a Graph that were copied into a trace.

    `values` maps values of the Graph to values of the trace.
    """

    def __init__(self, trace: Trace, graph: Graph, values: dict[int, int]) -> None:
        self._trace, self._graph, self._values = trace, graph, values

    @property
    def outputs(self) -> list[Tensor]:
        return [self.tensor(v) for v in self._graph.outputs]

    def tensor(self, value: int) -> Tensor:
        """Return the trace's tensor for a value of the Graph."""
        return self._trace.tensor(self._values[value], "call")
