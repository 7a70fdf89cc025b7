"""Cache keys of calls whose arguments are plain tensors, arrays and Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Wrapper
from tfpy._src.core.tensor import Tensor


def quick_key(values: Sequence[Any], tensors: list[Tensor]) -> Any:
    """Return a key that is equal for lists of arguments with the same trace.

    The key is None unless all arguments are tensors, arrays, Python numbers, strings, None, or
    tuples, lists and dicts of these. Other arguments need the slower :class:`Call`.

    Args:
        values: The positional arguments.
        tensors: List to which the tensors are appended, in the order of :attr:`Call.tensors`.
            Arrays are converted to tensors.
    """
    key: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is Tensor:
            tensors.append(value)
            key.append(value.aval)
        elif value is None or kind in _CONSTANTS:
            key.append(value)
        elif kind is np.ndarray:
            tensors.append(convert_to_tensor(value))
            key.append(tensors[-1].aval)
        elif isinstance(value, Wrapper):
            tensors.append(value.wrapped)
            key.append((kind, value.wrapped.aval))
        elif kind in _PLAIN_NESTS:
            names = tuple(sorted(value)) if kind is dict else ()
            inner = quick_key([value[name] for name in names] if names else value, tensors)
            if inner is None:
                return None
            key.append((kind, names, inner))
        else:
            return None
    return tuple(key)


_CONSTANTS = frozenset([bool, int, float, str])
_PLAIN_NESTS = frozenset([tuple, list, dict])
