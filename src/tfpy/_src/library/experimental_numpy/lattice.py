"""The dtype promotion with weak types, for the modes "safe" and "all".

Python numbers, and tensors that are made of them, have weak dtypes, which adapt to the dtypes of
other operands. The dtypes form a lattice like that of JAX
(https://docs.jax.dev/en/latest/type_promotion.html), and two operands are promoted to their least
upper bound.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.operand import Composite, Holder
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.library.experimental_numpy.weak import WeakTensor

_TABLE = """
    bool int32*  int32* int64*  int64* uint8  int64* int8  int64* float32*
    uint8 uint16  uint8 int16  uint16 uint32  uint16 int32  uint32 uint64  uint32 int64
    int8 int16  int16 int32  int32 int64  int64 float64*  uint64 float64*
    float32* float64*  float64* bfloat16  float64* float16  float64* complex128*
    bfloat16 float32  float16 float32  float32 float64  float32 complex64
    float64 complex128  complex64 complex128  complex128* complex64
"""
"""Pairs of a dtype and one to which it can be promoted. An asterisk marks weak dtypes."""


_EDGES = _TABLE.split()


def _closure() -> dict[str, set[str]]:
    """Return, for each dtype, all dtypes to which it can be promoted, itself included."""
    above: dict[str, set[str]] = {name: {name} for name in _EDGES}
    for _ in above:
        for low, high in zip(_EDGES[::2], _EDGES[1::2], strict=True):
            above[low] |= above[high]
    return above


_ABOVE = _closure()
_MANTISSA = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
"""Number of bits of the integers that a float represents exactly."""


def result_type(*values: Any, mode: str) -> tuple[DType, bool]:
    """Return the dtype to which operands are promoted, and True if it is weak.

    Raises:
        TypeError: If the mode is "safe" and the promotion may lose precision or widen a dtype.
        NotImplementedError: If an operand has no dtype in the lattice.
    """
    names = [_name(value) for value in values if value is not None] or ["float32*"]
    common = names[0]
    for name in names[1:]:
        common = join(common, name, mode)
    return as_dtype(common.rstrip("*")), common.endswith("*")


def join(a: str, b: str, mode: str) -> str:
    if a == b:
        return a
    if a not in _ABOVE or b not in _ABOVE:
        raise NotImplementedError(
            f"Implicit Conversion between {as_dtype(a.rstrip('*'))} and "
            f"{as_dtype(b.rstrip('*'))} is not allowed. Please convert the input manually if you "
            "need to."
        )
    common = max(_ABOVE[a] & _ABOVE[b], key=lambda name: len(_ABOVE[name]))
    if mode == "safe" and not _is_safe(a, b, common):
        kinds = " and ".join(
            f"({as_dtype(name.rstrip('*'))}, weak={name.endswith('*')})" for name in (a, b)
        )
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between {kinds} is "
            "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype "
            "promotion rules (such as from SAFE mode to ALL mode)."
        )
    return common


def _is_safe(a: str, b: str, common: str) -> bool:
    """Return True if the result has the dtype of an operand, which represents the other exactly."""
    if common.rstrip("*") not in (a.rstrip("*"), b.rstrip("*")):
        return False
    target = common.rstrip("*")
    exact = _MANTISSA.get({"complex64": "float32", "complex128": "float64"}.get(target, target))
    return exact is None or all(
        name.endswith("*") or "int" not in name or _bits(name) <= exact for name in (a, b)
    )


def _bits(name: str) -> int:
    return int(name.removeprefix("u").removeprefix("int"))


_PYTHON = {bool: "bool", int: "int32*", float: "float32*", complex: "complex128*"}


def _name(value: Any) -> str:
    """Return the name of the dtype of an operand, which is weak for Python numbers."""
    if isinstance(value, WeakTensor):
        return f"{value.dtype.name}*"
    if isinstance(value, DType):
        return value.name
    if isinstance(value, Tensor | Holder):
        return str(value.aval.dtype.name)
    if isinstance(value, np.ndarray | np.generic | np.dtype):
        return as_dtype(value if isinstance(value, np.dtype) else value.dtype).name
    if isinstance(value, str | bytes):
        return dtypes.string.name
    if isinstance(value, TensorShape):
        return "int32"
    kind = value if isinstance(value, type) else type(value)
    if kind in _PYTHON:
        if kind is int and value is not int and not -(2**31) <= value < 2**31:
            raise OverflowError(f"Python int {value} too large to convert to np.int32")
        return _PYTHON[kind]
    if isinstance(value, type) and issubclass(value, np.generic):
        return as_dtype(value).name
    if not isinstance(value, Composite) and isinstance(getattr(value, "dtype", None), DType):
        return builtins.str(value.dtype.name)
    raise NotImplementedError(
        f"Auto dtype conversion semantics does not support {type(value)} type."
    )
