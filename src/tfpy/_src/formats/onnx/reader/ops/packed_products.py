"""Products with weights of 2, 4 or 8 bits in blocks.

The equations are those that the pass `multiply_stored_weights` recognizes, so that kernels read the
bytes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.ops.linear import product
from tfpy._src.formats.onnx.reader.ops.stored import Inputs, check_blocks, check_bytes, unpacked
from tfpy._src.formats.onnx.reader.record import Known, operation
from tfpy._src.formats.onnx.reader.values import bounded, shape_of, tensor
from tfpy._src.tensors.array.joining import concat, pad
from tfpy._src.tensors.array.making import cast, zeros as make_zeros
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.math.reductions import reduce_sum


def halves(packed: Tensor, count: int) -> Tensor:
    """Return the numbers [count, n] of 4 bits in int8 [n, bytes], as int8."""
    columns = transpose(packed)
    rows, n = columns.aval.shape
    eight = np.int8(8)
    parts = [
        reshape((half & np.int8(15) ^ eight) - eight, [rows, 1, n])
        for half in (columns, p.right_shift(columns, np.int8(4)))
    ]
    return reshape(concat(parts, 1), [2 * rows, n])[:count]


class BlockwiseMatrix(NamedTuple):
    """A matrix [k, n] of signed numbers with scales and zero points for groups of its rows."""

    packed: Tensor
    """The int8 bytes [n, k] or, with 4 bits, [n, ⌈k / 2⌉]."""
    bits: int
    """4 or 8."""
    scale: Tensor
    """The scales [groups, n] in float32."""
    zero: Tensor
    """The zero points [groups, n] in int8."""
    group: Array
    """The group of each row: int32 [k]."""
    rest: Tensor | None = None
    """Float zero points [groups, n], which are added to `zero`."""

    def multiply(self, x: Tensor) -> Tensor:
        """Return the product of x [..., k] and the matrix, in float32."""
        k = len(self.group)
        numbers = halves(self.packed, k) if self.bits == 4 else transpose(self.packed)
        zero = cast(gather(self.zero, self.group, axis=0), "float32")
        w = (cast(numbers, "float32") - zero) * gather(self.scale, self.group, axis=0)
        x = cast(x, "float32")
        y = product(x, w)
        return y if self.rest is None else y - product(self._sums(x), self.rest * self.scale)

    def _sums(self, x: Tensor) -> Tensor:
        """Return the sums of x over the rows of each group, which have equal sizes."""
        groups, k = self.scale.aval.shape[0], len(self.group)
        size = int(np.count_nonzero(self.group == 0))
        whole = pad(x, [(0, 0)] * (x.ndim - 1) + [(0, groups * size - k)])
        return reduce_sum(reshape(whole, [*x.aval.shape[:-1], groups, size]), -1)


def _scales(inputs: Inputs, at: int, value: Any, n: int) -> Tensor:
    """Return scales [n, groups] of an input as float32 [groups, n]."""
    if inputs.is_constant(value):
        form = f"{n} rows turned"
        return inputs.derived(at, value, form, lambda x: turned(x.reshape(n, -1), np.float32))
    return transpose(reshape(cast(tensor(value), "float32"), [n, -1]))


def turned(x: Array, dtype: Any) -> Array:
    return np.ascontiguousarray(x.T.astype(dtype))


def zero_points(x: Array, bits: int, n: int, groups: int) -> Array:
    """Return packed zero points [n, bytes] as int8 [groups, n], less half of the range."""
    numbers = unpacked(x.reshape(n, -1), bits)[:, :groups].astype(np.int16)
    return turned(numbers - (1 << bits - 1), np.int8)


def _check_sizes(op: str, sizes: dict[str, tuple[Any, int]]) -> None:
    """Check the numbers of elements of inputs, by their names."""
    for name, (value, size) in sizes.items():
        found = math.prod(shape_of(value)) if value is not None else size
        if found != size:
            raise invalid(op, f"{name} must have {size} elements, got {found}")


@operation("com.microsoft.MatMulNBits")
def mat_mul_n_bits(
    a: Tensor, b: Known, scales: Any, zeros: Any = None, g_idx: Array | None = None,
    bias: Tensor | None = None, *, K: int, N: int, accuracy_level: int = 0,  # noqa: N803
    bits: int = 4, block_size: int, node: Node, scope: Scope, weight_prepacked: int = 0,
) -> Any:  # fmt: skip
    """Multiply a by the transpose of an N × K matrix of 2, 4 or 8 bits in blocks."""
    op, size = "MatMulNBits", math.prod(shape_of(b))
    check_blocks(op, bits, block_size)
    if K < 1 or N < 1 or a.ndim < 1 or a.aval.shape[-1] != K or weight_prepacked:
        raise invalid(
            op, f"the input {a.aval} does not match K={K} and N={N}, or the weights are prepacked"
        )
    if not size:
        bounded(op, [*a.aval.shape[:-1], N])
        y = make_zeros([*a.aval.shape[:-1], N], a.dtype)
        return y if bias is None else y + bias
    if g_idx is not None and zeros is not None:
        raise invalid(op, "g_idx with zero points is not supported")
    groups = -(-K // block_size)
    packs = zeros is not None and not zeros.dtype.name.endswith(("float16", "float32"))
    check_bytes(op, B=b, zero_points=zeros if packs else None)
    _check_sizes(op, {
        "B": (b, N * groups * (block_size * bits // 8)), "scales": (scales, N * groups),
        "zero_points": (zeros, N * (-(-groups * bits // 8) if packs else groups)),
        "bias": (bias, N),
    })  # fmt: skip
    inputs = Inputs(node, scope)
    packed = inputs.rows(1, b, bits, (N, K))
    rest = None
    if packs:
        form = f"{bits} bits of {N} × {groups}"
        zero = inputs.derived(3, zeros, form, lambda x: zero_points(x, bits, N, groups))
    else:
        zero = inputs.made(f"{groups} × {N} zeros", lambda: np.zeros([groups, N], np.int8))
    if zeros is not None and not packs:
        rest = _scales(inputs, 3, zeros, N) - float(1 << bits - 1)
    w = BlockwiseMatrix(
        packed, max(bits, 4), _scales(inputs, 2, scales, N), zero, _groups(g_idx, K, block_size),
        rest,
    )  # fmt: skip
    y = cast(w.multiply(a), a.dtype)
    return y if bias is None else y + bias


def _groups(g_idx: Array | None, k: int, block: int) -> Array:
    """Return the group of each row of a matrix."""
    if g_idx is None:
        return np.arange(k, dtype=np.int32) // np.int32(block)
    found = g_idx.reshape(-1)[:k]
    if len(found) != k or found.min() < 0 or found.max() >= -(-k // block):
        raise invalid("MatMulNBits", f"g_idx must be {k} numbers of groups")
    return found.astype(np.int32)
