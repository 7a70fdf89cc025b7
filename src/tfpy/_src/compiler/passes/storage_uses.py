"""Definitions and uses of the memory of a Graph's values."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Eqn, Graph


class StorageUses:
    """The equations that write and read the memory of each value.

    Reshaped values share the memory of the values that they are made of, their *origins*.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.given = {*graph.inputs, *graph.constants}
        self.producers: dict[int, int] = {}
        self.reads: dict[int, list[int]] = {}
        """For each origin, the numbers of the equations that read it in any shape, in order.
        Outputs of the Graph are read after the last equation."""
        self._origins: dict[int, int] = {}
        for number, eqn in enumerate(graph.eqns):
            self.producers.update(dict.fromkeys(eqn.outputs, number))
            if eqn.op.is_alias:
                self._origins[eqn.outputs[0]] = self.origin(eqn.inputs[0])
                continue
            for value in {*map(self.origin, eqn.inputs)}:
                self.reads.setdefault(value, []).append(number)
        for value in {*map(self.origin, graph.outputs)}:
            self.reads.setdefault(value, []).append(len(graph.eqns))

    def origin(self, value: int) -> int:
        return self._origins.get(value, value)

    def is_output(self, origin: int) -> bool:
        return self.reads.get(origin, [-1])[-1] == len(self.graph.eqns)

    def equation(self, value: int) -> Eqn:
        """Return the equation that writes a value."""
        return self.graph.eqns[self.producers[value]]

    def nbytes(self, value: int) -> int:
        aval = self.graph.avals[value]
        return aval.size * aval.dtype.size
