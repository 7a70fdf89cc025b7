"""Products with weights in a block format, their rows, and their values as floats.

The weights are a matrix [n, k] of the shape `shape`. Each row consists of whole blocks. The operand
is an int8 vector with the fields of all blocks, see `block_formats.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import float32, int8, int32
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval, Shape
from tfpy._src.compiler.ir.indexed import Indexed
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.ir.op import COMPILER, Op, register
from tfpy._src.compiler.ops.block_formats import ON_DEVICES, BlockFormat, begins_of, by_blocks
from tfpy._src.compiler.ops.reference.parts import Blocks


def _check(op: str, w: Aval, form: str, shape: Shape) -> None:
    """Check that an operand has the bytes of a matrix.

    Raises:
        InvalidArgumentError: If the numbers of bytes differ, or if a row has incomplete blocks.
    """
    how = ON_DEVICES[form]
    _, size = begins_of(how, math.prod(shape) // how.size)
    if w.dtype != int8 or w.shape != (size,) or shape[1] % how.size:
        raise invalid(op, f"{w} are not the bytes of a matrix {list(shape)} in {form}")


def _floats(w: Array, form: str, shape: Shape) -> Array:
    how = ON_DEVICES[form]
    return _decoded(how, by_blocks(how, w, math.prod(shape) // how.size)).reshape(shape)


def _decoded(how: BlockFormat, blocks: Blocks) -> Array:
    assert how.decode is not None
    with np.errstate(all="ignore"):  # scales may be infinite or NaN
        return how.decode(blocks)


def _params(form: str, shape: Shape) -> dict[str, Any]:
    """Return the parameters with which kernels read a matrix.

    `bits` has five numbers for each part of a value: the first byte of its field, the number of
    bytes of a block, and the numbers of :class:`~.block_formats.Bits`.
    """
    how, (n, k) = ON_DEVICES[form], shape
    packing, (begins, size) = how.packing, begins_of(how, n * k // how.size)
    assert packing is not None
    bits = [
        [begins[one.field], how.layout[one.field].itemsize, one.bits, one.width, one.place]
        for one in packing.bits
    ]
    return {
        "n": n,
        "k": k,
        "bytes": size,
        "size": how.size,
        "group": packing.group,
        "bits": [number for one in bits for number in one],
        "offset": packing.offset,
        "table": list(packing.table),
        "scale": packing.scale,
        "minimum": "true" if packing.has_minimum else "false",
        "scales": [begins[name] for name in packing.scales],
    }


def _dequantize_infer(w: Aval, form: str, shape: Shape) -> Aval:
    _check("dequantize_blocks", w, form, shape)
    return Aval(shape, float32)


def _dequantize_kernel(w: Aval, form: str, shape: Shape) -> KernelCall:
    return KernelCall("dequantize_blocks", ("w",), _params(form, shape))


dequantize_blocks = register(
    Op(
        "dequantize_blocks",
        COMPILER,
        _dequantize_infer,
        lambda w, form, shape: _floats(w, form, shape),
        kernel=_dequantize_kernel,
        reads_bytes=True,
        expands=True,
        doc="dequantize_blocks(w, form, shape): the values of a matrix in a block format.",
    )
)


def _multiply_infer(x: Aval, w: Aval, form: str, shape: Shape, transpose_b: bool) -> Aval:
    _check("multiply_blocks", w, form, shape)
    n, k = shape if transpose_b else shape[::-1]
    if x.dtype != float32 or x.shape[-1:] != (k,):
        raise invalid("multiply_blocks", f"cannot multiply {x} by weights {list(shape)}")
    return Aval((*x.shape[:-1], n), float32)


def _multiply_ref(x: Any, w: Any, form: str, shape: Shape, transpose_b: bool) -> Any:
    matrix = _floats(w, form, shape)
    return x @ (matrix.T if transpose_b else matrix)


def _multiply_kernel(x: Aval, w: Aval, form: str, shape: Shape, transpose_b: bool) -> KernelCall:
    turned = {"m": math.prod(x.shape[:-1]), "transpose_b": "true" if transpose_b else "false"}
    return KernelCall("multiply_blocks", ("x", "w"), _params(form, shape) | turned)


multiply_blocks = register(
    Op(
        "multiply_blocks",
        COMPILER,
        _multiply_infer,
        _multiply_ref,
        kernel=_multiply_kernel,
        reads_bytes=True,
        doc="""multiply_blocks(x, w, form, shape, transpose_b): `x` times a matrix in blocks.

        With `transpose_b`, `x` [..., k] is multiplied by the transpose of the matrix [n, k],
        otherwise `x` [..., n] by the matrix.
        """,
    )
)


_ROWS = Indexed(1, "gather: indices", lambda w, indices, form, shape: shape[0])


def _gather_infer(w: Aval, indices: Aval, form: str, shape: Shape) -> Aval:
    _check("gather_blocks", w, form, shape)
    if indices.dtype != int32:
        raise invalid("gather_blocks", f"the indices {indices} are not int32")
    return Aval((*indices.shape, shape[1]), float32)


def _gather_ref(w: Any, indices: Any, form: str, shape: Shape) -> Any:
    how = ON_DEVICES[form]
    blocks = by_blocks(how, w, math.prod(shape) // how.size).reshape(shape[0], -1)
    _ROWS.check(indices, (w.shape, indices.shape), {"form": form, "shape": shape})
    return _decoded(how, blocks[indices].reshape(-1)).reshape(*indices.shape, shape[1])


def _gather_kernel(w: Aval, indices: Aval, form: str, shape: Shape) -> KernelCall:
    params = _params(form, shape) | {"m": indices.size}
    return KernelCall("gather_blocks", ("w", "indices"), params)


gather_blocks = register(
    Op(
        "gather_blocks",
        COMPILER,
        _gather_infer,
        _gather_ref,
        kernel=_gather_kernel,
        indexed=_ROWS,
        reads_bytes=True,
        doc="gather_blocks(w, indices, form, shape): rows of a matrix in a block format.",
    )
)
