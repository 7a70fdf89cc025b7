"""Placeholders for Variables among the arguments of a traced function."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.variables.variable import Variable

_COPIED = (
    "synchronization", "aggregation", "trainable", "constraint", "strategy", "number", "name",
    "saved_as", "_aval", "_open_shape",
)  # fmt: skip


class Placeholder(Variable):
    """A substitute for a Variable in one trace, so that the trace can serve similar Variables.

    Outside the trace it behaves like the Variable. If the function requests the identity of the
    Variable, such as its `ref()`, it receives the identity, and `is_identified` becomes True.

    Args:
        variable: The Variable.
        trace: The trace.
    """

    def __init__(self, variable: Variable, trace: tracing.Trace) -> None:
        vars(self).update({name: getattr(variable, name) for name in _COPIED})
        self._variable, self._trace = variable, trace
        self.is_identified = False

    @property
    def _is_inside(self) -> bool:
        return any(trace is self._trace for trace in tracing.local.active)

    @property
    def origin(self) -> Variable:
        return self if self._is_inside else self._variable

    @property
    def tensor(self) -> Tensor:
        return super().tensor if self._is_inside else self._variable.tensor

    def value(self) -> Tensor:
        """Return the present value."""
        return super().value() if self._is_inside else self._variable.value()

    def hold(self, tensor: Tensor) -> None:
        if self._is_inside:
            super().hold(tensor)
        else:
            self._variable.hold(tensor)

    def ref(self) -> Any:
        """Return the reference of the Variable."""
        return self._identified.ref()

    @property
    def _unique_id(self) -> str:
        return self._identified._unique_id

    @property
    def _shared_name(self) -> str:
        return self._identified._shared_name

    @property
    def _identified(self) -> Variable:
        self.is_identified = True
        return self._variable

    def __getattr__(self, name: str) -> Any:
        """Return the value, or an attribute that a program has set on the Variable."""
        given = vars(self._variable)
        if name not in given:
            raise AttributeError(f"'Variable' object has no attribute '{name}'")
        self.is_identified |= name != "held"
        return given[name]


def is_replaceable(variable: Variable) -> bool:
    """Return True if a trace for this Variable can serve other Variables of its shape and dtype."""
    return (
        type(variable) in (Variable, Placeholder)
        and not variable.has_open_shape
        and not variable.constraint
    )
