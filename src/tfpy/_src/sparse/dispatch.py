"""What functions under ``tf`` are for sparse tensors; other functions refuse them.

Ops on elements need no entry: the executor hands them to ``SparseTensor.apply_op``.
"""

from __future__ import annotations

import math
from typing import Any

from tfpy._src.array import making
from tfpy._src.composite.sparse_tensor import SparseTensor
from tfpy._src.core.conversion import constant
from tfpy._src.core.dispatch import implements
from tfpy._src.core.tensor import Tensor
from tfpy._src.math import arithmetic
from tfpy._src.ops import elementwise


@implements(arithmetic.divide, SparseTensor)
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Values divided by a dense tensor's elements at their places."""
    return elementwise.real_div(x, y)


@implements(making.cast, SparseTensor)
def cast(x: Any, dtype: Any, name: str | None = None) -> SparseTensor:
    """Values of another type."""
    return x.with_values(making.cast(x.values, dtype))


@implements(making.identity, SparseTensor)
def identity(input: Any, name: str | None = None) -> SparseTensor:
    """The same values."""
    return input.with_values(making.identity(input.values))


@implements(making.size, SparseTensor)
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements of the dense tensor."""
    return constant(math.prod(input.host_shape))


@implements(making.rank, SparseTensor)
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of the dense tensor."""
    return constant(input.ndim)


@implements(making.shape, SparseTensor)
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The dense tensor's shape."""
    return input.dense_shape
