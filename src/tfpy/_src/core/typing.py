"""The types of public signatures, which are public as `tf.typing`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from tfpy._src.base.dtypes import DTypeLike as DTypeLike
from tfpy._src.core.operand import Operand
from tfpy._src.core.tensor_shape import TensorShape

TensorLike: TypeAlias = (
    Operand
    | np.ndarray[Any, Any]
    | np.generic
    | complex
    | str
    | bytes
    | Sequence[Any]
    | TensorShape
)
"""A value that can be converted to a tensor: a tensor, Variable, array, number, string or list.

Lists may be nested. As in other annotations, `complex` includes `float`, `int` and `bool`.
"""

IntLike: TypeAlias = int | np.integer[Any] | np.ndarray[Any, Any] | Operand
"""An integer, or a scalar integer tensor."""

FloatLike: TypeAlias = float | np.generic | np.ndarray[Any, Any] | Operand
"""A real number, or a scalar float tensor."""

ShapeLike: TypeAlias = (
    TensorShape
    | int
    | np.ndarray[Any, Any]
    | Operand
    | Sequence[int | np.integer[Any] | Operand | None]
)
"""A shape: a `tf.TensorShape`, a sequence of dimensions, or an int32 or int64 tensor of rank 1.

A single integer is a shape of rank 1. A dimension of None is unknown, which is possible only in
static shapes, such as the shape of a `tf.TensorSpec`.
"""

Axis: TypeAlias = int | Sequence[int] | np.ndarray[Any, Any] | Operand | None
"""One or more axes. Negative values count from the end. None usually stands for all axes."""

Strides: TypeAlias = int | Sequence[int]
"""One integer for all spatial axes, one for each spatial axis, or one for each axis."""

Padding: TypeAlias = str | Sequence[Sequence[int]]
"""`"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the input."""

Nest: TypeAlias = Any
"""A value, or a nested structure (lists, tuples, dicts and similar containers) of values."""

PathLike: TypeAlias = str | bytes | os.PathLike[str]
"""The path of a file."""
