"""Definitions and uses of each value of a Graph."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Graph


class Uses:
    """The equation that defines each value, and the equations that read it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.producer: dict[int, int] = {}
        self.readers: dict[int, list[int]] = {}
        for number, eqn in enumerate(graph.eqns):
            for value in eqn.outputs:
                self.producer[value] = number
            for value in eqn.inputs:
                self.readers.setdefault(value, []).append(number)
        self.outputs = set(graph.outputs)

    def only_in(self, value: int, numbers: set[int]) -> bool:
        """Return True if no other equation or output needs the value."""
        return value not in self.outputs and numbers.issuperset(self.readers.get(value, ()))
