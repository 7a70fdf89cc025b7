"""Writers of elementwise primitives."""

from __future__ import annotations

import math

from tfpy._src.base.dtypes import DType
from tfpy._src.formats.graph_writing.emitter import BOOL, NodeValue, Record
from tfpy._src.formats.onnx.writer.nodes import Nodes, record, refuse

_SAME = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "real_div": "Div", "pow": "Pow",
    "negative": "Neg", "abs": "Abs", "sign": "Sign", "reciprocal": "Reciprocal", "sqrt": "Sqrt",
    "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "tanh": "Tanh", "erf": "Erf", "sigmoid": "Sigmoid",
    "relu": "Relu", "elu": "Elu", "selu": "Selu", "softplus": "Softplus", "maximum": "Max",
    "minimum": "Min", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor",
    "logical_not": "Not", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "invert": "BitwiseNot",
}  # fmt: skip
_TESTS = {
    "equal": "Equal", "less": "Less", "less_equal": "LessOrEqual", "greater": "Greater",
    "greater_equal": "GreaterOrEqual", "is_nan": "IsNaN", "is_inf": "IsInf",
}  # fmt: skip
_WHOLE = {"floor": "Floor", "ceil": "Ceil", "round": "Round", "rint": "Round"}


def _plain(op: str, dtype: DType | None = None) -> Record:
    return lambda w, *values: w.op(op, *values, dtype=dtype)


def _whole(op: str) -> Record:
    return lambda w, x: w.op(op, x) if x.dtype.is_floating else x


for _name, _op in _SAME.items():
    record(_name)(_plain(_op))
for _name, _op in _TESTS.items():
    record(_name)(_plain(_op, BOOL))
for _name, _op in _WHOLE.items():
    record(_name)(_whole(_op))

refuse(
    "it has no such operator",
    "left_shift right_shift bitcast nextafter erfinv ndtri lgamma digamma zeta polygamma "
    "bessel_i0e bessel_i0 bessel_i1 bessel_i1e",
)
refuse("it has no complex numbers", "complex real imag conj angle dft")


@record("cast")
def _cast(w: Nodes, x: NodeValue, *, dtype: DType) -> NodeValue:
    return w.cast(x, dtype)


@record("select")
def _select(w: Nodes, condition: NodeValue, x: NodeValue, y: NodeValue) -> NodeValue:
    return w.where(condition, x, y)


@record("not_equal")
def _not_equal(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return w.op("Not", w.test("Equal", x, y))


@record("is_finite")
def _is_finite(w: Nodes, x: NodeValue) -> NodeValue:
    strange = w.op("Or", w.op("IsInf", x, dtype=BOOL), w.op("IsNaN", x, dtype=BOOL))
    return w.op("Not", strange)


@record("square")
def _square(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Mul", x, x)


@record("squared_difference")
def _squared_difference(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _square(w, w.op("Sub", x, y))


@record("rsqrt")
def _rsqrt(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Reciprocal", w.op("Sqrt", x))


@record("expm1")
def _expm1(w: Nodes, x: NodeValue) -> NodeValue:
    # exp(x) - 1 cancels near zero; 2 sinh(x / 2) exp(x / 2) does not.
    half = w.op("Mul", x, w.number(0.5, x))
    return w.op("Mul", w.op("Mul", w.number(2, x), w.op("Sinh", half)), w.op("Exp", half))


@record("log1p")
def _log1p(w: Nodes, x: NodeValue) -> NodeValue:
    # Dividing by u - 1 compensates for the rounding of u = 1 + x.
    one = w.number(1, x)
    u = w.op("Add", x, one)
    mended = w.op("Div", w.op("Mul", w.op("Log", u), x), w.op("Sub", u, one))
    plain = w.op("Or", w.test("Equal", u, one), w.op("IsInf", u, dtype=BOOL))
    return w.where(plain, x, mended)


@record("erfc")
def _erfc(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Sub", w.number(1, x), w.op("Erf", x))


@record("relu6")
def _relu6(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Clip", x, w.number(0, x), w.number(6, x))


@record("leaky_relu")
def _leaky_relu(w: Nodes, x: NodeValue, *, alpha: float) -> NodeValue:
    return w.op("LeakyRelu", x, alpha=float(alpha))


def _where_positive(w: Nodes, tested: NodeValue, g: NodeValue, otherwise: NodeValue) -> NodeValue:
    return w.where(w.test("Greater", tested, w.number(0, tested)), g, otherwise)


@record("relu_grad")
def _relu_grad(w: Nodes, g: NodeValue, y: NodeValue) -> NodeValue:
    return _where_positive(w, y, g, w.number(0, g))


@record("relu6_grad")
def _relu6_grad(w: Nodes, g: NodeValue, y: NodeValue) -> NodeValue:
    below = w.test("Less", y, w.number(6, y))
    return w.where(below, _relu_grad(w, g, y), w.number(0, g))


@record("leaky_relu_grad")
def _leaky_relu_grad(w: Nodes, g: NodeValue, x: NodeValue, *, alpha: float) -> NodeValue:
    return _where_positive(w, x, g, w.op("Mul", g, w.number(alpha, g)))


def _where_zero(w: Nodes, tested: NodeValue, found: NodeValue) -> NodeValue:
    """Return zero where the tested value is zero."""
    return w.where(w.test("Equal", tested, w.number(0, tested)), w.number(0, found), found)


@record("divide_no_nan")
def _divide_no_nan(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, y, w.op("Div", x, y))


@record("masked_multiply")
@record("multiply_no_nan")
def _multiply_no_nan(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, y, w.op("Mul", x, y))


@record("xdivy")
def _xdivy(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, x, w.op("Div", x, y))


@record("xlogy")
def _xlogy(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, x, w.op("Mul", x, w.op("Log", y)))


@record("xlog1py")
def _xlog1py(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, x, w.op("Mul", x, _log1p(w, y)))


@record("floordiv")
def _floordiv(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    if x.dtype.is_floating:
        return w.op("Floor", w.op("Div", x, y))
    return w.op("Div", w.op("Sub", x, w.op("Mod", x, y)), y)


@record("floormod")
def _floormod(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    if not x.dtype.is_floating:
        return w.op("Mod", x, y)
    rest = w.op("Mod", x, y, fmod=1)
    zero = w.number(0, x)
    differ = w.op("Xor", w.test("Less", rest, zero), w.test("Less", y, zero))
    wrong = w.op("And", differ, w.op("Not", w.test("Equal", rest, zero)))
    return w.where(wrong, w.op("Add", rest, y), rest)


@record("truncatediv")
def _truncatediv(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    whole = w.op("Div", x, y)
    if not x.dtype.is_floating:
        return whole
    return w.op("Mul", w.op("Sign", whole), w.op("Floor", w.op("Abs", whole)))


@record("truncatemod")
def _truncatemod(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return w.op("Mod", x, y, fmod=1)


@record("atan2")
def _atan2(w: Nodes, y: NodeValue, x: NodeValue) -> NodeValue:
    zero, pi = w.number(0, x), w.number(math.pi, x)
    turn = w.where(w.test("Less", y, zero), w.number(-math.pi, x), pi)
    right = w.op("Atan", w.op("Div", y, x))
    left = w.op("Add", right, turn)
    upright = w.op("Mul", w.op("Sign", y), w.number(math.pi / 2, x))
    sides = w.where(w.test("Less", x, zero), left, right)
    return w.where(w.test("Equal", x, zero), upright, sides)
