"""Python's operators of Tensor, Variable and composites: a table from symbol to function.

The table contains the operators that ops implement. Other folders attach `@`, `/` and `x[key]` with
`as_operator` where they define these functions.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import FunctionType
from typing import Any, TypeVar

from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ops import bitwise, casting, elementwise as ew, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core import fast_path
from tfpy._src.core.conversion import (
    as_tensors,
    constant,
    convert_to_tensor,
    is_operand,
    offers_tensor,
)
from tfpy._src.core.eager import apply
from tfpy._src.core.operand import Composite, DenseOperand, FieldRecord, Operand
from tfpy._src.core.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def as_operator(symbol: str, reflected: bool = False, op: Any = None) -> Callable[[F], F]:
    """Return a decorator that makes a function the operator `__symbol__` of operands.

    Args:
        reflected: If True, also define `__rsymbol__`, with the operands exchanged.
        op: Record of the op that the operator applies to tensors of dtypes that the op takes. None
            if the op depends on the operands.
    """

    def attach(function: F) -> F:
        method = _method(function)
        operator = _yielding(method, symbol) if reflected else method
        fast = operator if op is None else fast_path.of_operator(op, operator)
        setattr(Operand, f"__{symbol}__", fast)
        if reflected:
            exchanged = _exchanged(method)
            fast = exchanged if op is None else fast_path.of_operator(op, exchanged, True)
            setattr(Operand, f"__r{symbol}__", fast)
        return function

    return attach


def _exchanged(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: method(other, self)


DISPATCHED: dict[str, Callable[[Any, Any], Any]] = {}
"""Functions by symbol that have implementations for extension types, as dispatch registers them."""


def _yielding(function: Callable[..., Any], symbol: str) -> Callable[..., Any]:
    """Return the operator, which defers to a right operand of a different dtype.

    As in TensorFlow, a Keras variable promotes dtypes on both sides of an operator, and an
    extension type or any other object can define the reflected operator.
    """
    reflected = f"__r{symbol}__"

    def method(self: Any, other: Any) -> Any:
        try:
            return function(self, other)
        except (TypeError, ValueError, InvalidArgumentError):
            own = hasattr(type(other), reflected)
            if isinstance(other, FieldRecord):
                if own:
                    return NotImplemented
                if symbol in DISPATCHED:
                    return DISPATCHED[symbol](self, other)
            if own and offers_tensor(other) and convert_to_tensor(other).dtype != self.dtype:
                return NotImplemented
            if own and type(other).__module__ not in _UNAWARE and not is_operand(other):
                with suppress(TypeError, ValueError):
                    found = getattr(other, reflected)(self)
                    if found is not NotImplemented:
                        return found
            raise

    return method


_UNAWARE = ("builtins", "numpy")
"""Modules with types that do not compute with tensors."""


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that Python binds as a method. An op is not a function object.

    Calls of `apply` are faster than calls of an op, which Python makes through the op's class.
    """
    if isinstance(function, FunctionType):
        return function
    op: Any = function
    return lambda self, other: apply(op, self, other)


def _logical_or(logical: Any, other: Any) -> Callable[[Any, Any], Any]:
    """Return a function that calls `logical` for booleans and `other` for numbers."""

    def function(x: Any, y: Any) -> Any:
        tensor = x if is_operand(x) else y
        return apply(logical if tensor.dtype.is_bool else other, x, y)

    return function


def _add(x: Any, y: Any) -> Any:
    """Add two operands. If `y` cannot be converted to the dtype of `x`, it keeps its own dtype.

    As in TensorFlow, the error is then about different dtypes.
    """
    try:
        return apply(ew.add, x, y)
    except TypeError:
        if not is_operand(x):
            raise
        return ew.add(x, convert_to_tensor(y, dtype_hint=x.dtype))


_product = _logical_or(logic.logical_and, ew.multiply)


def _multiply(x: Any, y: Any) -> Any:
    """Multiply two operands. As in TensorFlow, one boolean tensor makes the product boolean."""
    try:
        return _product(x, y)
    except (TypeError, InvalidArgumentError):
        other = isinstance(y, bool | Composite | FieldRecord) or offers_tensor(y)
        if other or not isinstance(x, DenseOperand):
            raise
        pair = [convert_to_tensor(x), convert_to_tensor(y)]
        if dtypes.string in (kinds := {t.dtype for t in pair}) or dtypes.bool not in kinds:
            raise
        numbers = ew.multiply(*[casting.cast(t, dtype=dtypes.int32) for t in pair])
        return casting.cast(numbers, dtype=dtypes.bool)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": _add,
    "sub": ew.subtract,
    "mul": _multiply,
    "floordiv": ew.floor_div,
    "mod": ew.floor_mod,
    "pow": ew.power,
    "and": _logical_or(logic.logical_and, bitwise.bitwise_and),
    "or": _logical_or(logic.logical_or, bitwise.bitwise_or),
    "xor": _logical_or(logic.logical_xor, bitwise.bitwise_xor),
}
_COMPARISON: dict[str, Callable[[Any, Any], Any]] = {
    "lt": logic.less,
    "le": logic.less_equal,
    "gt": logic.greater,
    "ge": logic.greater_equal,
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda x: apply(ew.negative, x),
    "abs": lambda x: apply(ew.abs_, x),
    "invert": lambda x: apply(logic.logical_not if x.dtype.is_bool else bitwise.invert, x),
}


def _broadcast(x: Tensor, y: Tensor) -> bool:
    """Return True if the shapes are broadcastable."""
    try:
        infer.broadcast_shapes("equal", x.aval.shape, y.aval.shape)
    except (InvalidArgumentError, ValueError):  # ValueError while tracing
        return False
    return True


def _equality(op: Any, otherwise: bool) -> Callable[[Any, Any], Any]:
    """Return TensorFlow 2's `==` or `!=`: elementwise, but one bool if the shapes do not broadcast.

    The result is also one bool if the other operand is None.
    """

    def compare(self: Any, other: Any) -> Any:
        if other is None:
            return otherwise
        try:
            return apply(op, self, other)
        except (InvalidArgumentError, ValueError):  # ValueError while tracing
            x, y = as_tensors(op, (self, other))
            if x.dtype != y.dtype or _broadcast(x, y):
                raise
            return constant(otherwise)

    return compare


_EQUALITY: dict[str, Callable[[Any, Any], Any]] = {
    "eq": _equality(logic.equal, False),
    "ne": _equality(logic.not_equal, True),
}

_OPS = {
    **{"add": ew.add, "sub": ew.subtract, "mul": ew.multiply, "floordiv": ew.floor_div},
    **{"mod": ew.floor_mod, "pow": ew.power, "lt": logic.less, "le": logic.less_equal},
    **{"gt": logic.greater, "ge": logic.greater_equal, "eq": logic.equal, "ne": logic.not_equal},
    **{"neg": ew.negative, "abs": ew.abs_},
}
"""Ops of the operators that apply the same op to tensors of all dtypes that the op takes."""

for _symbol, _binary in _ARITHMETIC.items():
    as_operator(_symbol, reflected=True, op=_OPS.get(_symbol))(_binary)
_PLAIN: dict[str, Callable[..., Any]] = {**_COMPARISON, **_UNARY, **_EQUALITY}
for _symbol, _function in _PLAIN.items():
    as_operator(_symbol, op=_OPS.get(_symbol))(_function)
