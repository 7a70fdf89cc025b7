"""Elementwise primitives on bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.expr import Expr
from tfpy._src.compiler.ir.op import Laws
from tfpy._src.compiler.ops.families.elementwise import binary, elementwise
from tfpy._src.compiler.ops.families.infer import INTEGER

bitwise_and = binary(
    "bitwise_and",
    np.bitwise_and,
    lambda x, y: x & y,
    takes=INTEGER,
    public="bitwise.bitwise_and",
    laws=Laws(commutative=True, neutral=-1, absorbing=0, idempotent=True, exact=True),
    doc="Compute the bitwise AND of `x` and `y` element-wise.",
)
bitwise_or = binary(
    "bitwise_or",
    np.bitwise_or,
    lambda x, y: x | y,
    takes=INTEGER,
    public="bitwise.bitwise_or",
    laws=Laws(commutative=True, neutral=0, idempotent=True, exact=True),
    doc="Compute the bitwise OR of `x` and `y` element-wise.",
)
bitwise_xor = binary(
    "bitwise_xor",
    np.bitwise_xor,
    lambda x, y: x ^ y,
    takes=INTEGER,
    public="bitwise.bitwise_xor",
    laws=Laws(commutative=True, neutral=0, exact=True),
    doc="Compute the bitwise exclusive OR of `x` and `y` element-wise.",
)
invert = elementwise(
    "invert",
    np.invert,
    lambda x: ~x,
    takes=INTEGER,
    public="bitwise.invert",
    laws=Laws(involution=True, exact=True),
    doc="""Invert all bits of `x` element-wise.

    For signed integers, the result is `-1 - x`.
    """,
)


def _distance(x: Any, y: Any) -> Any:
    """Return the shift distance, which TensorFlow limits to the bit width of the dtype."""
    return np.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(x.dtype)


def _device_distance(y: Expr) -> Expr:
    return ex.minimum(ex.maximum(y, 0), 31)


left_shift = binary(
    "left_shift",
    lambda x, y: np.left_shift(x, _distance(x, y)),
    lambda x, y: x << _device_distance(y),
    takes=INTEGER,
    domain=(-40.0, 40.0),
    public="bitwise.left_shift",
    laws=Laws(exact=True),
    doc="""Shift the bits of `x` to the left by `y` places element-wise.

    Values of `y` are clipped to the range from 0 to the bit width of the dtype minus 1.
    """,
)
right_shift = binary(
    "right_shift",
    lambda x, y: np.right_shift(x, _distance(x, y)),
    lambda x, y: x >> _device_distance(y),
    takes=INTEGER,
    domain=(-40.0, 40.0),
    public="bitwise.right_shift",
    laws=Laws(exact=True),
    doc="""Shift the bits of `x` to the right by `y` places element-wise.

    The sign of signed integers is preserved. Values of `y` are clipped to the range from 0 to the
    bit width of the dtype minus 1.
    """,
)
