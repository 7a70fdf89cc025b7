"""Batching rules of random operations, whose numbers differ between rows.

The state of a stream is one for all rows: a single draw has the numbers of all of them. A stateless
operation has a seed for each row if its state is batched.
"""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ops.movement import transpose
from tfpy._src.functions.control.batching.table import BatchedRows, RowOperand, rule

_STATE = 6  # operands that are the state of a stream


def _of_shape(name: str) -> None:
    @rule(name)
    def batched(
        rows: BatchedRows, *operands: RowOperand, shape: tuple[int, ...], **attrs: Any
    ) -> Any:
        if any(x.is_batched for x in operands):
            return NotImplemented
        return OPS[name](*(x.tensor for x in operands), shape=(rows.count, *shape), **attrs)


def _of_parameters(name: str) -> None:
    """The draws of each parameter come first."""

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
