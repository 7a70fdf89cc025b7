"""Scalar expressions: the computation of one output element of an elementwise kernel.

An op record states its expression once. GLSL and WGSL (`lower/webgl/`, `lower/webgpu/`) and the
bytecode of the wasm block interpreter (`lower/wasm/`) are rendered from it. Expressions are typed
(float32, int32, uint32, bool) and immutable; :func:`linearize` computes equal subexpressions once.
`uint32` exists only inside expressions (random bits). A complex operand is a pair of expressions
(`complex_expr.py`), to which the functions here dispatch. float16 and bfloat16 occur only as types
of inputs, constants and casts: such operands are computed as float32, and results are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType

F, I, U, B = dtypes.float32, dtypes.int32, dtypes.uint32, dtypes.bool  # noqa: E741
H = dtypes.float16

# Every scalar operation by name, with the operand types it takes. Renderers are total over this
# table: a test asserts that each of them supports each name. The first table is float32 -> float32;
# round is half to even.
UNARY_FLOAT = (
    "floor",
    "ceil",
    "round",
    "sqrt",
    "rsqrt",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "tanh",
    "erf",
)
UNARY_NUMERIC = ("neg", "abs", "sign")  # float32 or int32 -> same
BINARY_NUMERIC = ("add", "sub", "mul", "min", "max")  # same types -> same; min, max propagate NaN
# quotient is div with IEEE 754 rounding; rem has the dividend's sign, like C's fmod, and is exact
BINARY_FLOAT = ("div", "quotient", "pow", "atan2", "rem")
BINARY_INT = ("idiv", "irem")  # int32; truncate towards zero; 0 where the divisor is 0
BITWISE = ("and", "or", "xor")  # bool, int32 or uint32
SHIFTS = ("shl", "shr")  # int32 (arithmetic) or uint32 (logical)
COMPARE = ("eq", "ne", "lt", "le")  # same types -> bool
OTHER = (
    "not",  # bool -> bool, int32 -> int32 (bitwise)
    "isnan",  # float32 -> bool
    "mulhi",  # uint32, uint32 -> upper 32 bits of the product
    "select",  # bool, T, T -> T
    "cast",  # value conversion; float to int truncates, number to bool is "!= 0"
    "bitcast",  # float32 <-> int32 <-> uint32, same bits
    "index",  # -> int32: flat row-major index of the output element
    "input",  # value: number of the kernel input
    "const",  # value: the Python number
)
SCALAR_OPS = frozenset(
    (
        *UNARY_FLOAT,
        *UNARY_NUMERIC,
        *BINARY_NUMERIC,
        *BINARY_FLOAT,
        *BINARY_INT,
        *BITWISE,
        *SHIFTS,
        *COMPARE,
        *OTHER,
    )
)

COSTS: Mapping[str, int] = (
    dict.fromkeys(SCALAR_OPS, 1)
    | dict.fromkeys(UNARY_FLOAT, 16)
    | {"pow": 16, "atan2": 16, "div": 4, "sqrt": 4, "rsqrt": 4, "rem": 8, "idiv": 8, "irem": 8}
    | {"input": 0, "const": 0, "bitcast": 0}
)
"""Cost of each scalar operation in arithmetic operations. Fusion decisions depend on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """One node, compared by identity. `value` is an input's number or a constant's value."""

    op: str
    dtype: DType
    args: tuple[Expr, ...] = ()
    value: float | int | bool | None = None

    def __add__(self, other: Any) -> Expr:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Expr:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Expr:
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> Expr:
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> Expr:
        return _binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return _binary("div", other, self)

    def __neg__(self) -> Expr:
        return Expr("neg", self.dtype, (self,))

    def __abs__(self) -> Expr:
        return Expr("abs", self.dtype, (self,))

    def conjugate(self) -> Expr:
        return self

    def __and__(self, other: Any) -> Expr:
        return _binary("and", self, other)

    def __or__(self, other: Any) -> Expr:
        return _binary("or", self, other)

    def __xor__(self, other: Any) -> Expr:
        return _binary("xor", self, other)

    def __lshift__(self, other: Any) -> Expr:
        return _binary("shl", self, other)

    def __rshift__(self, other: Any) -> Expr:
        return _binary("shr", self, other)

    def __invert__(self) -> Expr:
        return Expr("not", self.dtype, (self,))

    def __lt__(self, other: Any) -> Expr:
        return _binary("lt", self, other, B)

    def __le__(self, other: Any) -> Expr:
        return _binary("le", self, other, B)

    def __gt__(self, other: Any) -> Expr:
        return _binary("lt", other, self, B)

    def __ge__(self, other: Any) -> Expr:
        return _binary("le", other, self, B)


_PYTHON: dict[DType, Callable[[Any], float | int | bool]] = {
    **dict.fromkeys(dtypes.FLOATS, float),
    **dict.fromkeys((*dtypes.INDICES, U), int),
    B: bool,
}


def const(value: float | int | bool, dtype: DType) -> Expr:
    """Return a constant of the given type."""
    python = _PYTHON[dtype]
    return Expr("const", dtype, value=python(value))


def input_(number: int, dtype: DType) -> Expr:
    """Return the element of kernel input `number` that belongs to the output element."""
    return Expr("input", dtype, value=number)


def index() -> Expr:
    """Return the flat row-major index of the output element, int32."""
    return Expr("index", I)


def unary(op: str, x: Any) -> Any:
    """Apply an op of `UNARY_FLOAT` or `UNARY_NUMERIC`."""
    if x.dtype.is_complex:
        return x.unary(op)
    return Expr(op, x.dtype, (x,))


def binary(op: str, x: Any, y: Any) -> Any:
    """Apply an op of the binary tables. A Python number takes the type of the other operand."""
    pair = _complex(x, y)
    return _binary(op, x, y) if pair is None else pair.binary(op, x, y)


def eq(x: Any, y: Any) -> Expr:
    pair = _complex(x, y)
    return _binary("eq", x, y, B) if pair is None else pair.binary("eq", x, y)


def ne(x: Any, y: Any) -> Expr:
    pair = _complex(x, y)
    return _binary("ne", x, y, B) if pair is None else pair.binary("ne", x, y)


def minimum(x: Any, y: Any) -> Expr:
    return _binary("min", x, y)


def maximum(x: Any, y: Any) -> Expr:
    return _binary("max", x, y)


def isnan(x: Expr) -> Expr:
    return Expr("isnan", B, (x,))


def select(condition: Expr, x: Any, y: Any) -> Any:
    """Return `x` where the condition holds, else `y`. NaN of the other one does not propagate."""
    pair = _complex(x, y)
    if pair is not None:
        return pair.select(condition, x, y)
    a, b = _unify("select", x, y)
    return Expr("select", a.dtype, (condition, a, b))


def cast(x: Expr, dtype: DType) -> Expr:
    """Cast to a real dtype; `complex_expr.cast` supports all dtypes."""
    if x.dtype == dtype:
        return x
    if dtype == B:
        return ne(x, 0)
    return Expr("cast", dtype, (x,))


def applied(
    function: Callable[..., Any],
    operands: Iterable[Any],
    attrs: Iterable[tuple[str, Any]],
    dtype: DType,
) -> Any:
    """Apply an op's function to operands, for a result of a dtype.

    float16 and bfloat16 are computed as float32 and rounded at the end.
    """
    root = function(*map(_widened, operands), **dict(attrs))
    return cast(root, dtype) if dtype in dtypes.ROUNDED else root


def _widened(x: Any) -> Any:
    if x.dtype not in dtypes.ROUNDED:
        return x
    return const(x.value, F) if x.op == "const" else Expr("cast", F, (x,))


def bitcast(x: Expr, dtype: DType) -> Expr:
    return x if x.dtype == dtype else Expr("bitcast", dtype, (x,))


def is_negative(x: Expr) -> Expr:
    """Return True if the sign bit of a float is set, also for -0.0."""
    integer = dtypes.int64 if x.dtype.size > F.size else I
    return bitcast(x, integer) < const(0, integer)


def copysign(size: Expr, x: Expr) -> Expr:
    """Return the nonnegative `size` with the sign of `x`."""
    return select(is_negative(x), -size, size)


def is_finite(x: Expr) -> Expr:
    return abs(x) < INF


def _complex(*operands: Any) -> Any:
    """Return the first complex operand, or None."""
    for x in operands:
        if not isinstance(x, Expr) and hasattr(x, "dtype") and x.dtype.is_complex:
            return x
    return None


def _binary(op: str, x: Any, y: Any, dtype: DType | None = None) -> Expr:
    if _complex(x, y) is not None:
        return NotImplemented  # Python tries the complex operand next
    a, b = _unify(op, x, y)
    return Expr(op, dtype or a.dtype, (a, b))


def _unify(op: str, x: Any, y: Any) -> tuple[Expr, Expr]:
    if not isinstance(x, Expr):
        x = const(x, y.dtype)
    if not isinstance(y, Expr):
        y = const(y, x.dtype)
    if x.dtype != y.dtype:
        raise TypeError(
            f"expression {op}: the operands have different types, {x.dtype.name} and {y.dtype.name}"
        )
    return x, y


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation of a linear program. `args` are numbers of earlier instructions."""

    op: str
    dtype: DType
    args: tuple[int, ...]
    value: float | int | bool | None = None


def linearize(*roots: Expr) -> tuple[list[Instruction], list[int]]:
    """Order expressions so that operands come first and equal nodes appear once.

    Returns:
        The instructions, and the number of the instruction of each root.
    """
    instructions: list[Instruction] = []
    numbers: dict[Any, int] = {}
    by_id: dict[int, int] = {}
    waiting = list(reversed(roots))  # not recursive, because fused expressions are deep
    while waiting:
        e = waiting[-1]
        missing = [a for a in reversed(e.args) if id(a) not in by_id]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        args = tuple(by_id[id(a)] for a in e.args)
        # -0.0 == 0.0 and True == 1, so the key contains the value's repr.
        key = (e.op, e.dtype.name, args, repr(e.value))
        if key not in numbers:
            numbers[key] = len(instructions)
            instructions.append(Instruction(e.op, e.dtype, args, e.value))
        by_id[id(e)] = numbers[key]
    return instructions, [by_id[id(r)] for r in roots]


INF = math.inf
