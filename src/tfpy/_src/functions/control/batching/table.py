"""The table of batching rules, and helpers for the rules.

A rule computes an equation of one row for all rows. Operands that differ between rows have the
rows as their first axis; the others are shared. The result has the rows as its first axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ops.movement import broadcast_to, reshape
from tfpy._src.core.tensor import Tensor


@dataclass(frozen=True)
class RowOperand:
    """An operand of the equation of one row."""

    tensor: Tensor
    is_batched: bool
    """True if the tensor has the rows as its first axis."""

    @property
    def shape(self) -> Shape:
        """Shape for one row."""
        shape: Shape = self.tensor.aval.shape
        return shape[1:] if self.is_batched else shape


@dataclass(frozen=True)
class BatchedRows:
    """The number of rows that a rule computes, and the aval of the result for one row."""

    count: int
    aval: Aval

    def spread(self, x: RowOperand, shape: Shape | None = None) -> Tensor:
        """Return an operand with the rows as its first axis, broadcast to a shape for each row."""
        wanted = x.shape if shape is None else shape
        tensor = self.aligned(x, len(wanted))
        whole = (self.count, *wanted)
        return tensor if tensor.aval.shape == whole else broadcast_to(tensor, shape=whole)

    def aligned(self, x: RowOperand, rank: int) -> Tensor:
        """Return an operand that broadcasts with operands of a given rank per row."""
        if not x.is_batched or len(x.shape) == rank:
            return x.tensor
        ones = (1,) * (rank - len(x.shape))
        return reshape(x.tensor, shape=(self.count, *ones, *x.shape))


Rule = Callable[..., Any]
"""A function that takes (rows, *operands, **attrs) and returns the result or NotImplemented."""

RULES: dict[str, Rule] = {}
"""Rules by name of the primitive. Primitives in :data:`BY_ROWS` run row by row."""

BY_ROWS = frozenset(
    (
        "conv2d_backprop_filter",
        "conv3d_backprop_filter",
        "depthwise_conv2d_backprop_filter",
        "random_permutation",
        "random_state_of_seed",
        "random_state_advanced",
        "string_join",
        "substr",
        "unsorted_segment_join",
    )
)
"""Primitives without a rule."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for some primitives."""

    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[OPS[name].name] = function
        return function

    return enter


def family(name: str, but: Sequence[str] = ()) -> list[str]:
    """Return the names of the primitives of a family, without some."""
    return [op.name for op in OPS.values() if op.family == name and op.name not in but]
