"""A trace that serves several Variables: each call binds its Variables to the placeholders."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.functions.tf_function.signature import Call
from tfpy._src.functions.tf_function.traced import Traced
from tfpy._src.tensors.variables.placeholder import Placeholder
from tfpy._src.tensors.variables.variable import Variable


class Template:
    """A traced computation with placeholders for the Variables among its arguments.

    Args:
        traced: The computation.
        assigned: The Variables and placeholders that the computation assigns.
        placeholders: One for each of :attr:`Call.variables`, or none if the trace serves only its
            own call.
    """

    def __init__(
        self, traced: Traced, assigned: Sequence[Variable], placeholders: Sequence[Placeholder]
    ) -> None:
        self.traced, self.assigned, self.placeholders = traced, assigned, placeholders
        read = [extra.variable for extra in traced.extras if extra.variable is not None]
        self._captured = frozenset(map(id, (*read, *assigned)))

    def bound(self, call: Call) -> tuple[Traced, list[Variable]]:
        """Return the computation, and what it assigns, for the Variables of a call."""
        if not self.placeholders:
            return self.traced, list(self.assigned)
        pairs = zip(self.placeholders, call.variables, strict=True)
        given: dict[int, Variable] = {id(placeholder): variable for placeholder, variable in pairs}
        return self.traced.bound(given), [given.get(id(v), v) for v in self.assigned]

    def can_bind(self, call: Call) -> bool:
        """Return True if the computation is right for the Variables of a call.

        It is not if the function distinguishes Variables, or if it also captures one of the
        Variables: the trace then has two Variables where the program has one.
        """
        if any(placeholder.is_identified for placeholder in self.placeholders):
            return False
        return self._captured.isdisjoint(call.identities)
