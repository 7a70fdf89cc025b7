"""Elementwise arithmetic, comparisons, logic, bitwise operations and special functions."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import gamma
from tfpy._src.compiler.ops.masked import masked_multiply
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import of_tensors
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.tfjs.functions import prelu
from tfpy._src.tensors.array.casting import bitcast
from tfpy._src.tensors.array.complex_numbers import angle, complex, conj, imag, real
from tfpy._src.tensors.array.joining import of_one_dtype
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.arithmetic import (
    accumulate_n,
    add_n,
    clip_by_value,
    divide_no_nan,
    sign,
)
from tfpy._src.tensors.special import bessel, integrals


def _quotient(x: Any, y: Any) -> Tensor:
    """Divide; integers are rounded towards 0."""
    a = convert_to_tensor(x)
    return p.truncatediv(a, y) if a.dtype.is_integer else p.realdiv(a, y)


def _sum(inputs: list[Any]) -> Tensor:
    if not inputs:
        raise invalid("AddN", "inputs must contain at least one tensor")
    return add_n(of_one_dtype(inputs))


def _rows_of_either(condition: Any, t: Any, e: Any) -> Tensor:
    """Select elements; a vector condition selects rows of tensors with more dimensions."""
    test, x = convert_to_tensor(condition), convert_to_tensor(t)
    if test.ndim == 1 < x.ndim:
        test = reshape(test, [-1, *[1] * (x.ndim - 1)])
    return where(test, x, e)


def _approximately_equal(x: Any, y: Any, tolerance: float) -> Tensor:
    one, two = convert_to_tensor(x), convert_to_tensor(y)
    if one.aval.shape != two.aval.shape:
        raise invalid(
            "approximate_equal",
            f"x and y must be of the same shape. x shape: {list(one.aval.shape)}. y shape: "
            f"{list(two.aval.shape)}",
        )
    return p.less(p.abs(p.subtract(one, two)), tolerance)


def _ones_in_bits(x: Any) -> Tensor:
    """Return the number of one bits of each integer as uint8."""
    n = convert_to_tensor(x)
    bits = [p.bitwise_and(p.right_shift(n, cast(i, n.dtype)), 1) for i in range(8 * n.dtype.size)]
    return cast(add_n(bits), dtypes.uint8)


def _reciprocal_gradient(y: Tensor, dy: Tensor) -> Any:
    slope = conj(y)
    return masked_multiply(-slope * slope, dy)


def _rsqrt_gradient(y: Tensor, dy: Tensor) -> Any:
    slope = conj(y)
    return masked_multiply(slope * slope * -0.5, masked_multiply(slope, dy))


# Unary

op("Abs(x) -> y", p.abs)
op("Acos(x) -> y", p.acos)
op("Acosh(x) -> y", p.acosh)
op("Asin(x) -> y", p.asin)
op("Asinh(x) -> y", p.asinh)
op("Atan(x) -> y", p.atan)
op("Atanh(x) -> y", p.atanh)
op("BesselI0(x) -> y", p.bessel_i0)
op("BesselI0e(x) -> y", p.bessel_i0e)
op("BesselI1(x) -> y", p.bessel_i1)
op("BesselI1e(x) -> y", p.bessel_i1e)
op("Ceil(x) -> y", p.ceil)
op("Cos(x) -> y", p.cos)
op("Cosh(x) -> y", p.cosh)
op("Digamma(x) -> y", p.digamma)
op("Erf(x) -> y", p.erf)
op("Erfc(x) -> y", p.erfc)
op("Erfinv(x) -> y", p.erfinv)
op("Exp(x) -> y", p.exp)
op("Expm1(x) -> y", p.expm1)
op("Floor(x) -> y", p.floor)
op("Inv(x) -> y", p.reciprocal)
op("Lgamma(x) -> y", p.lgamma)
op("Log(x) -> y", p.log)
op("Log1p(x) -> y", p.log1p)
op("Ndtri(x) -> y", p.ndtri)
op("Neg(x) -> y", p.negative)
op("Reciprocal(x) -> y", p.reciprocal)
op("Rint(x) -> y", p.rint)
op("Round(x) -> y", p.round)
op("Rsqrt(x) -> y", p.rsqrt)
op("Sigmoid(x) -> y", p.sigmoid)
op("Sign(x) -> y", sign)
op("Sin(x) -> y", p.sin)
op("Sinh(x) -> y", p.sinh)
op("Sqrt(x) -> y", p.sqrt)
op("Square(x) -> y", p.square)
op("Tan(x) -> y", p.tan)
op("Tanh(x) -> y", p.tanh)
op("IsFinite(x) -> y", p.is_finite)
op("IsInf(x) -> y", p.is_inf)
op("IsNan(x) -> y", p.is_nan)

# Binary

op("Add(x, y) -> z", p.add)
op("AddV2(x, y) -> z", p.add)
op("Atan2(y, x) -> z", p.atan2)
op("Betainc(a, b, x) -> z", p.betainc)
op("Div(x, y) -> z", _quotient)
op("DivNoNan(x, y) -> z", divide_no_nan)
op("FloorDiv(x, y) -> z", p.floordiv)
op("FloorMod(x, y) -> z", p.floormod)
op("Igamma(a, x) -> z", p.igamma)
op("Igammac(a, x) -> z", p.igammac)
op("Maximum(x, y) -> z", p.maximum)
op("Minimum(x, y) -> z", p.minimum)
op("Mod(x, y) -> z", p.truncatemod)
op("Mul(x, y) -> z", p.multiply)
op("MulNoNan(x, y) -> z", p.multiply_no_nan)
op("NextAfter(x1, x2) -> output", p.nextafter)
op("Polygamma(a, x) -> z", p.polygamma)
op("Pow(x, y) -> z", p.pow)
op("RealDiv(x, y) -> z", p.realdiv)
op("SquaredDifference(x, y) -> z", p.squared_difference)
op("Sub(x, y) -> z", p.subtract)
op("TruncateDiv(x, y) -> z", p.truncatediv)
op("TruncateMod(x, y) -> z", p.truncatemod)
op("Xdivy(x, y) -> z", p.xdivy)
op("Xlog1py(x, y) -> z", p.xlog1py)
op("Xlogy(x, y) -> z", p.xlogy)
op("Zeta(x, q) -> z", p.zeta)

# N-ary

op("AccumulateNV2(inputs*N; shape) -> sum", accumulate_n)
op("AddN(inputs*N) -> sum", _sum)
op("ClipByValue(t, clip_value_min, clip_value_max) -> output", clip_by_value)
op("Prelu(x, alpha) -> y", prelu)

# Comparison and selection

op("ApproximateEqual(x, y; tolerance=1e-05) -> z", _approximately_equal)
op("Equal(x, y; incompatible_shape_error=True) -> z", p.equal)
op("Greater(x, y) -> z", p.greater)
op("GreaterEqual(x, y) -> z", p.greater_equal)
op("Less(x, y) -> z", p.less)
op("LessEqual(x, y) -> z", p.less_equal)
op("NotEqual(x, y; incompatible_shape_error=True) -> z", p.not_equal)
op("LogicalAnd(x, y) -> z", p.logical_and)
op("LogicalNot(x) -> y", p.logical_not)
op("LogicalOr(x, y) -> z", p.logical_or)
op("Select(condition, x, y) -> output", _rows_of_either)
op("SelectV2(condition, t, e) -> output", where)
op("ToBool(input) -> output", lambda input: p.not_equal(input, cast(0, input.dtype)))

# Bits

op("BitwiseAnd(x, y) -> z", p.bitwise_and)
op("BitwiseOr(x, y) -> z", p.bitwise_or)
op("BitwiseXor(x, y) -> z", p.bitwise_xor)
op("Invert(x) -> y", p.invert)
op("LeftShift(x, y) -> z", p.left_shift)
op("RightShift(x, y) -> z", p.right_shift)
op("PopulationCount(x) -> y", _ones_in_bits)
op("Bitcast(input; type) -> output", lambda input, type: bitcast(input, type))

# Complex numbers and dtypes

op("Angle(input; Tout=float32) -> output", angle)
op("Cast(x; DstT, Truncate=False) -> y", lambda x, DstT: cast(x, DstT))
op("Complex(real, imag; Tout=complex64) -> out", complex)
op("ComplexAbs(x; Tout=float32) -> y", p.abs)
op("Conj(input) -> output", conj)
op("Imag(input; Tout=float32) -> output", imag)
op("Real(input; Tout=float32) -> output", real)

# Gradients of other operations. For sigmoid and tanh the caller has conjugated complex numbers.

op("InvGrad(y, dy) -> z", of_tensors(_reciprocal_gradient))
op("ReciprocalGrad(y, dy) -> z", of_tensors(_reciprocal_gradient))
op("RsqrtGrad(y, dy) -> z", of_tensors(_rsqrt_gradient))
op("SigmoidGrad(y, dy) -> z", of_tensors(lambda y, dy: y * (1 - y) * dy))
op("SqrtGrad(y, dy) -> z", of_tensors(lambda y, dy: masked_multiply(0.5 / conj(y), dy)))
op("TanhGrad(y, dy) -> z", of_tensors(lambda y, dy: dy * (1 - y * y)))
op("IgammaGradA(a, x) -> z", gamma.igamma_grad_a)
op("RandomGammaGrad(alpha, sample) -> output", gamma.random_gamma_grad)

# Special functions

op("BesselJ0(x) -> y", bessel.bessel_j0)
op("BesselJ1(x) -> y", bessel.bessel_j1)
op("BesselK0(x) -> y", bessel.bessel_k0)
op("BesselK0e(x) -> y", bessel.bessel_k0e)
op("BesselK1(x) -> y", bessel.bessel_k1)
op("BesselK1e(x) -> y", bessel.bessel_k1e)
op("BesselY0(x) -> y", bessel.bessel_y0)
op("BesselY1(x) -> y", bessel.bessel_y1)
op("Dawsn(x) -> y", integrals.dawsn)
op("Expint(x) -> y", integrals.expint)
op("FresnelCos(x) -> y", integrals.fresnel_cos)
op("FresnelSin(x) -> y", integrals.fresnel_sin)
op("Spence(x) -> y", integrals.spence)
