"""Batching rules of products, convolutions, pooling and matrix functions."""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.movement import reshape
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.batching.table import (
    BY_ROWS,
    BatchedRows,
    RowOperand,
    family,
    rule,
)


@rule("matmul")
def _matmul(
    rows: BatchedRows, a: RowOperand, b: RowOperand, transpose_a: bool, transpose_b: bool
) -> Any:
    if not b.is_batched and len(a.shape) == len(b.shape) == 2 and not transpose_a:
        m, k = a.shape
        found = matmul(
            reshape(a.tensor, shape=(rows.count * m, k)),
            b.tensor,
            transpose_a=False,
            transpose_b=transpose_b,
        )
        return reshape(found, shape=(rows.count, *rows.aval.shape))
    lead = rows.aval.shape[:-2]
    sides = [_side(rows, x, lead) for x in (a, b)]
    return matmul(*sides, transpose_a=transpose_a, transpose_b=transpose_b)


def _side(rows: BatchedRows, x: RowOperand, lead: tuple[int, ...]) -> Tensor:
    """Return an operand of a product. A shared operand is not broadcast."""
    if not x.is_batched and math.prod(x.shape[:-2]) == 1:
        return reshape(x.tensor, shape=x.shape[-2:])
    return rows.spread(x, (*lead, *x.shape[-2:]))


def _linalg(name: str) -> None:
    """Define the rule of a matrix function, which broadcasts leading axes."""

    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, **attrs: Any) -> Any:
        rank = max(len(x.shape) for x in operands)
        return OPS[name](*(rows.aligned(x, rank) for x in operands), **attrs)


def _merged(rows: BatchedRows, x: RowOperand) -> Tensor:
    """Return an operand with the rows merged into its batch axis."""
    tensor = rows.spread(x)
    return reshape(tensor, shape=(rows.count * x.shape[0], *x.shape[1:]))


def _window(name: str, data: int) -> None:
    """Define the rule of an op on windows, which merges the rows into the batch axis.

    Args:
        name: Name of the op.
        data: Number of operands with a batch axis, which come first. The others are shared.
    """

    @rule(name)
    def batched(rows: BatchedRows, *operands: RowOperand, **attrs: Any) -> Any:
        if any(x.is_batched for x in operands[data:]):
            return NotImplemented
        shape = attrs.get("input_shape")
        if shape is not None:
            attrs["input_shape"] = (rows.count * shape[0], *shape[1:])
        tensors = [_merged(rows, x) for x in operands[:data]]
        found = OPS[name](*tensors, *(x.tensor for x in operands[data:]), **attrs)
        return reshape(found, shape=(rows.count, *rows.aval.shape))


for _name in family("linalg"):
    _linalg(_name)
for _name in family("window", (*BY_ROWS, "resample")):
    _window(_name, 1 if "conv" in _name else 3)
