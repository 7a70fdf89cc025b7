"""Conversions of elements to a different dtype: by value, and by bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir import complex_expr, expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.op import Laws, Op, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.samples import elementwise_samples
from tfpy._src.compiler.ops.reference import math as host


def _cast_ref(x: Any, dtype: DType) -> Any:
    if x.dtype.kind == "c":
        x = x.real
    number = dtype.as_numpy_dtype
    return host.to_integer(x, number) if dtype.is_integer else x.astype(number)


def _cast_infer(x: Aval, dtype: DType) -> Aval:
    infer.check_dtype("cast", x, infer.CASTABLE)
    return Aval(x.shape, dtype)


def _cast_vjp(g: Any, y: Any, x: Any, dtype: DType) -> tuple[Any]:
    return (cast(g, dtype=x.dtype) if x.dtype.is_differentiable else None,)


cast: Op = register(
    Op(
        "cast",
        "elementwise",
        _cast_infer,
        _cast_ref,
        _cast_vjp,
        complex_expr.cast,
        by_rows=True,
        laws=Laws(exact=True, sparse=True),
        doc="""x in a different dtype. Floats are truncated to integers, and values out of range
        wrap around.""",
        samples=elementwise_samples(
            1,
            dtypes.DEVICE_DTYPES,
            (-9.0, 9.0),
            attrs=[{"dtype": d} for d in (dtypes.float32, dtypes.int32, dtypes.bool)],
        ),
    )
)


def _bitcast_infer(x: Aval, dtype: DType) -> Aval:
    if not x.dtype.is_quantized:
        infer.check_dtype("bitcast", x, infer.REAL)
    old, new = x.dtype.size, dtype.size
    if old >= new:
        return Aval((*x.shape, old // new) if old > new else x.shape, dtype)
    if not x.rank or x.shape[-1] != new // old:
        raise invalid("bitcast", f"Cannot bitcast from {new} to {old} bytes: shape {list(x.shape)}")
    return Aval(x.shape[:-1], dtype)


def _bitcast_ref(x: Any, dtype: DType) -> Any:
    old = dtypes.as_dtype(x.dtype[0] if x.dtype.names else x.dtype)  # quantized: a record
    shape = _bitcast_infer(Aval(x.shape, old), dtype).shape
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
        laws=Laws(exact=True),
        doc="The bits of x as a different dtype. Devices support float32 and int32.",
        samples=elementwise_samples(
            1,
            (dtypes.float32, dtypes.int32),
            (-9.0, 9.0),
            attrs=[{"dtype": d} for d in (dtypes.float32, dtypes.int32)],
        ),
    )
)
