"""Scalar expressions over whole arrays, which compute every elementwise op of the table.

They use the same expressions (`ir/expr.py`) as all devices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax, numpy as jnp

from tfpy._src.base.dtypes import INDICES, DType
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.complex_expr import ComplexExpr, components, operands
from tfpy._src.compiler.ir.expr import Expr, Instruction
from tfpy._src.compiler.ir.graph import Attrs
from tfpy._src.compiler.ir.op import Op


def elementwise(
    op: Op, arrays: Sequence[Any], avals: Sequence[Aval], attrs: Attrs, out: Aval
) -> Any:
    """Return the result of an op that has an expression."""
    assert op.expr is not None
    if op.name == "bitcast":  # between sizes it changes the shape, which expressions cannot do
        return lax.bitcast_convert_type(arrays[0], out.dtype.as_numpy_dtype)
    root = ex.applied(op.expr, operands([a.dtype for a in avals]), attrs, out.dtype)
    parts: list[Any] = []
    for array, aval in zip(arrays, avals, strict=True):
        parts += [lax.real(array), lax.imag(array)] if aval.dtype.is_complex else [array]
    found = _evaluated(components(root), parts, out.shape)
    return lax.complex(*found) if isinstance(root, ComplexExpr) else found[0]


def _evaluated(roots: Sequence[Expr], arrays: Sequence[Any], shape: Shape) -> list[Any]:
    """Return the expressions at each element of a shape to which the arrays are broadcast."""
    instructions, numbers = ex.linearize(*roots)
    wide = [jnp.broadcast_to(array, shape) for array in arrays]
    values: list[Any] = []
    for instruction in instructions:
        args = [values[i] for i in instruction.args]
        values.append(_value(instructions, instruction, args, wide, shape))
    return [jnp.broadcast_to(values[number], shape) for number in numbers]


def _value(
    instructions: Sequence[Instruction],
    instruction: Instruction,
    args: Sequence[Any],
    arrays: Sequence[Any],
    shape: Shape,
) -> Any:
    op, dtype = instruction.op, instruction.dtype
    if op == "input":
        assert isinstance(instruction.value, int)
        return arrays[instruction.value]
    if op == "const":
        return jnp.asarray(np.asarray(instruction.value).astype(dtype.as_numpy_dtype))
    if op == "index":
        return lax.iota(np.int32, math.prod(shape)).reshape(shape)
    source = instructions[instruction.args[-1]].dtype
    if op == "cast":
        return cast(args[0], source, dtype)
    if op == "bitcast":
        return lax.bitcast_convert_type(args[0], dtype.as_numpy_dtype)
    operation = _OPERATIONS.get(f"{op} {source.name}") or _OPERATIONS[op]
    return operation(*_alike(args, shape))


def _alike(args: Sequence[Any], shape: Shape) -> Sequence[Any]:
    """Broadcast operands to one shape."""
    if all(arg.shape == args[0].shape for arg in args):
        return args
    return [jnp.broadcast_to(arg, shape) for arg in args]


def cast(x: Any, source: DType, target: DType) -> Any:
    """Convert as x86 does: a float out of the integer's range becomes the lowest integer."""
    number = target.as_numpy_dtype
    converted = lax.convert_element_type(x, number)
    if not (source.is_floating and target in INDICES):
        return converted
    fits = lax.abs(x) < jnp.asarray(-float(target.min), x.dtype)
    return jnp.where(fits, converted, jnp.asarray(target.min, number))


def _or_zero(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a division that is 0 where the divisor is 0."""

    def divide(x: Any, y: Any) -> Any:
        zero = lax.full_like(x, 0)
        return lax.select(lax.eq(y, zero), zero, function(x, y))

    return divide


def mulhi(x: Any, y: Any) -> Any:
    """Compute with 64 bits, because XLA rejects `lax.mulhi` in programs for several devices."""
    with jax.enable_x64(True):
        wide = lax.mul(*(lax.convert_element_type(v, np.uint64) for v in (x, y)))
        high = lax.shift_right_logical(wide, lax.full_like(wide, 32))
        return lax.convert_element_type(high, np.uint32)


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "floor": lax.floor,
    "ceil": lax.ceil,
    "round": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "sqrt": lax.sqrt,
    "rsqrt": lax.rsqrt,
    "exp": lax.exp,
    "expm1": lax.expm1,
    "log": lax.log,
    "log1p": lax.log1p,
    "sin": lax.sin,
    "cos": lax.cos,
    "tan": lax.tan,
    "asin": lax.asin,
    "acos": lax.acos,
    "atan": lax.atan,
    "sinh": lax.sinh,
    "cosh": lax.cosh,
    "asinh": lax.asinh,
    "acosh": lax.acosh,
    "atanh": lax.atanh,
    "tanh": lax.tanh,
    "erf": lax.erf,
    "neg": lax.neg,
    "abs": lax.abs,
    "sign": lax.sign,
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "min": lax.min,
    "max": lax.max,
    "div": lax.div,
    "quotient": lax.div,
    "pow": lax.pow,
    "atan2": lax.atan2,
    "rem": lax.rem,
    "idiv": _or_zero(lax.div),
    "irem": _or_zero(lax.rem),
    "and": lax.bitwise_and,
    "or": lax.bitwise_or,
    "xor": lax.bitwise_xor,
    "shl": lax.shift_left,
    "shr": lax.shift_right_arithmetic,
    "shr uint32": lax.shift_right_logical,
    "eq": lax.eq,
    "ne": lax.ne,
    "lt": lax.lt,
    "le": lax.le,
    "not": lax.bitwise_not,
    "isnan": lambda x: lax.ne(x, x),
    "mulhi": mulhi,
    "select": lax.select,
}
"""Functions by scalar operation, or by operation and dtype of the last operand."""
