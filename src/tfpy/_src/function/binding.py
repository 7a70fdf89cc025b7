"""A trace that serves several Variables: what it reads and assigns is bound to those of a call."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.function.signature import Call
from tfpy._src.function.traced import Traced
from tfpy._src.variables.stand_in import StandIn
from tfpy._src.variables.variable import Variable


class Template:
    """A traced computation with stand-ins for the Variables among its arguments.

    Args:
        traced: The computation.
        assigned: The Variables and stand-ins that get new values.
        stand_ins: One for each of :attr:`Call.variables`; none where the trace serves its own call
            only.
    """

    def __init__(
        self, traced: Traced, assigned: Sequence[Variable], stand_ins: Sequence[StandIn]
    ) -> None:
        self.traced, self.assigned, self.stand_ins = traced, assigned, stand_ins
        read = [extra.variable for extra in traced.extras if extra.variable is not None]
        self._captured = frozenset(map(id, (*read, *assigned)))

    def bound(self, call: Call) -> tuple[Traced, list[Variable]]:
        """Return the computation, and what it assigns, for the Variables of a call."""
        if not self.stand_ins:
            return self.traced, list(self.assigned)
        pairs = zip(self.stand_ins, call.variables, strict=True)
        given: dict[int, Variable] = {id(stand_in): variable for stand_in, variable in pairs}
        return self.traced.bound(given), [given.get(id(v), v) for v in self.assigned]

    def serves(self, call: Call) -> bool:
        """Return True if the computation is right for the Variables of a call.

        It is not if the function distinguishes Variables, or if it also captures one of the
        Variables: the trace then has two Variables where the program has one.
        """
        if any(stand_in.is_identified for stand_in in self.stand_ins):
            return False
        return self._captured.isdisjoint(call.identities)
