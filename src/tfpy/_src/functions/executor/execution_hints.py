"""What is known of how a Graph is run, beside its equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from tfpy._src.compiler.ir.graph import Graph


@dataclass(frozen=True)
class Usage:
    """Inputs are told by their value numbers."""

    weights: Set[int] = frozenset()
    """Inputs that are rarely others than at the call before."""

    carried: Mapping[int, int] = field(default_factory=dict)
    """Inputs whose next values a run gives, and which of the Graph's outputs these are."""

    bits: int = 0
    """In how many products with weights are computed where the backend can; 0: as they are."""

    @property
    def donated(self) -> Set[int]:
        """Inputs whose tensors have one holder besides the list that a run takes, which lets go of
        them after the run; see ``donation.py``."""
        return self.carried.keys()

    def renumbered(self, before: Graph, after: Graph) -> Usage:
        """That of a Graph with the same inputs, which may have other value numbers."""
        number = dict(zip(before.inputs, after.inputs, strict=True))
        return Usage(
            frozenset(number[v] for v in self.weights if v in number),
            {number[v]: output for v, output in self.carried.items() if v in number},
            self.bits,
        )

    def within(self, part: Graph, operands: Sequence[int]) -> Usage:
        """That of a part of control flow whose inputs are these values of the Graph."""
        pairs = zip(part.inputs, operands, strict=True)
        weights = frozenset(v for v, operand in pairs if operand in self.weights)
        return Usage(weights, bits=self.bits)


UNKNOWN = Usage()
"""Nothing is known."""
