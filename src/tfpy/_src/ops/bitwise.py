"""Elementwise primitives on bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.dtypes import DType
from tfpy._src.errors import invalid
from tfpy._src.ir import expr as ex
from tfpy._src.ir.aval import Aval
from tfpy._src.ir.expr import Expr
from tfpy._src.ir.op import Laws, Op, register
from tfpy._src.ops.families import infer
from tfpy._src.ops.families.elementwise import binary, elementwise
from tfpy._src.ops.families.infer import INTEGER
from tfpy._src.ops.families.samples import elementwise_samples

bitwise_and = binary(
    "bitwise_and",
    np.bitwise_and,
    lambda x, y: x & y,
    takes=INTEGER,
    public="bitwise.bitwise_and",
    laws=Laws(commutative=True, neutral=-1, absorbing=0, idempotent=True),
    doc="The bits that x and y both have, element by element, with broadcasting, of integers.",
)
bitwise_or = binary(
    "bitwise_or",
    np.bitwise_or,
    lambda x, y: x | y,
    takes=INTEGER,
    public="bitwise.bitwise_or",
    laws=Laws(commutative=True, neutral=0, idempotent=True),
    doc="The bits that x or y has, element by element, with broadcasting, of integers.",
)
bitwise_xor = binary(
    "bitwise_xor",
    np.bitwise_xor,
    lambda x, y: x ^ y,
    takes=INTEGER,
    public="bitwise.bitwise_xor",
    laws=Laws(commutative=True, neutral=0),
    doc="The bits that one of x and y has, element by element, with broadcasting, of integers.",
)
invert = elementwise(
    "invert",
    np.invert,
    lambda x: ~x,
    takes=INTEGER,
    public="bitwise.invert",
    laws=Laws(involution=True),
    doc="All bits turned, element by element, of integers: -1 - x of signed ones.",
)


def _distance(x: Any, y: Any) -> Any:
    """How far a shift goes: TensorFlow limits it to the width of the numbers."""
    return np.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(x.dtype)


def _device_distance(y: Expr) -> Expr:
    return ex.minimum(ex.maximum(y, 0), 31)


left_shift = binary(
    "left_shift",
    lambda x, y: np.left_shift(x, _distance(x, y)),
    lambda x, y: x << _device_distance(y),
    takes=INTEGER,
    domain=(-40.0, 40.0),
    public="bitwise.left_shift",
    doc="The bits of x moved up by y places, of which there are at most as many as x has bits.",
)
right_shift = binary(
    "right_shift",
    lambda x, y: np.right_shift(x, _distance(x, y)),
    lambda x, y: x >> _device_distance(y),
    takes=INTEGER,
    domain=(-40.0, 40.0),
    public="bitwise.right_shift",
    doc="The bits of x moved down by y places; a sign stays.",
)


def _bitcast_infer(x: Aval, dtype: DType) -> Aval:
    infer.check_dtype("bitcast", x, infer.REAL)
    old, new = x.dtype.size, dtype.size
    if old >= new:
        return Aval((*x.shape, old // new) if old > new else x.shape, dtype)
    if not x.rank or x.shape[-1] != new // old:
        raise invalid("bitcast", f"Cannot bitcast from {new} to {old} bytes: shape {list(x.shape)}")
    return Aval(x.shape[:-1], dtype)


def _bitcast_ref(x: Any, dtype: DType) -> Any:
    shape = _bitcast_infer(Aval(x.shape, dtypes.as_dtype(x.dtype)), dtype).shape
    return np.ascontiguousarray(x).view(np.uint8).view(dtype.as_numpy_dtype).reshape(shape)


bitcast = register(
    Op(
        "bitcast",
        "elementwise",
        _bitcast_infer,
        _bitcast_ref,
        expr=lambda x, dtype: ex.bitcast(x, dtype),
        params=("x",),
        by_bits=True,
        doc="The same bits as another dtype; on devices, float32 and int32.",
        samples=elementwise_samples(
            1,
            (dtypes.float32, dtypes.int32),
            (-9.0, 9.0),
            attrs=[{"dtype": d} for d in (dtypes.float32, dtypes.int32)],
        ),
    )
)
