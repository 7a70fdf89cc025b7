"""Elementwise arithmetic, comparisons, bitwise operations and functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import dtype_of, is_host, like, tensor
from tfpy._src.tensors.array.casting import bitcast
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.arithmetic import sign

_LARGEST = float(np.finfo(np.float32).max)
_UNARY: dict[str, Callable[[Any], Any]] = {
    "Acos": p.acos, "Acosh": p.acosh, "Asin": p.asin, "Asinh": p.asinh,
    "Atan": p.atan, "Atanh": p.atanh, "BitwiseNot": p.invert, "Cos": p.cos,
    "Cosh": p.cosh, "Erf": p.erf, "Exp": p.exp, "IsNaN": p.is_nan, "Log": p.log,
    "Reciprocal": p.reciprocal, "Sigmoid": p.sigmoid, "Sign": sign, "Sin": p.sin,
    "Sinh": p.sinh, "Tan": p.tan, "Tanh": p.tanh,
}  # fmt: skip
_UNARY_HOST: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Neg": (np.negative, p.negative),
    "Not": (np.logical_not, p.logical_not),
    "Abs": (np.abs, p.abs),
    "Ceil": (np.ceil, p.ceil),
    "Floor": (np.floor, p.floor),
    "Round": (np.rint, p.rint),
    "Sqrt": (np.sqrt, p.sqrt),
}
_BINARY: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "Add": (np.add, p.add),
    "Sub": (np.subtract, p.subtract),
    "Mul": (np.multiply, p.multiply),
    "Equal": (np.equal, p.equal),
    "Greater": (np.greater, p.greater),
    "GreaterOrEqual": (np.greater_equal, p.greater_equal),
    "Less": (np.less, p.less),
    "LessOrEqual": (np.less_equal, p.less_equal),
    "And": (np.logical_and, p.logical_and),
    "Or": (np.logical_or, p.logical_or),
    "Xor": (np.logical_xor, p.logical_xor),
    "BitwiseAnd": (np.bitwise_and, p.bitwise_and),
    "BitwiseOr": (np.bitwise_or, p.bitwise_or),
    "BitwiseXor": (np.bitwise_xor, p.bitwise_xor),
}


def _unary(name: str, function: Callable[[Any], Any]) -> None:
    @operation(name)
    def run(x: Tensor) -> Any:
        return function(x)


def _unary_host(name: str, on_host: Callable[[Any], Any], function: Callable[[Any], Any]) -> None:
    @operation(name)
    def run(x: Any) -> Any:
        return np.asarray(on_host(x)) if is_host(x) else function(x)


def _binary(
    name: str, on_host: Callable[[Any, Any], Any], function: Callable[[Any, Any], Any]
) -> None:
    @operation(name)
    def run(a: Any, b: Any) -> Any:
        if is_host(a, b):
            return np.asarray(on_host(a, b))
        return function(tensor(a), tensor(b))


for _name, _function in _UNARY.items():
    _unary(_name, _function)
for _name, _both in _UNARY_HOST.items():
    _unary_host(_name, *_both)
for _name, _pair in _BINARY.items():
    _binary(_name, *_pair)


@operation("Identity")
def identity(x: Any) -> Any:
    return x


@operation("Div")
def div(a: Any, b: Any) -> Any:
    """Divide a by b; integers are rounded towards zero."""
    if is_host(a, b) and a.dtype.kind in "iu":
        if not np.all(b):
            raise invalid("Div", "integer division by zero")
        quotient = np.abs(a) // np.abs(b)
        return np.asarray(quotient * np.sign(a) * np.sign(b), a.dtype)
    x, y = tensor(a), tensor(b)
    return p.truncatediv(x, y) if x.dtype.is_integer else p.realdiv(x, y)


@operation("Mod")
def mod(a: Any, b: Any, *, fmod: int = 0) -> Any:
    """Compute the remainder, with the sign of b, or of a with `fmod`."""
    if is_host(a, b):
        if a.dtype.kind in "iu" and not np.all(b):
            raise invalid("Mod", "integer division by zero")
        return np.asarray((np.fmod if fmod else np.mod)(a, b))
    return (p.truncatemod if fmod else p.floormod)(tensor(a), tensor(b))


@operation("Pow")
def pow(x: Any, y: Any) -> Any:
    """Raise x to the power y, in x's dtype."""
    a, b = tensor(x), tensor(y)
    if a.dtype == b.dtype and a.dtype.is_floating:
        return p.pow(a, b)
    found = p.pow(cast(a, "float32"), cast(b, "float32"))
    return cast(found if a.dtype.is_floating else p.rint(found), a.dtype)


@operation("BitShift")
def bit_shift(x: Tensor, y: Tensor, *, direction: str) -> Any:
    """Shift bits left or right; a shift out of range leaves only sign bits."""
    if direction not in ("LEFT", "RIGHT"):
        raise invalid("BitShift", f"direction must be 'LEFT' or 'RIGHT', got {direction!r}")
    is_left, last = direction == "LEFT", like(8 * x.dtype.size - 1, y)
    beyond = p.greater(y, last)
    if not x.dtype.is_unsigned:
        beyond = p.logical_or(beyond, p.less(y, zeros_like(y)))
    moved = (p.left_shift if is_left else p.right_shift)(x, where(beyond, last, y))
    if is_left or x.dtype.is_unsigned:
        return where(beyond, zeros_like(moved), moved)
    return moved


@operation("BitCast")
def bit_cast(x: Tensor, *, to: int) -> Any:
    """Reinterpret the bits as another dtype."""
    x = cast(x, "uint8") if x.dtype.is_bool else x
    return bitcast(x, dtype_of(to, "BitCast"))


def _variadic(
    name: str, on_host: Callable[[Any, Any], Any], function: Callable[[Any, Any], Any]
) -> None:
    @operation(name)
    def run(*data: Any) -> Any:
        if not data:
            raise invalid(name, "the node has no inputs")
        if is_host(*data):
            return np.asarray(functools.reduce(on_host, data))
        return functools.reduce(function, [tensor(one) for one in data])


_variadic("Max", np.maximum, p.maximum)
_variadic("Min", np.minimum, p.minimum)
_variadic("Sum", np.add, p.add)


@operation("Mean")
def mean(*data: Tensor) -> Any:
    """Compute the elementwise mean of the inputs."""
    total = functools.reduce(p.add, data)
    return p.multiply(total, like(1 / len(data), total))


@operation("Where")
def where_(condition: Any, x: Any, y: Any) -> Any:
    """Select x where the condition holds, otherwise y."""
    if is_host(condition, x, y):
        return np.where(condition, x, y)
    return where(tensor(condition), tensor(x), tensor(y))


@operation("Clip", since=11)
def clip(x: Any, low: Any = None, high: Any = None) -> Any:
    """Limit values to a range."""
    if is_host(*(v for v in (x, low, high) if v is not None)):
        x = x if low is None else np.maximum(x, low)
        return np.asarray(x if high is None else np.minimum(x, high))
    y = tensor(x)
    y = y if low is None else p.maximum(y, tensor(low))
    return y if high is None else p.minimum(y, tensor(high))


@operation("Clip")
def clip_6(x: Tensor, *, min: float = -_LARGEST, max: float = _LARGEST) -> Any:
    """Limit values to a range."""
    return p.minimum(p.maximum(x, like(min, x)), like(max, x))


@operation("IsInf")
def is_inf(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    """Test for infinities of the selected signs."""
    found, zero = p.is_inf(x), zeros_like(x)
    if not detect_negative:
        found = p.logical_and(found, p.greater(x, zero))
    if not detect_positive:
        found = p.logical_and(found, p.less(x, zero))
    return found
