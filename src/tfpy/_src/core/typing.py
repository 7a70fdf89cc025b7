"""The types of public signatures, which are public as `tf.typing`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from tfpy._src.base.dtypes import DTypeLike as DTypeLike
from tfpy._src.core.operand import Operand

TensorLike: TypeAlias = (
    Operand | np.ndarray[Any, Any] | np.generic | complex | str | bytes | Sequence[Any]
)
"""A value that converts to a tensor: a tensor, Variable, array, number, string or nested list.

The numeric tower of Python applies: `complex` includes `float`, `int` and `bool`.
"""

IntLike: TypeAlias = int | np.integer[Any] | np.ndarray[Any, Any] | Operand
"""An integer, or a scalar integer tensor."""

FloatLike: TypeAlias = float | np.generic | np.ndarray[Any, Any] | Operand
"""A real number, or a scalar float tensor."""

ShapeLike: TypeAlias = (
    int | np.ndarray[Any, Any] | Operand | Sequence[int | np.integer[Any] | Operand | None]
)
"""A shape: a `tf.TensorShape`, a sequence of sizes, one size, or an integer tensor of rank 1.

The tensor's dtype is int32 or int64. None, for an unknown size, is possible only in static shapes.
"""

Axis: TypeAlias = int | Sequence[int] | np.ndarray[Any, Any] | Operand | None
"""An axis or several axes. Negative axes count from the end; None usually means all axes."""

Strides: TypeAlias = int | Sequence[int]
"""A step or a size for every spatial axis, or one for each axis."""

Padding: TypeAlias = str | Sequence[Sequence[int]]
"""`"SAME"`, `"VALID"`, or explicit sizes before and after each axis."""

Nest: TypeAlias = Any
"""A value, or a structure of nested lists, tuples, dicts and similar containers of values."""

PathLike: TypeAlias = str | bytes | os.PathLike[str]
"""The path of a file."""
