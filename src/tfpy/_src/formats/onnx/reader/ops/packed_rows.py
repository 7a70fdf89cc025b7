"""Rows of tables with elements of 2, 4 or 8 bits in blocks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.ops.stored import Inputs, check_blocks, signed, unpacked
from tfpy._src.formats.onnx.reader.record import Known, operation
from tfpy._src.formats.onnx.reader.values import like, positive, shape_of, tensor
from tfpy._src.tensors.array.joining import repeat, stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import gather, where

_OP = "GatherBlockQuantized"
_KINDS = ("uint8", "int4", "uint4")


class _Table(NamedTuple):
    """A description of a table and its elements."""

    shape: tuple[int, ...]
    """Shape of the numbers."""
    kind: str
    """Dtype in the file: numbers of uint8 are packed along the last axis."""
    bits: int
    gathered: int
    """Axis of the indices."""
    blocked: int
    """Axis that is divided into blocks."""

    @property
    def is_packed(self) -> bool:
        """True if two numbers share a byte, and an index selects whole bytes."""
        last = len(self.shape) - 1
        return self.bits < 8 and self.gathered == 0 and self.blocked == last and last > 0

    @property
    def point(self) -> int:
        """The default zero point of the signed numbers."""
        return -8 if self.kind == "uint4" else 0

    def scaled(self, block: int) -> tuple[int, ...]:
        """Return the shape of the scales."""
        return tuple(-(-n // block) if i == self.blocked else n for i, n in enumerate(self.shape))

    def numbers(self, x: Array) -> Array:
        """Return the signed numbers in int8, two of them in each byte if `is_packed`."""
        width = self.shape[-1]
        if self.kind == "uint8":
            found = signed(x.reshape(-1, x.shape[-1]), self.bits, width)
        else:
            wide = x.astype(np.int16).reshape(-1, width) - (8 if self.kind == "uint4" else 0)
            found = wide.astype(np.int8)
            if self.is_packed:
                even = np.pad(found, [(0, 0), (0, width % 2)]).view(np.uint8) & 15
                found = (even[:, 0::2] | even[:, 1::2] << 4).view(np.int8)
        return found.reshape(*self.shape[:-1], -1)

    def points(self, x: Array, count: int) -> Array:
        """Return the zero points of the signed numbers in int8, `count` along the last axis."""
        if self.kind != "uint8":
            return (x.astype(np.int16) - (8 if self.kind == "uint4" else 0)).astype(np.int8)
        wide = unpacked(x, self.bits)[..., :count].astype(np.int16) - (1 << self.bits - 1)
        return wide.astype(np.int8)


def _table(data: Any, bits: int, gathered: int, blocked: int) -> _Table:
    shape, kind = shape_of(data), data.dtype.name
    if kind not in _KINDS or not shape:
        raise invalid(_OP, f"the data must be one of {[*_KINDS]}, got {kind} {list(shape)}")
    rank = len(shape)
    gathered, blocked = (positive(axis, rank, _OP) for axis in (gathered, blocked))
    if kind == "uint8":
        if gathered or blocked != rank - 1 or rank < 2:
            raise invalid(
                _OP, f"data of uint8 must be gathered along the first of several axes and have "
                f"blocks along the last one, got {gathered} and {blocked} of {rank}"
            )  # fmt: skip
        shape = (*shape[:-1], shape[-1] * 8 // bits)
    return _Table(shape, kind, bits if kind == "uint8" else 4, gathered, blocked)


@operation("com.microsoft.GatherBlockQuantized")
def gather_block_quantized(
    data: Known, indices: Tensor, scales: Any, zeros: Any = None, *, bits: int = 4,
    block_size: int = 128, gather_axis: int = 0, node: Node, quantize_axis: int = 1, scope: Scope,
) -> Any:  # fmt: skip
    """Gather slices of a table of small integers, and convert them to floats."""
    check_blocks(_OP, bits, block_size)
    table = _table(data, bits, gather_axis, quantize_axis)
    shape, axis = table.scaled(block_size), table.gathered
    packed = (*shape[:-1], -(-shape[-1] * bits // 8)) if table.kind == "uint8" else shape
    for name, one, wanted in (("scales", scales, shape), ("zero_points", zeros, packed)):
        if one is not None and shape_of(one) != wanted:
            raise invalid(_OP, f"{name} must have the shape {[*wanted]}, got {[*shape_of(one)]}")
    inputs, size = Inputs(node, scope), table.shape[axis]
    block = max(1, min(block_size, table.shape[table.blocked]))
    valid = p.logical_and(indices >= -size, indices < size)
    at = where(indices < 0, indices + size, indices)
    at = where(valid, at, like(0, at))
    found = gather(_numbers(inputs, table, data), at, axis=axis)
    found = _split(cast(found, "int32"), table.shape[-1]) if table.is_packed else found
    of_block = at // block if table.blocked == axis else at

    def spread(x: Tensor) -> Tensor:
        """Return the scales or zero points of the gathered numbers."""
        x = cast(gather(x, of_block, axis=axis), "float32")
        if table.blocked == axis:
            return x
        last = table.blocked + (at.ndim - 1 if table.blocked > axis else 0)
        cut = [slice(None)] * x.ndim
        cut[last] = slice(0, table.shape[table.blocked])
        return repeat(x, block, last)[tuple(cut)]

    y = cast(found, "float32")
    if zeros is not None:
        points = inputs.derived(
            3, zeros, f"points of {table}", lambda x: table.points(x, shape[-1])
        )
        y = y - spread(points)
    elif table.point:
        y = y - float(table.point)
    y = y * spread(_floats(inputs, scales))
    ones = [1] * axis + list(valid.aval.shape) + [1] * (y.ndim - axis - valid.ndim)
    y = where(reshape(valid, ones), y, like(0, y))
    return cast(y, tensor(scales).dtype)


def _numbers(inputs: Inputs, table: _Table, data: Any) -> Tensor:
    """Return the signed numbers of a table."""
    if table.kind == "uint8" and len(table.shape) == 2:  # as for products with the same weights
        return inputs.rows(0, data, table.bits, (table.shape[0], table.shape[1]))
    return inputs.derived(0, data, f"table {table}", table.numbers)


def _floats(inputs: Inputs, scales: Any) -> Tensor:
    if inputs.is_constant(scales):
        return inputs.derived(2, scales, "floats", lambda x: x.astype(np.float32))
    return tensor(scales)


def _split(x: Tensor, width: int) -> Tensor:
    """Return the signed numbers in the halves of bytes: [..., width]."""
    low = p.right_shift(p.left_shift(x, 28), 28)
    both = stack([low, p.right_shift(x, 4)], -1)
    return reshape(both, [*x.aval.shape[:-1], -1])[..., :width]
