"""The tape of a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy._src.core.tape import Entry, Tape
from tfpy._src.core.tensor import Tensor

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op

_LONGEST = 32
"""Maximum number of ops that are repeated for one result."""


class Computation(NamedTuple):
    """An op that ran immediately while a function was traced."""

    op: Op
    inputs: tuple[Tensor, ...]
    attrs: dict[str, Any]


class Recorder(Tape):
    """A tape that records every op of a trace, so that the function can be differentiated.

    Ops on known tensors run immediately. The Graph can repeat them, so that it needs no copy of a
    large result. The tape stores what this requires.
    """

    is_complete = True

    def __init__(self) -> None:
        super().__init__()
        self.repeated: dict[int, Tensor] = {}
        """Symbolic tensors for results that the Graph computes again, by their identity."""
        self._computations: dict[int, Computation] = {}

    def follows(self, tensors: Sequence[Tensor]) -> bool:
        return True

    def record(self, entry: Entry) -> None:
        self.entries.append(entry)

    def record_op(
        self, op: Op, inputs: tuple[Tensor, ...], output: Tensor, attrs: dict[str, Any]
    ) -> None:
        if output.has_values:
            self._computations[output.identity] = Computation(op, inputs, attrs)
        else:  # the entry keeps its inputs alive
            inputs = tuple(self.repeated.get(t.identity, t) for t in inputs)
        super().record_op(op, inputs, output, attrs)

    def history(
        self, tensor: Tensor, is_known: Callable[[Tensor], bool]
    ) -> dict[int, Computation] | None:
        """Return the ops that compute a tensor from known ones, by the identity of the result.

        Each op follows the ops that it depends on. The result is None if there are too many ops, or
        if the tensor depends on anything else.
        """
        found: dict[int, Computation] = {}

        def visit(result: Tensor) -> bool:
            key = result.identity
            if key in found or key in self.repeated or is_known(result):
                return True
            made = self._computations.get(key)
            if made is None or made.op.stateful or made.op.host_only:
                return False
            visited.add(key)
            if len(visited) > _LONGEST or not all(map(visit, made.inputs)):
                return False
            found[key] = made
            return True

        visited: set[int] = set()
        return found if visit(tensor) else None

    def forget(self, is_needed: Callable[[Entry], bool]) -> None:
        """Forget all but the needed entries, and how results were computed, to free tensors."""
        self.entries[:] = [*filter(is_needed, self.entries)]
        self._computations.clear()
