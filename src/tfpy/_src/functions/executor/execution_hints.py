"""Execution hints for a Graph: weights, carried inputs and quantization bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from tfpy._src.compiler.ir.graph import Graph


@dataclass(frozen=True)
class Usage:
    """The execution hints of a Graph. Inputs are identified by their value numbers."""

    weights: Set[int] = frozenset()
    """Inputs that rarely change between calls."""

    carried: Mapping[int, int] = field(default_factory=dict)
    """Inputs that a run updates, with the positions of the outputs that are their next values."""

    bits: int = 0
    """Number of bits for products with weights where supported. 0 keeps the dtype."""

    spent: bool = False
    """True if nothing reads the carried inputs after a run that failed."""

    unread: Set[int] = frozenset()
    """Values that the Graph computes and nothing reads."""

    @property
    def donated(self) -> Set[int]:
        """Inputs whose tensors have only one holder in addition to the list that a run receives.

        The holder releases them after the run; see `donation.py`.
        """
        return self.carried.keys()

    def renumbered(self, before: Graph, after: Graph) -> Usage:
        """Return the hints for a Graph with the same inputs under other value numbers."""
        number = dict(zip(before.inputs, after.inputs, strict=True))
        return Usage(
            frozenset(number[v] for v in self.weights if v in number),
            {number[v]: output for v, output in self.carried.items() if v in number},
            self.bits,
            self.spent,
        )

    def within(self, part: Graph, operands: Sequence[int]) -> Usage:
        """Return the hints for a part of control flow, given the values that are its inputs."""
        pairs = zip(part.inputs, operands, strict=True)
        weights = frozenset(v for v, operand in pairs if operand in self.weights)
        return Usage(weights, bits=self.bits)


UNKNOWN = Usage()
"""Empty hints."""
