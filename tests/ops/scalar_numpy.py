"""Scalar expressions in NumPy, one entry per scalar op: the semantics for every renderer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.expr import SCALAR_OPS, Expr, linearize
from tfpy._src.compiler.ops.reference.special import erf

Array = np.ndarray[Any, Any]


def _divided(x: Array, y: Array) -> Array:
    """Divide as C does, truncating, with 0 for a divisor of 0."""
    safe = np.where(y == 0, 1, y).astype(np.int64)
    wide = x.astype(np.int64)
    quotient = np.abs(wide) // np.abs(safe) * np.sign(wide) * np.sign(safe)
    return np.where(y == 0, 0, quotient).astype(np.int32)


def _remainder(x: Array, y: Array) -> Array:
    rest = x.astype(np.int64) - _divided(x, y).astype(np.int64) * y
    return np.where(y == 0, 0, rest).astype(np.int32)


NUMPY: dict[str, Callable[..., Any]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "tanh": np.tanh,
    "erf": erf,
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "div": np.divide,
    "quotient": np.divide,
    "pow": np.power,
    "atan2": np.arctan2,
    "rem": np.fmod,
    "idiv": _divided,
    "irem": _remainder,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "isnan": np.isnan,
    "mulhi": lambda x, y: (x.astype(np.uint64) * y.astype(np.uint64)) >> np.uint64(32),
    "select": np.where,
}
IN_CODE = {"cast", "bitcast", "index", "input", "const"}
assert set(NUMPY) | IN_CODE == SCALAR_OPS


def evaluate(root: Expr, inputs: Sequence[Array], shape: tuple[int, ...]) -> Array:
    """Evaluate an expression for every output element, with inputs broadcast to ``shape``."""
    lines, (result,) = linearize(root)
    values: list[Array] = []
    index = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    for line in lines:
        args = [values[i] for i in line.args]
        number = line.dtype.as_numpy_dtype
        value: Any
        if line.op == "input":
            assert isinstance(line.value, int)
            value = inputs[line.value]
        elif line.op == "const":
            value = np.array(line.value, number)
        elif line.op == "index":
            value = index
        elif line.op == "bitcast":
            value = args[0].view(number)
        elif line.op == "cast":
            value = args[0].astype(number)
        else:
            value = NUMPY[line.op](*args)
        values.append(np.asarray(value, number))
    return np.broadcast_to(values[result], shape)
