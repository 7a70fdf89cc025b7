"""Elementwise primitives as nodes of TensorFlow graphs."""

from __future__ import annotations

from tfpy._src.base.dtypes import DType
from tfpy._src.formats.graph_writing.emitter import BOOL, FLOAT, NodeValue, Record
from tfpy._src.formats.tensorflow.writer.nodes import Nodes, record, refuse

_SAME = {
    "add": "AddV2", "subtract": "Sub", "multiply": "Mul", "real_div": "RealDiv",
    "divide_no_nan": "DivNoNan", "floordiv": "FloorDiv", "floormod": "FloorMod", "pow": "Pow",
    "maximum": "Maximum", "minimum": "Minimum", "squared_difference": "SquaredDifference",
    "atan2": "Atan2", "negative": "Neg", "sign": "Sign", "square": "Square",
    "reciprocal": "Reciprocal", "sqrt": "Sqrt", "rsqrt": "Rsqrt", "exp": "Exp", "expm1": "Expm1",
    "log": "Log", "log1p": "Log1p", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "tanh": "Tanh", "erf": "Erf", "floor": "Floor",
    "ceil": "Ceil", "sigmoid": "Sigmoid", "relu": "Relu",
    "relu6": "Relu6", "elu": "Elu", "selu": "Selu", "softplus": "Softplus",
    "logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_not": "LogicalNot",
}  # fmt: skip
_TESTS = {
    "equal": "Equal", "not_equal": "NotEqual", "less": "Less", "less_equal": "LessEqual",
    "greater": "Greater", "greater_equal": "GreaterEqual", "is_nan": "IsNan", "is_inf": "IsInf",
    "is_finite": "IsFinite",
}  # fmt: skip


def _plain(op: str, dtype: DType | None = None) -> Record:
    return lambda w, *values: w.op(op, *values, dtype=dtype)


for _name, _op in _SAME.items():
    record(_name)(_plain(_op))
for _name, _op in _TESTS.items():
    record(_name)(_plain(_op, BOOL))

refuse(
    "TensorFlow.js has no such operation",
    "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitcast nextafter erfinv ndtri "
    "lgamma digamma zeta polygamma bessel_i0e bessel_i0 bessel_i1 bessel_i1e",
)


@record("round", "rint")
def _round(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Round", x) if x.dtype.is_floating else x


@record("abs")
def _abs(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("ComplexAbs", x, dtype=FLOAT) if x.dtype.is_complex else w.op("Abs", x)


@record("cast")
def _cast(w: Nodes, x: NodeValue, *, dtype: DType) -> NodeValue:
    return w.cast(x, dtype)


@record("select")
def _select(w: Nodes, condition: NodeValue, x: NodeValue, y: NodeValue) -> NodeValue:
    return w.op("SelectV2", condition, x, y, dtype=x.dtype)


def _where_zero(w: Nodes, tested: NodeValue, found: NodeValue) -> NodeValue:
    """Return `found`, with zero where `tested` is zero."""
    zero = w.number(0, found)
    return _select(w, w.op("Equal", tested, w.number(0, tested), dtype=BOOL), zero, found)


@record("masked_multiply")
@record("multiply_no_nan")
def _multiply_no_nan(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, y, w.op("Mul", x, y))


@record("xdivy")
def _xdivy(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, x, w.op("RealDiv", x, y))


@record("xlogy")
def _xlogy(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, x, w.op("Mul", x, w.op("Log", y)))


@record("xlog1py")
def _xlog1py(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return _where_zero(w, x, w.op("Mul", x, w.op("Log1p", y)))


@record("erfc")
def _erfc(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Sub", w.number(1, x), w.op("Erf", x))


@record("logical_xor")
def _xor(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    both = w.op("LogicalNot", w.op("LogicalAnd", x, y))
    return w.op("LogicalAnd", w.op("LogicalOr", x, y), both)


@record("invert")
def _invert(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Sub", w.number(-1, x), x)


def _where_positive(w: Nodes, tested: NodeValue, g: NodeValue, otherwise: NodeValue) -> NodeValue:
    positive = w.op("Greater", tested, w.number(0, tested), dtype=BOOL)
    return _select(w, positive, g, otherwise)


@record("relu_grad")
def _relu_grad(w: Nodes, g: NodeValue, y: NodeValue) -> NodeValue:
    return _where_positive(w, y, g, w.number(0, g))


@record("relu6_grad")
def _relu6_grad(w: Nodes, g: NodeValue, y: NodeValue) -> NodeValue:
    below = w.op("Less", y, w.number(6, y), dtype=BOOL)
    return _select(w, below, _where_positive(w, y, g, w.number(0, g)), w.number(0, g))


@record("leaky_relu")
def _leaky_relu(w: Nodes, x: NodeValue, *, alpha: float) -> NodeValue:
    return w.op("LeakyRelu", x, alpha=float(alpha))


@record("leaky_relu_grad")
def _leaky_relu_grad(w: Nodes, g: NodeValue, x: NodeValue, *, alpha: float) -> NodeValue:
    return _where_positive(w, x, g, w.op("Mul", g, w.number(alpha, g)))


@record("complex")
def _complex(w: Nodes, real: NodeValue, imag: NodeValue) -> NodeValue:
    return w.op("Complex", real, imag, dtype=w.result[0].dtype)


@record("real")
def _real(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Real", x, dtype=FLOAT)


@record("imag")
def _imag(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Imag", x, dtype=FLOAT)


@record("conj")
def _conj(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Complex", _real(w, x), w.op("Neg", _imag(w, x)), dtype=x.dtype)


@record("angle")
def _angle(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("Atan2", _imag(w, x), _real(w, x))


@record("truncatediv")
def _truncatediv(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    whole = w.op("FloorDiv", w.op("Abs", x), w.op("Abs", y))
    return w.op("Mul", whole, w.op("Mul", w.op("Sign", x), w.op("Sign", y)))


@record("truncatemod")
def _truncatemod(w: Nodes, x: NodeValue, y: NodeValue) -> NodeValue:
    return w.op("Mul", w.op("Sign", x), w.op("FloorMod", w.op("Abs", x), w.op("Abs", y)))
