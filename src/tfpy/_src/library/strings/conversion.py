"""Conversion of the arguments of string functions."""

from __future__ import annotations

from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import with_composites
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor


def as_strings(value: Any) -> Any:
    """Convert a value to a string tensor, unless it is ragged.

    Raises:
        TypeError: If the values are not strings.
    """
    value = with_composites(value)
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value, dtypes.string)
