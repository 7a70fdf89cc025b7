"""Products with weights that are stored as bytes, and rows of such weights.

The weights are int8, or two numbers of four bits per byte, the lower half first, as in Keras's
quantized layers. Kernels read them as they are stored, so that no wider copy exists in memory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import float32, int8, int32
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval, Shape
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import COMPILER, Op, register
from tfpy._src.compiler.ops.indexing import gather

HALVES = 4
"""Number of bits of weights that share a byte."""


def bytes_of(length: int, bits: int) -> int:
    """Return the number of bytes of a row of weights."""
    return -(-length * bits // 8)


def _halves(packed: Array, length: int) -> Array:
    """Return the signed numbers of four bits in the last axis."""
    both = np.stack([(packed << 4).astype(np.int8) >> 4, packed >> 4], -1)
    return both.reshape(*packed.shape[:-1], -1)[..., :length]


def _unpack_infer(packed: Aval, axis: int, length: int) -> Aval:
    shape = packed.shape
    if packed.dtype != int8 or len(shape) != 2 or not shape[axis] * 2 - 2 < length:
        raise invalid("unpack_halves", f"cannot unpack {length} numbers of {packed}")
    return Aval(tuple(length if i == axis else n for i, n in enumerate(shape)), int8)


def _unpack_ref(packed: Any, axis: int, length: int) -> Any:
    return np.moveaxis(_halves(np.moveaxis(packed, axis, -1), length), -1, axis)


unpack_halves = register(
    Op(
        "unpack_halves",
        COMPILER,
        _unpack_infer,
        _unpack_ref,
        host_only="it computes int8",
        doc="""unpack_halves(packed, axis, length): the numbers of four bits in int8 `packed`.

        The result has `length` numbers along `axis`; the higher half of the last byte may be left.
        """,
    )
)


def _infer(x: Aval, w: Aval, *scales: Aval, shape: Shape, transpose_b: bool, bits: int) -> Aval:
    k, n = shape
    rows, length = (n, k) if transpose_b else (k, n)
    floats, count = x.dtype == float32, len(scales)
    kept = w.dtype == int8 and w.size == rows * bytes_of(length, bits)
    if x.shape[-1] != k or not kept or count not in (0, 3) or not (floats or x.dtype == int32):
        raise invalid("multiply_stored", f"cannot multiply {x} and {w} as {list(shape)}")
    return Aval((*x.shape[:-1], n), x.dtype)


def _ref(x: Any, w: Any, *scales: Any, shape: Shape, transpose_b: bool, bits: int) -> Any:
    rows, length = shape[::-1] if transpose_b else shape
    stored = w.reshape(rows, -1)
    numbers = stored if bits == 8 else _halves(stored, length)
    matrix = (numbers.T if transpose_b else numbers).astype(x.dtype)
    if scales:
        scale, zero, group = scales
        matrix = (matrix - zero[group]) * scale[group]
    return x @ matrix


def _kernel(
    x: Aval, w: Aval, *scales: Aval, shape: Shape, transpose_b: bool, bits: int
) -> KernelCall:
    names = ("x", "w", "scale", "zero", "group")
    params: dict[str, Any] = {
        "m": math.prod(x.shape[:-1]),
        "n": shape[1],
        "k": shape[0],
        "bits": bits,
        "transpose_b": "true" if transpose_b else "false",
        "groups": scales[0].shape[0] if scales else 0,
    }
    return KernelCall("multiply_stored", names[: 2 + len(scales)], params)


multiply_stored = register(
    Op(
        "multiply_stored",
        COMPILER,
        _infer,
        _ref,
        kernel=_kernel,
        reads_bytes=True,
        doc="""multiply_stored(x, w, …, shape, transpose_b, bits): `x` [..., k] times weights.

        The weights, a matrix of the given shape [k, n] or with `transpose_b` its transpose, are the
        int8 array `w` of any shape. If `x` is int32, its numbers are int8, and the sums are exact.
        Three optional operands convert the weights to floats: the scales and the int8 zero points
        [groups, n], and for each of the k rows the number of its group.
        """,
    )
)


def _rows_infer(x: Aval, indices: Aval, width: int, bits: int) -> Aval:
    if x.dtype != int8 or x.size != x.shape[0] * bytes_of(width, bits) or indices.dtype != int32:
        raise invalid("gather_stored", f"cannot read rows {indices} of {width} numbers in {x}")
    return Aval((*indices.shape, width), int32)


def _rows_ref(x: Any, indices: Any, width: int, bits: int) -> Any:
    rows = gather.ref(x.reshape(len(x), -1), indices, axis=0, batch_dims=0)
    return (rows if bits == 8 else _halves(rows, width)).astype(np.int32)


def _rows_kernel(x: Aval, indices: Aval, width: int, bits: int) -> KernelCall:
    params = {"n": x.shape[0], "width": width, "m": indices.size, "bits": bits}
    return KernelCall("gather_stored", ("x", "indices"), params)


gather_stored = register(
    Op(
        "gather_stored",
        COMPILER,
        _rows_infer,
        _rows_ref,
        kernel=_rows_kernel,
        indexed=gather.indexed,
        reads_bytes=True,
        doc="""gather_stored(x, indices, width, bits): rows of int8 weights as int32 [..., width].

        A row consists of the bytes at an index of the first axis of `x`.
        """,
    )
)
