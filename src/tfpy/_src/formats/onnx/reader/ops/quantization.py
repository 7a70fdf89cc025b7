"""Quantized integers, which represent real numbers by a scale and a zero point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.constants import cast_to
from tfpy._src.formats.onnx.reader.ops.convolution import convolved
from tfpy._src.formats.onnx.reader.ops.linear import whole_product
from tfpy._src.formats.onnx.reader.ops.windows import Windows, windows
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.tensors import DTYPES
from tfpy._src.formats.onnx.reader.values import dtype_of, like, positive
from tfpy._src.tensors.array.joining import pad, repeat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min

_EXACT = 1 << 24  # float32 represents all integers up to this one
_LARGEST_PRODUCT = 255 * 255


def _along(v: Tensor, x: Tensor, axis: int, block: int, op: str) -> Tensor:
    """Reshape a scale or zero point to broadcast with x: per tensor, per row or per block."""
    if v.ndim == 0 or (v.ndim == 1 and v.aval.shape[0] == 1):
        return reshape(v, [])
    axis = positive(axis, x.ndim, op)
    if block:
        wide = repeat(v, block, axis)
        cut = [slice(None)] * x.ndim
        cut[axis] = slice(0, x.aval.shape[axis])
        return wide[tuple(cut)]
    if v.ndim == 1:
        return reshape(v, [-1 if i == axis else 1 for i in range(x.ndim)])
    return v


def _number(dtype: DType) -> int:
    return next(number for number, name in DTYPES.items() if name == dtype.name)


def rounded(x: Tensor, zero: Any, dtype: DType) -> Tensor:
    """Round x to an integer, add the zero point, and limit it to the range of the dtype."""
    y = p.rint(x) + cast(zero, "float32")
    low, high = like(float(dtype.min), y), like(float(dtype.max), y)
    return cast(cast(p.minimum(p.maximum(y, low), high), "int32"), dtype)


@operation("QuantizeLinear")
def quantize_linear(
    x: Tensor, scale: Tensor, zero: Tensor | None = None, *, axis: int = 1, block_size: int = 0,
    output_dtype: int = 0, precision: int = 0, saturate: int = 1,
) -> Any:  # fmt: skip
    if zero is not None:
        dtype = zero.dtype
    else:
        dtype = dtype_of(output_dtype, "QuantizeLinear") if output_dtype else dtypes.uint8
    step = cast(_along(scale, x, axis, block_size, "QuantizeLinear"), "float32")
    y = cast(x, "float32") / step
    if not dtype.is_integer:
        return cast_to(y, _number(dtype), saturate)
    offset: Any = np.float32(0)
    if zero is not None:
        offset = _along(cast(zero, "float32"), x, axis, block_size, "QuantizeLinear")
    return rounded(y, offset, dtype)


@operation("DequantizeLinear")
def dequantize_linear(
    x: Tensor, scale: Tensor, zero: Tensor | None = None, *, axis: int = 1, block_size: int = 0,
    output_dtype: int = 0,
) -> Any:  # fmt: skip
    y = cast(x, "float32")
    if zero is not None:
        y = y - _along(cast(zero, "float32"), x, axis, block_size, "DequantizeLinear")
    y = y * cast(_along(scale, x, axis, block_size, "DequantizeLinear"), "float32")
    return cast(y, dtype_of(output_dtype, "DequantizeLinear") if output_dtype else scale.dtype)


@operation("DynamicQuantizeLinear")
def dynamic_quantize_linear(x: Tensor) -> Any:
    """Quantize to uint8 with the scale and zero point of the tensor's range."""
    zero = like(0, x)
    low, high = p.minimum(reduce_min(x), zero), p.maximum(reduce_max(x), zero)
    scale = (high - low) / 255
    safe = p.maximum(scale, like(1e-38, x))
    point = p.rint(p.minimum(p.maximum(-low / safe, zero), like(255, x)))
    return rounded(x / safe, point, dtypes.uint8), scale, cast(cast(point, "int32"), "uint8")


def _centered(x: Tensor, zero: Tensor | None, by_row: bool = False) -> Tensor:
    """Subtract the zero point, in int32."""
    y = cast(x, "int32")
    if zero is None:
        return y
    z = cast(zero, "int32")
    if z.ndim == 1 and z.aval.shape[0] > 1 and by_row:
        z = reshape(z, [-1, 1])
    return y - (reshape(z, []) if z.size == 1 else z)


@operation("MatMulInteger")
def mat_mul_integer(
    a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None
) -> Any:
    return whole_product(_centered(a, a_zero, by_row=True), _centered(b, b_zero))


@operation("QLinearMatMul")
def q_linear_mat_mul(
    a: Tensor, a_scale: Tensor, a_zero: Tensor, b: Tensor, b_scale: Tensor, b_zero: Tensor,
    y_scale: Tensor, y_zero: Tensor,
) -> Any:  # fmt: skip
    total = whole_product(_centered(a, a_zero, by_row=True), _centered(b, b_zero))
    a_step = reshape(a_scale, [-1, 1] if a_scale.size > 1 else [])
    b_step = b_scale if b_scale.size > 1 else reshape(b_scale, [])
    factor = cast(a_step, "float32") * cast(b_step, "float32") / cast(y_scale, "float32")
    return rounded(cast(total, "float32") * factor, y_zero, y_zero.dtype)


def _whole_convolution(x: Tensor, w: Tensor, group: int, at: Windows) -> Tensor:
    """Convolve integers exactly, in int32, by summing parts that are exact in float32."""
    x = pad(x, [(0, 0), (0, 0), *at.pads])
    at = Windows(at.kernel, at.strides, at.dilations, ((0, 0),) * len(at.kernel))
    most = max(1, _EXACT // (_LARGEST_PRODUCT * math.prod(at.kernel)))
    depth = w.aval.shape[1]
    if depth <= most or group > 1:
        return cast(convolved(cast(x, "float32"), cast(w, "float32"), group, at), "int32")
    total: Any = 0
    for i in range(0, depth, most):
        part = slice(i, min(i + most, depth))
        found = convolved(cast(x[:, part], "float32"), cast(w[:, part], "float32"), 1, at)
        total = total + cast(found, "int32")
    return total


@operation("ConvInteger")
def conv_integer(
    x: Tensor, w: Tensor, x_zero: Tensor | None = None, w_zero: Tensor | None = None, *,
    auto_pad: str = "NOTSET", dilations: Ints | None = None, group: int = 1,
    kernel_shape: Ints | None = None, pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    at = windows(
        "ConvInteger", x.aval.shape[2:], w.aval.shape[2:], strides, dilations, pads, auto_pad
    )
    if w_zero is not None and w_zero.size > 1:
        w_zero = reshape(w_zero, [-1] + [1] * (w.ndim - 1))
    return _whole_convolution(_centered(x, x_zero), _centered(w, w_zero), group, at)


@operation("QLinearConv")
def q_linear_conv(
    x: Tensor, x_scale: Tensor, x_zero: Tensor, w: Tensor, w_scale: Tensor, w_zero: Tensor,
    y_scale: Tensor, y_zero: Tensor, b: Tensor | None = None, *, auto_pad: str = "NOTSET",
    dilations: Ints | None = None, group: int = 1, kernel_shape: Ints | None = None,
    pads: Ints | None = None, strides: Ints | None = None,
) -> Any:  # fmt: skip
    total = conv_integer(
        x, w, x_zero, w_zero, auto_pad=auto_pad, dilations=dilations, group=group, pads=pads,
        strides=strides,
    )  # fmt: skip
    channel = [1, -1] + [1] * (x.ndim - 2)
    if b is not None:
        total = total + reshape(b, channel)
    step = reshape(w_scale, channel if w_scale.size > 1 else [])
    factor = reshape(x_scale, []) * step / reshape(y_scale, [])
    return rounded(cast(total, "float32") * factor, reshape(y_zero, []), y_zero.dtype)


def dynamic_product(x: Tensor, w: Tensor, scale: Tensor, zero: Tensor | None) -> Tensor:
    """Return the product of floats, which are first quantized to uint8, and quantized weights.

    Args:
        x: Floats [..., k].
        w: Quantized weights [k, n].
        scale: Scale of the weights, or one for each column.
        zero: Zero point of the weights, or one for each column.
    """
    numbers, step, point = dynamic_quantize_linear(x)
    total = whole_product(_centered(numbers, point), _centered(w, zero))
    return cast(total, "float32") * (step * (reshape(scale, []) if scale.size == 1 else scale))


@operation("com.microsoft.DynamicQuantizeMatMul")
def dynamic_quantize_mat_mul(
    a: Tensor, b: Tensor, b_scale: Tensor, b_zero: Tensor | None = None, bias: Tensor | None = None
) -> Any:
    _check_columns("DynamicQuantizeMatMul", b, b_scale, b_zero, bias)
    y = dynamic_product(a, b, b_scale, b_zero)
    return y if bias is None else y + bias


@operation("com.microsoft.MatMulIntegerToFloat")
def mat_mul_integer_to_float(
    a: Tensor, b: Tensor, a_scale: Tensor, b_scale: Tensor, a_zero: Tensor | None = None,
    b_zero: Tensor | None = None, bias: Tensor | None = None,
) -> Any:  # fmt: skip
    """Multiply quantized matrices, and convert the product to floats."""
    op = "MatMulIntegerToFloat"
    _check_columns(op, b, b_scale, b_zero, bias)
    if a_scale.size != 1 or (a_zero is not None and a_zero.size != 1):
        raise invalid(op, f"the scale and zero point of A must be scalars, got {a_scale.aval}")
    total = whole_product(_centered(a, a_zero), _centered(b, b_zero))
    step = cast(reshape(a_scale, []), "float32")
    factor = step * cast(reshape(b_scale, []) if b_scale.size == 1 else b_scale, "float32")
    y = cast(cast(total, "float32") * factor, a_scale.dtype)
    return y if bias is None else y + bias


def _check_columns(op: str, b: Tensor, *given: Tensor | None) -> None:
    """Check that scales, zero points and a bias are scalars or have an element for each column."""
    n = b.aval.shape[-1] if b.ndim else 0
    for one in given:
        if one is not None and one.size != 1 and one.aval.shape != (n,):
            raise invalid(op, f"a scale, zero point or bias {one.aval} does not match {n} columns")
