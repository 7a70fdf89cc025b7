"""The table of batching rules, and what rules share.

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
    """Whether the tensor has the rows as its first axis."""

    @property
    def shape(self) -> Shape:
        """The shape for one row."""
        shape: Shape = self.tensor.aval.shape
        return shape[1:] if self.is_batched else shape


@dataclass(frozen=True)
class BatchedRows:
    """The rows that a rule computes, and the result for one of them."""

    count: int
    aval: Aval

    def spread(self, x: RowOperand, shape: Shape | None = None) -> Tensor:
        """Return an operand with the rows as its first axis, broadcast to a shape for each row."""
        wanted = x.shape if shape is None else shape
        tensor = self.aligned(x, len(wanted))
        whole = (self.count, *wanted)
        return tensor if tensor.aval.shape == whole else broadcast_to(tensor, shape=whole)

    def aligned(self, x: RowOperand, rank: int) -> Tensor:
        """Return an operand that broadcasts with those of a rank for each row."""
        if not x.is_batched or len(x.shape) == rank:
            return x.tensor
        ones = (1,) * (rank - len(x.shape))
        return reshape(x.tensor, shape=(self.count, *ones, *x.shape))


Rule = Callable[..., Any]
"""(rows, *operands, **attrs) -> the result, or NotImplemented for operands without a rule."""

RULES: dict[str, Rule] = {}
"""By the name of a primitive. The others run row by row; :data:`BY_ROWS` lists them."""

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
    """Enter a rule for some primitives."""

    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[OPS[name].name] = function
        return function

    return enter


def family(name: str, but: Sequence[str] = ()) -> list[str]:
    """Return the names of the primitives of a family."""
    return [op.name for op in OPS.values() if op.family == name and op.name not in but]
