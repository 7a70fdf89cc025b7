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
    doc="The bits that x and y both have, element by element, with broadcasting, of integers.",
)
bitwise_or = binary(
    "bitwise_or",
    np.bitwise_or,
    lambda x, y: x | y,
    takes=INTEGER,
    public="bitwise.bitwise_or",
    laws=Laws(commutative=True, neutral=0, idempotent=True, exact=True),
    doc="The bits that x or y has, element by element, with broadcasting, of integers.",
)
bitwise_xor = binary(
    "bitwise_xor",
    np.bitwise_xor,
    lambda x, y: x ^ y,
    takes=INTEGER,
    public="bitwise.bitwise_xor",
    laws=Laws(commutative=True, neutral=0, exact=True),
    doc="The bits that one of x and y has, element by element, with broadcasting, of integers.",
)
invert = elementwise(
    "invert",
    np.invert,
    lambda x: ~x,
    takes=INTEGER,
    public="bitwise.invert",
    laws=Laws(involution=True, exact=True),
    doc="All bits turned, element by element, of integers: -1 - x of signed ones.",
)


def _distance(x: Any, y: Any) -> Any:
    """How far a shift goes: TensorFlow limits it to the width of the numbers."""
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
    doc="The bits of x moved up by y places, of which there are at most as many as x has bits.",
)
right_shift = binary(
    "right_shift",
    lambda x, y: np.right_shift(x, _distance(x, y)),
    lambda x, y: x >> _device_distance(y),
    takes=INTEGER,
    domain=(-40.0, 40.0),
    public="bitwise.right_shift",
    laws=Laws(exact=True),
    doc="The bits of x moved down by y places; a sign stays.",
)
