"""NumPy references of primitives that are not a single NumPy function."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.aval import Array


def sigmoid(x: Array) -> Any:
    if x.dtype.kind != "c":
        return 1 / (1 + np.exp(-x))
    left = x.real < 0
    power = np.exp(np.where(left, x, -x))  # does not overflow
    return np.where(left, power, 1) / (1 + power)


def log1p(x: Array) -> Any:
    """Compute log(1 + x).

    NumPy's function for complex numbers loses the digits that 1 + x drops.
    """
    if x.dtype.kind != "c":
        return np.log1p(x)
    whole, result = np.array(x), np.empty(x.shape, x.dtype)
    whole.real += 1
    far = np.log(whole)
    near = np.abs(x.real) + np.abs(x.imag) < 0.5
    y = np.where(near, x, 0)
    size = np.log1p(y.real * (2 + y.real) + y.imag * y.imag) / 2
    result.real, result.imag = np.where(near, size, far.real), far.imag
    return result


def softplus(x: Array) -> Any:
    return np.logaddexp(x, x.dtype.type(0))


def relu(x: Array) -> Any:
    return np.maximum(x, x.dtype.type(0))


def relu6(x: Array) -> Array:
    return np.clip(x, 0, 6)


def elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


SELU_SCALE = 1.0507009873554805
SELU_ALPHA = 1.6732632423543772


def selu(x: Array) -> Array:
    return np.where(x > 0, SELU_SCALE * x, SELU_SCALE * SELU_ALPHA * np.expm1(np.minimum(x, 0)))


def leaky_relu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, x * alpha)


def leaky_relu_grad(g: Array, x: Array, alpha: float) -> Array:
    return np.where(x > 0, g, g * alpha)


def relu_grad(g: Array, y: Array) -> Array:
    return np.where(y > 0, g, 0)


def relu6_grad(g: Array, y: Array) -> Array:
    return np.where((y > 0) & (y < 6), g, 0)


def squared_difference(x: Array, y: Array) -> Any:
    d = x - y
    return d * np.conj(d)


def rsqrt(x: Array) -> Any:
    """Compute 1 / sqrt(x). NumPy's quotient by a root with two infinite parts is NaN."""
    result = 1 / np.sqrt(x)
    return np.where(np.isinf(x), 0, result) if x.dtype.kind == "c" else result


def divide_no_nan(x: Array, y: Array) -> Array:
    return np.where(y == 0, 0, x / y)


def multiply_no_nan(x: Array, y: Array) -> Array:
    return np.where(y == 0, 0, x * y)


def to_integer(x: Array, number: Any) -> Array:
    """Convert floats to integers as x86 does, on any machine.

    The conversion goes through int32 for int32, and through int64 for other dtypes, which wrap
    around. NaN and values out of the range of that integer become its lowest number.
    """
    if x.dtype.kind != "f":
        return x.astype(number)
    if np.all(np.abs(x) < 2.0**31):
        return x.astype(np.int32).astype(number)
    bits = 31 if number is np.int32 else 63
    wide = x.astype(np.float64)
    fits = np.abs(wide) < 2.0**bits
    found = np.where(fits, np.where(fits, wide, 0).astype(np.int64), -(2**bits)).astype(number)
    if number is not np.uint64:
        return found
    large = (wide >= 2.0**63) & (wide < 2.0**64)
    return np.where(large, np.where(large, wide, 0).astype(np.uint64), found)


def check_divisor(op: str, x: Array, y: Array) -> None:
    if y.dtype.kind in "iu" and x.size and np.any(y == 0):
        raise invalid_value(op, "Integer division by zero; mask the zeros with tf.where first")


def floor_div(x: Array, y: Array) -> Array:
    check_divisor("floordiv", x, y)
    return np.floor_divide(x, y) if x.dtype.kind in "iu" else np.floor(x / y)


def floor_mod(x: Array, y: Array) -> Array:
    check_divisor("floormod", x, y)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def power(x: Array, y: Array) -> Array:
    if y.dtype.kind == "i" and x.size and np.any(y < 0):
        raise invalid_value(
            "pow", "Integers to negative integer powers are not allowed; cast to float32"
        )
    result = np.power(x, y)
    if y.dtype.kind == "c":
        zero = np.broadcast_to(x == 0, result.shape)
        result = np.where(zero, _power_of_zero(y), result)
    return np.asarray(result)


def _power_of_zero(y: Array) -> Array:
    """Return exp(y log 0) for complex numbers."""
    result = np.full(y.shape, complex(np.nan, np.nan), y.dtype)
    result.real[y.real < 0] = np.inf
    result[y.real > 0] = 0
    return result
