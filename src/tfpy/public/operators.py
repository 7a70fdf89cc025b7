"""Attaches Python's operators to Tensor and Variable: one table, from symbol to function."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from tfpy import linalg, math
from tfpy.array import slicing
from tfpy.core.conversion import as_tensors, constant, convert_to_tensor, is_tensor
from tfpy.core.operand import Operand
from tfpy.core.tensor import Tensor
from tfpy.errors import InvalidArgumentError
from tfpy.ops import elementwise as ew
from tfpy.ops.families import infer


def _logical_or_bitwise(logical: Any, bitwise: Any) -> Callable[[Any, Any], Any]:
    def function(x: Any, y: Any) -> Any:
        tensor = x if is_tensor(x) else y
        return (logical if tensor.dtype.is_bool else bitwise)(x, y)

    return function


def _add(x: Any, y: Any) -> Any:
    """TensorFlow converts ``y`` by itself where it does not fit ``x``; then the dtypes differ."""
    try:
        return ew.add(x, y)
    except TypeError:
        if not is_tensor(x):
            raise
        return ew.add(x, convert_to_tensor(y, dtype_hint=x.dtype))


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": _add,
    "sub": ew.subtract,
    "mul": ew.multiply,
    "truediv": lambda x, y: math.divide(x, y),  # which then takes ragged tensors too
    "floordiv": ew.floor_div,
    "mod": ew.floor_mod,
    "pow": ew.power,
    "matmul": linalg.matmul,
    "and": _logical_or_bitwise(ew.logical_and, ew.bitwise_and),
    "or": _logical_or_bitwise(ew.logical_or, ew.bitwise_or),
    "xor": _logical_or_bitwise(ew.logical_xor, ew.bitwise_xor),
}
_COMPARISON: dict[str, Callable[[Any, Any], Any]] = {
    "lt": ew.less,
    "le": ew.less_equal,
    "gt": ew.greater,
    "ge": ew.greater_equal,
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": ew.negative,
    "abs": ew.abs_,
    "invert": lambda x: (ew.logical_not if x.dtype.is_bool else ew.invert)(x),
}


def _broadcast(x: Tensor, y: Tensor) -> bool:
    """Whether the shapes go together."""
    try:
        infer.broadcast_shapes("equal", x.aval.shape, y.aval.shape)
    except (InvalidArgumentError, ValueError):  # the latter while tracing
        return False
    return True


def _equality(op: Any, otherwise: bool) -> Callable[[Any, Any], Any]:
    """TensorFlow 2's ``==``: elementwise, but one False for None and for shapes that do not fit."""

    def compare(self: Any, other: Any) -> Any:
        if other is None:
            return otherwise
        try:
            return op(self, other)
        except (InvalidArgumentError, ValueError):  # the latter while tracing
            x, y = as_tensors(op, (self, other))
            if x.dtype != y.dtype or _broadcast(x, y):
                raise
            return constant(otherwise)

    return compare


_SPECIAL: dict[str, Callable[[Any, Any], Any]] = {
    "eq": _equality(ew.equal, False),
    "ne": _equality(ew.not_equal, True),
    "getitem": lambda self, key: slicing.getitem(convert_to_tensor(self), key),
}


def _method(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """As a method: ops are none by themselves."""
    if isinstance(function, FunctionType):
        return function
    return lambda self, other: function(self, other)


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def _alone(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: function(self)


def install() -> None:
    """Called once, when the package is imported."""
    for name, binary in (_ARITHMETIC | _COMPARISON).items():
        setattr(Operand, f"__{name}__", _method(binary))
    for name, binary in _ARITHMETIC.items():
        setattr(Operand, f"__r{name}__", _reflected(binary))
    for name, unary in _UNARY.items():
        setattr(Operand, f"__{name}__", _alone(unary))
    for name, special in _SPECIAL.items():
        setattr(Operand, f"__{name}__", special)
