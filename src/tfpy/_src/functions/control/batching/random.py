"""Batching rules of random ops, which draw different numbers for each row.

All rows share the state of a stream: one draw produces the numbers of all rows. A stateless op with
a batched state has a seed for each row.
"""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ops.movement import transpose
from tfpy._src.functions.control.batching.table import BatchedRows, RowOperand, rule

_STATE = 6  # number of operands that form the state of a stream


def _of_shape(name: str) -> None:
    @rule(name)
    def batched(
        rows: BatchedRows, *operands: RowOperand, shape: tuple[int, ...], **attrs: Any
    ) -> Any:
        if any(x.is_batched for x in operands):
            return NotImplemented
        return OPS[name](*(x.tensor for x in operands), shape=(rows.count, *shape), **attrs)


def _of_parameters(name: str) -> None:
    """Define the rule of an op with the draws as the first axis of its result."""

    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, **attrs: Any) -> Any:
        state, parameters = operands[:_STATE], operands[_STATE:]
        if any(x.is_batched for x in state):
            return NotImplemented
        tensors = [*(x.tensor for x in state), *map(rows.spread, parameters)]
        found = OPS[name](*tensors, **attrs)
        return transpose(found, perm=(1, 0, *range(2, found.aval.rank)))


for _name in ("uniform", "fine_uniform", "bits", "normal", "int", "truncated_normal"):
    _of_shape(f"random_{_name}")
for _name in ("gamma", "poisson", "binomial"):
    _of_parameters(f"random_{_name}")
