"""Who makes and who reads each value of a Graph."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Graph


class Uses:
    """Which equation defines each value, and which read it."""

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
        """Whether nothing but these equations needs the value."""
        return value not in self.outputs and numbers.issuperset(self.readers.get(value, ()))
